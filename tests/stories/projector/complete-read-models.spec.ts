/** Read models are complete, and can therefore be served, when the reader has reached the end of the log. */
import type { LoggedEvent, Pool } from '@rdm/platform';
import { expect, it } from 'vitest';
import { eventually, MemoryLog, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { loggedHistory } from './generated-history.ts';

const environment = useProjectorEnvironment();
const events = loggedHistory(35, 30);
const EVENT_COUNT = events.length;
const HALF_COUNT = Math.floor(EVENT_COUNT / 2);

const isComplete = async (pool: Pool): Promise<boolean> =>
  (await pool.query('SELECT complete FROM platform.reader')).rows[0].complete;
const waitUntilComplete = (pool: Pool) => eventually(async () => expect(await isComplete(pool)).toBe(true));

function logOf(count: number): MemoryLog {
  const log = new MemoryLog();
  log.append(...events.slice(0, count));
  return log;
}

it('read models are incomplete until the reader has reached the end of the log', async () => {
  const { url, pool } = await environment.database();
  const log = logOf(EVENT_COUNT);
  for (const position of [HALF_COUNT, HALF_COUNT + 1]) {
    const release = log.holdNextSubscriberAfter(position);
    const { stop } = environment.project(url, log);
    await waitUntilProjected(pool, position);
    const stopped = stop();
    release();
    await stopped;
    expect(await isComplete(pool)).toBe(false);
  }
  environment.project(url, log);
  await waitUntilComplete(pool);
  await waitUntilProjected(pool, EVENT_COUNT);
});

it('read models stay complete while a restarted projector catches up', async () => {
  const { url, pool } = await environment.database();
  const log = logOf(HALF_COUNT);
  const { stop } = environment.project(url, log);
  await waitUntilComplete(pool);
  await stop();
  log.append(...events.slice(HALF_COUNT));
  const release = log.holdNextSubscriberAfter(HALF_COUNT + 1);
  const { projector } = environment.project(url, log);
  await waitUntilProjected(pool, HALF_COUNT + 1);
  expect([projector.state, await isComplete(pool)]).toEqual(['LEADING', true]);
  release();
  await waitUntilProjected(pool, EVENT_COUNT);
});

it('read models become incomplete after the operator accepts the end of a shorter log', async () => {
  const { url, pool } = await environment.database();
  const log = logOf(EVENT_COUNT);
  const { stop } = environment.project(url, log);
  await waitUntilComplete(pool);
  await stop();
  log.shorten(HALF_COUNT);
  const { position } = log.events.at(-1) as LoggedEvent;
  const release = log.holdNextSubscriberAfter(1);
  environment.project(url, log, { acceptedEnd: position });
  await waitUntilProjected(pool, 1);
  expect(await isComplete(pool)).toBe(false);
  release();
  await waitUntilProjected(pool, HALF_COUNT);
  await waitUntilComplete(pool);
});
