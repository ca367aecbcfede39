/** Tests that other batch sizes, and projectors that are killed or stopped, produce the same rows. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { connectEventStore, isMark, type LoggedEvent, programUrl } from '@rdm/platform';
import { projections } from '@rdm/projector';
import { afterEach, describe, expect, it } from 'vitest';
import { announcedSeed } from '../../conformance/seed.ts';
import {
  checksumsOf,
  eventually,
  MemoryLog,
  useProjectorEnvironment,
  waitUntilProjected,
} from '../../stories/projector/environment.ts';
import { loggedHistory, randomFrom } from '../../stories/projector/generated-history.ts';
import { checksumsOfLog, expectAllProjected } from '../projector/rows.ts';

const environment = useProjectorEnvironment();
const LONG = process.env['FAULTS'] === 'long';
const SEED = announcedSeed('projector');
const MAIN = fileURLToPath(programUrl('projector/dist/main.js'));

describe(`the projector (seed ${SEED})`, () => {
  it('produces the same rows when rebuilt with other batch sizes, while events arrive', async () => {
    const events = loggedHistory(SEED, LONG ? 3_000 : 120);
    const sizes = LONG ? [1, 13, 5_000] : [1, 5_000];
    const logLengths = [0.4, 0.6, 0.8, 1].slice(-1 - sizes.length).map((part) => Math.floor(events.length * part));
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, logLengths[0]));
    for (const [index, size] of sizes.entries()) {
      const limits = { events: size, bytes: 1e9, rows: 1e9 };
      const { projector, stop } = environment.project(url, log, { limits, graceMs: 0 });
      await eventually(() => expect(projector.rebuilder).toBeDefined());
      const builds = await projector.rebuilder?.rebuild(...projections);
      log.append(...events.slice(logLengths[index], logLengths[index + 1]));
      await eventually(async () => {
        const { rows } = await pool.query('SELECT schema_name FROM platform.builds WHERE serving');
        expect(rows.map((row) => row.schema_name).sort()).toEqual(builds?.map(({ schema }) => schema).sort());
      });
      await waitUntilProjected(pool, logLengths[index + 1] ?? 0);
      await stop();
      expect(await checksumsOf(pool)).toEqual(await checksumsOfLog(environment, log.events));
    }
  });
});

describe(`projectors as processes (seed ${SEED})`, () => {
  const children = new Set<ChildProcess>();
  const ports = new Map<ChildProcess, number>();
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
  });

  async function start(variables: Record<string, string>): Promise<ChildProcess> {
    const child = fork(MAIN, {
      env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent', ...variables },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    ports.set(child, port);
    return child;
  }

  /** Sends a request to both projectors; returns the statuses of the answers, lowest first. */
  async function postToBoth(path: string, secret: string): Promise<number[]> {
    const answers = [...children].map((child) =>
      fetch(`http://127.0.0.1:${ports.get(child)}${path}`, { method: 'POST', headers: { 'X-Service-Secret': secret } }),
    );
    return (await Promise.all(answers)).map(({ status }) => status).sort();
  }

  it('take over from killed or stopped leaders, and produce the same rows', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rdm-projector-faults-'));
    const storeProcess = await startEventStoreProcess({ dir: directory, output: 'ignore' });
    const store = connectEventStore(storeProcess.url);
    const { url, pool } = await environment.database();
    const secret = 'a secret of more than 32 characters';
    const variables = {
      DATABASE_URL: url,
      EVENTSTORE_URL: storeProcess.url,
      SESSION_SECRET: secret,
      SERVICE_SECRET: secret,
    };
    const newEvents = loggedHistory(SEED, LONG ? 4_000 : 200);
    const readToken = async (): Promise<number> =>
      (await pool.query('SELECT token FROM platform.reader')).rows[0].token;
    const waitForTokenAfter = (last: number) => eventually(async () => expect(await readToken()).toBeGreaterThan(last));
    const random = randomFrom(SEED);
    try {
      let leader = await start(variables);
      await waitForTokenAfter(0);
      let standby = await start(variables);
      const rounds = LONG ? 40 : 2;
      for (let round = 0; round < rounds; round += 1) {
        const part = newEvents.slice((round * newEvents.length) / rounds, ((round + 1) * newEvents.length) / rounds);
        const before = await readToken();
        const writing = (async () => {
          for (const event of part) {
            await store.append(event.stream, [event], event.revision === 0 ? 'NO_STREAM' : event.revision - 1);
          }
        })();
        const { seq } = (await pool.query('SELECT seq FROM platform.reader')).rows[0];
        await eventually(async () => {
          const reader = await pool.query('SELECT seq FROM platform.reader');
          expect(reader.rows[0].seq).toBeGreaterThan(seq + random(part.length / 2));
        });
        const former = leader;
        former.kill(round % 2 === 0 ? 'SIGKILL' : 'SIGSTOP');
        await waitForTokenAfter(before);
        leader = standby;
        if (round % 2 === 0) standby = await start(variables);
        else {
          former.kill('SIGCONT');
          standby = former;
        }
        await writing;
      }
      await waitUntilProjected(pool, newEvents.length);
      await expectAllProjected(pool, newEvents.length);
      const log: LoggedEvent[] = [];
      for await (const item of store.subscribeToAll(null, new AbortController().signal)) {
        if (!isMark(item) && log.push(item) === newEvents.length) break;
      }
      const expected = await checksumsOfLog(environment, log);
      expect(await checksumsOf(pool)).toEqual(expected);

      expect(await postToBoth('/internal/projections/rebuild', 'a guess')).toEqual([404, 404]);
      await eventually(async () =>
        expect(await postToBoth('/internal/projections/rebuild', variables.SERVICE_SECRET)).toEqual([202, 503]),
      );
      await eventually(async () => {
        const { rows } = await pool.query('SELECT name FROM platform.builds WHERE serving AND build > 1');
        expect(rows).toHaveLength(projections.length);
      });
      expect(await checksumsOf(pool)).toEqual(expected);
    } finally {
      await storeProcess.kill();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
