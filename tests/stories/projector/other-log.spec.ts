/**
 * The projector detects that the log lacks the last projected event, and skips events of other applications.
 */
import type { LoggedEvent, Pool } from '@rdm/platform';
import { openLogProblem } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { loggedHistory } from './generated-history.ts';

const environment = useProjectorEnvironment();
const events = loggedHistory(11, 30);
const EVENT_COUNT = events.length;
const last = events.at(-1) as LoggedEvent;

/** Creates a database whose read models contain all events. */
async function projectAll(): Promise<{ url: string; pool: Pool; log: MemoryLog }> {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  const { stop } = environment.project(url, log);
  await waitUntilProjected(pool, EVENT_COUNT);
  await stop();
  return { url, pool, log };
}

const positionOf = async (pool: Pool) =>
  (await pool.query('SELECT seq::int, commit_position AS position FROM platform.reader')).rows[0];

describe('a log that lacks the last projected event', () => {
  it('stops the projector until the operator accepts the end of the log', async () => {
    const { url, pool, log } = await projectAll();
    // The clock advances with every call, so that no call returns a cached problem.
    let now = 0;
    const logProblem = openLogProblem(pool, () => (now += 1_000));
    expect(await logProblem.current()).toBeUndefined();
    const before = await checksumsOf(pool);
    // Simulate an older copy of the log that was restored, and to which other events were appended.
    log.events.pop();
    const other = { ...last, id: '00000000-0000-4000-8000-000000000001' };
    log.append(other, {
      ...other,
      id: '00000000-0000-4000-8000-000000000002',
      position: last.position + 1n,
      prepare: last.prepare + 1n,
    });
    const { projector, stop } = environment.project(url, log);
    const end = last.position + 1n;
    await eventually(() =>
      expect(projector.problem).toMatch(new RegExp(`lacks event ${last.id}.*ACCEPT_LOG_END=${end}`)),
    );
    expect(await logProblem.current()).toBe(projector.problem);
    await expect(logProblem.require()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: projector.problem });
    expect(await checksumsOf(pool)).toEqual(before);
    await stop();

    log.events.pop();
    environment.project(url, log, { acceptedEnd: last.position });
    await waitUntilProjected(pool, EVENT_COUNT);
    await eventually(async () => expect(await logProblem.current()).toBeUndefined());
  });

  it('is not reported if the stream of this event was deleted', async () => {
    const { url, pool, log } = await projectAll();
    log.events.pop();
    log.append({ ...last, id: '00000000-0000-4000-8000-000000000001', stream: 'names-other', revision: 0 });
    log.deleted.add(last.stream);
    const { projector } = environment.project(url, log);
    await eventually(() => expect(projector.state).toBe('LEADING'));
    expect(projector.problem).toBeUndefined();
    expect((await positionOf(pool)).seq).toBe(EVENT_COUNT);
  });
});

describe('a log with events of other applications', () => {
  it('advances the position of the reader without counting these events', async () => {
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.reportedPosition = { commit: 700n, prepare: 700n };
    const { stop } = environment.project(url, log);
    await eventually(async () => expect(await positionOf(pool)).toEqual({ seq: 0, position: '700' }));
    await stop();

    const subscribedFrom: (bigint | undefined)[] = [];
    log.onSubscribe = (after) => subscribedFrom.push(after?.commit);
    log.reportedPosition = undefined;
    const later = events.map((event) => ({
      ...event,
      position: event.position + 1_000n,
      prepare: event.prepare + 1_000n,
    }));
    log.append(...later);
    const second = environment.project(url, log);
    await waitUntilProjected(pool, EVENT_COUNT);
    expect(subscribedFrom[0]).toBe(700n);
    await second.stop();

    log.reportedPosition = { commit: last.position + 5_000n, prepare: last.position + 5_000n };
    environment.project(url, log);
    await eventually(async () =>
      expect(await positionOf(pool)).toEqual({ seq: EVENT_COUNT, position: String(last.position + 5_000n) }),
    );
  });
});
