/** Tests the projector under faults: lost connections, a new leader, poison events and an unavailable PostgreSQL. */
import { type Projection, projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { announcedSeed } from '../conformance/seed.ts';
import {
  checksumsOf,
  eventually,
  MemoryLog,
  useProjectorEnvironment,
  waitUntilProjected,
} from '../stories/projector/environment.ts';
import {
  generateHistory,
  INVALID_EVENTS,
  loggedHistory,
  randomFrom,
  recorder,
} from '../stories/projector/generated-history.ts';
import { checksumsOfLog, expectAllProjected } from './projector/rows.ts';

const environment = useProjectorEnvironment();
const LONG = process.env['FAULTS'] === 'long';
const SEED = announcedSeed('projector');

describe(`the projector (seed ${SEED})`, () => {
  it('applies no event twice when its connection is lost between the rows and the checkpoint', async () => {
    const events = loggedHistory(SEED, LONG ? 1_500 : 100);
    const random = randomFrom(SEED);
    const { url, pool } = await environment.database();
    let cutsLeft = LONG ? 200 : 8;
    /** A projection that runs last, and cuts the connection after all other projections have written their rows. */
    const cut: Projection = {
      name: 'cut',
      version: 1,
      categories: 'all',
      tables: [],
      async apply({ client }) {
        if (cutsLeft > 0 && random(2) === 0) {
          cutsLeft -= 1;
          await client.query('SELECT pg_terminate_backend(pg_backend_pid())');
        }
        return new Map();
      },
    };
    const log = new MemoryLog();
    log.append(...events);
    const limits = { events: 3, bytes: 1e9, rows: 1e9 };
    for (const _ of [1, 2]) environment.project(url, log, { limits, projections: [...projections, cut] });
    await waitUntilProjected(pool, events.length);
    expect(cutsLeft).toBe(0);
    await expectAllProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOfLog(environment, events));
  });

  it('takes the lead again before it writes, if another projector has led in the meantime', async () => {
    const events = loggedHistory(SEED, 30);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 40));
    environment.project(url, log);
    await waitUntilProjected(pool, 40);
    // Simulates another leader: the running projector must notice the new token before it writes.
    const { rows } = await pool.query('UPDATE platform.reader SET token = token + 1 RETURNING token');
    log.append(...events.slice(40));
    await waitUntilProjected(pool, events.length);
    const reader = await pool.query('SELECT token FROM platform.reader');
    expect(reader.rows[0].token).toBe(rows[0].token + 1);
    await expectAllProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOfLog(environment, events));
  });

  it('stops only the projection that cannot apply a poison event, and resumes it after a fix', async () => {
    const record = recorder(SEED);
    const history = [...generateHistory(SEED, LONG ? 4_000 : 120)];
    const random = randomFrom(SEED);
    for (const event of Object.values(INVALID_EVENTS)) history.splice(30 + random(history.length - 30), 0, event);
    const events = history.map(record);

    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const { stop } = environment.project(url, log);
    await waitUntilProjected(pool, events.length);
    const { rows } = await pool.query(
      `SELECT name, state, seq, failed_event, failure FROM platform.builds WHERE serving ORDER BY name`,
    );
    for (const { name, state, seq, failed_event: failed, failure } of rows) {
      const failedSeq = events.findIndex(({ data }) => INVALID_EVENTS[name] && data === INVALID_EVENTS[name].data) + 1;
      if (failedSeq === 0) expect({ name, state, seq }).toEqual({ name, state: 'SERVING', seq: events.length });
      else {
        expect({ name, state, seq }).toEqual({ name, state: 'DETACHED', seq: failedSeq - 1 });
        expect(failed).toMatchObject({ seq: failedSeq, id: events[failedSeq - 1]?.id });
        expect(failure).not.toBe('');
      }
    }
    await stop();

    // Simulates the fix: each projection ignores its own poison event, which the other projections have applied.
    const fixedProjections = projections.map((projection) => ({
      ...projection,
      apply: (...[writing, batch]: Parameters<Projection['apply']>) =>
        projection.apply(
          writing,
          batch.filter(({ data }) => data !== INVALID_EVENTS[projection.name]?.data),
        ),
    }));
    const { projector } = environment.project(url, log, { projections: fixedProjections });
    await eventually(() => expect(projector.rebuilder).toBeDefined());
    for (const projection of fixedProjections) await projector.rebuilder?.resume(projection);
    await eventually(async () => {
      const { rows: resumed } = await pool.query(
        `SELECT name FROM platform.builds WHERE state <> 'SERVING' OR seq <> $1`,
        [events.length],
      );
      expect(resumed).toEqual([]);
    });
    const fresh = await environment.database();
    environment.project(fresh.url, log, { projections: fixedProjections });
    await waitUntilProjected(fresh.pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(fresh.pool));
  });

  it('catches up after PostgreSQL was unavailable', async () => {
    const events = loggedHistory(SEED, LONG ? 20_000 : 250);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 100));
    environment.project(url, log);
    await waitUntilProjected(pool, 100);
    await environment.whileServerStopped(async () => log.append(...events.slice(100)));
    await waitUntilProjected(pool, events.length);
    await expectAllProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOfLog(environment, events));
  });
});
