/** The same log produces the same rows: projected event by event, in large batches, after a restart in the middle, and in a rebuild. */
import { setImmediate } from 'node:timers/promises';
import { BUCKETS, type MappingEvent, streams } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import {
  checksumsOf,
  eventually,
  MemoryLog,
  schemaOf,
  schemaOfBuild,
  useProjectorEnvironment,
  waitUntilProjected,
} from './environment.ts';
import { loggedHistory, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();
const ONE_BY_ONE = { events: 1, bytes: 1, rows: 1 };
/** The number of steps of a generated history, so many that it fills every table. */
const STEPS = process.env['FAULTS'] === 'long' ? 200 : 120;
const SEVEN = { events: 7, bytes: 1e9, rows: 1e9 };

async function projectIn(events: ReturnType<typeof loggedHistory>, limits?: typeof SEVEN) {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  environment.project(url, log, limits ? { limits } : {});
  await waitUntilProjected(pool, events.length);
  return { url, pool, log };
}

/** Checks that the counts of items under review equal the numbers of items in their table. */
async function requireWaitingCounts(pool: Pool): Promise<void> {
  for (const [projection, prefix] of [
    ['crosswalks', ''],
    ['relationships', 'relationship_'],
  ] as const) {
    const schema = await schemaOf(pool, projection);
    const columns = 'parent_id, authors, submitted_by, pending';
    const { rows: counted } = await pool.query(
      `SELECT ${columns} FROM ${schema}.${prefix}pending_counts ORDER BY 1, 2, 3`,
    );
    const { rows: waiting } = await pool.query(
      `SELECT parent_id, authors, coalesce(submitted_by, 0) AS submitted_by, count(*) AS pending
         FROM ${schema}.${prefix}approval_items WHERE status = 'PENDING' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    );
    expect(waiting.length, projection).toBeGreaterThan(0);
    expect(counted, projection).toEqual(waiting);
  }
}

describe('the same log', () => {
  it('produces the same rows in projector batches of any size, and correct counts of the items under review', async () => {
    const events = loggedHistory(7, STEPS);
    const [single, seven, many] = [
      await projectIn(events, ONE_BY_ONE),
      await projectIn(events, SEVEN),
      await projectIn(events),
    ];
    const expected = await checksumsOf(single.pool);
    expect(Object.keys(expected)).toHaveLength(46);
    for (const [table, sum] of Object.entries(expected)) expect(sum, table).not.toBe('0:0');
    expect(await checksumsOf(seven.pool)).toEqual(expected);
    expect(await checksumsOf(many.pool)).toEqual(expected);
    await requireWaitingCounts(many.pool);
  });

  it('produces the same rows when a batch decides on more rows than one statement takes, some of them twice', async () => {
    const buckets = [0, 1, 2, 3, 4];
    const idsOf = (bucket: number) => Array.from({ length: 1_000 }, (_, row) => row * BUCKETS + bucket);
    const record = recorder();
    const recordForBuckets = (actorId: number, eventOf: (ids: number[]) => MappingEvent) =>
      buckets.map((bucket) =>
        record({ ...eventOf(idsOf(bucket)), stream: streams.mappings(3, bucket), actorId, dataSetIds: [1, 2] }),
      );
    const drafted = recordForBuckets(4, (ids) => ({
      type: 'MappingsDrafted',
      data: {
        rows: ids.map((id) => ({
          id,
          sourceValue: `s${id % 900}`,
          targetValue: `t${id}`,
          confidence: 1,
          origin: 'MANUAL',
        })),
      },
    }));
    const decided = [
      ...recordForBuckets(4, (ids) => ({ type: 'MappingsSubmitted', data: { ids } })),
      ...recordForBuckets(5, (ids) => ({
        type: 'MappingsApproved',
        data: { ids: ids.slice(100), comment: 'nul\0 {"a,b"} \\N' },
      })),
      ...recordForBuckets(5, (ids) => ({ type: 'MappingsRevoked', data: { ids: ids.slice(500, 600), comment: '' } })),
    ];
    const events = [...drafted, ...decided];
    const single = await projectIn(events, ONE_BY_ONE);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...drafted);
    const first = environment.project(url, log);
    await waitUntilProjected(pool, drafted.length);
    await first.stop();
    log.append(...decided);
    environment.project(url, log);
    await waitUntilProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(single.pool));
    const crosswalks = await schemaOf(pool, 'crosswalks');
    const { rows } = await pool.query(`SELECT pending, approved, rejected, served FROM ${crosswalks}.mapping_counts`);
    expect(rows).toEqual([{ pending: 500, approved: 4_000, rejected: 500, served: 4_000 }]);
  });

  it('produces the same rows when every projection is rebuilt under live traffic and swapped in', async () => {
    const events = loggedHistory(8, 400);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 300));
    const { projector, detached } = environment.project(url, log, { graceMs: 300 });
    const last = events.length - 20;
    await waitUntilProjected(pool, 300);
    await projector.rebuilder?.rebuild(...projections);
    for (const event of events.slice(300, last)) {
      log.append(event);
      await setImmediate();
    }
    await eventually(async () => expect(await schemaOf(pool, 'instances')).toBe(schemaOfBuild('instances', 2)));
    await eventually(async () => {
      const { rows } = await pool.query(`SELECT to_regnamespace('${schemaOfBuild('instances')}') AS old`);
      expect(rows[0].old).toBeNull();
    });
    // The builds that were replaced are dropped: they report no errors for later events.
    log.append(...events.slice(last));
    await waitUntilProjected(pool, events.length);
    const other = await projectIn(events);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(other.pool));
    expect(detached).toEqual([]);
  });

  it('is not read beyond the position of the reader by a rebuild', async () => {
    const events = loggedHistory(10, 120);
    const whole = await projectIn(events);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    const before = Math.floor(events.length / 2);
    log.append(...events);
    const release = log.holdFirstReaderAfter(before);
    const { projector } = environment.project(url, log);
    await waitUntilProjected(pool, before);
    await projector.rebuilder?.rebuild(...projections);
    await eventually(async () => expect(await schemaOf(pool, 'instances')).toBe(schemaOfBuild('instances', 2)));
    release();
    await waitUntilProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(whole.pool));
    const { rows } = await pool.query(`SELECT name FROM platform.builds WHERE state = 'DETACHED'`);
    expect(rows).toEqual([]);
  });

  it('is continued where the projector stopped, also after the store ended the subscription or the subscription failed', async () => {
    const events = loggedHistory(9, 120);
    const whole = await projectIn(events);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 50));
    const first = environment.project(url, log);
    await waitUntilProjected(pool, 50);
    await first.stop();
    log.append(...events.slice(50));
    log.break = { after: 40 };
    environment.project(url, log, { limits: SEVEN });
    await eventually(() => expect(log.break).toBeUndefined());
    log.break = { after: 3, error: new Error('the store went away') };
    await waitUntilProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(whole.pool));
  });
});
