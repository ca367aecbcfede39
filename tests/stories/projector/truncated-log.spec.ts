/** A projector whose log has lost its last events reports the loss, until an operator accepts the end of the log. */
import type { Pool } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { loggedHistory } from './generated-history.ts';

const environment = useProjectorEnvironment();
const events = loggedHistory(7, 40);
const EVENT_COUNT = events.length;
const KEPT_COUNT = EVENT_COUNT - 15;
const positionAt = (count: number) => events[count - 1]?.position ?? 0n;

/** Creates a database whose read models contain all events, and truncates the log. */
async function projectThenTruncate(): Promise<{ url: string; pool: Pool; log: MemoryLog }> {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  const { stop } = environment.project(url, log);
  await waitUntilProjected(pool, EVENT_COUNT);
  await stop();
  log.shorten(KEPT_COUNT);
  return { url, pool, log };
}

const logIdOf = async (pool: Pool) => (await pool.query('SELECT log_id FROM platform.reader')).rows[0].log_id;
const lossesOf = async (pool: Pool) =>
  (await pool.query('SELECT lost_after, lost_up_to FROM platform.log_losses ORDER BY id')).rows;

describe('a log that ends before the checkpoint of the reader', () => {
  it('stops the projector until its missing events are restored', async () => {
    const { url, pool, log } = await projectThenTruncate();
    const before = await checksumsOf(pool);
    // The operator accepted another end.
    const { projector } = environment.project(url, log, { acceptedEnd: positionAt(KEPT_COUNT) + 1n });
    await eventually(() =>
      expect(projector.problem).toMatch(
        new RegExp(
          `ends with the event at position ${positionAt(KEPT_COUNT)}, but .* up to position ${positionAt(EVENT_COUNT)}.*ACCEPT_LOG_END=${positionAt(KEPT_COUNT)}`,
        ),
      ),
    );
    expect(await checksumsOf(pool)).toEqual(before);
    expect(await lossesOf(pool)).toEqual([]);
    // Restore the missing events.
    log.append(...events.slice(KEPT_COUNT));
    await eventually(() => expect([projector.problem, projector.state]).toEqual([undefined, 'LEADING']));
  });

  // If the log is empty, EVENTSTORE_URL is usually wrong.
  it('is reported as empty if it has no events', async () => {
    const { url, log } = await projectThenTruncate();
    log.shorten(0);
    const { projector } = environment.project(url, log);
    await eventually(() =>
      expect(projector.problem).toMatch(
        new RegExp(
          `is empty, but the read models hold events up to position ${positionAt(EVENT_COUNT)}. Set EVENTSTORE_URL to .*ACCEPT_LOG_END=0 to continue without them`,
        ),
      ),
    );
  });

  it('stops a running projector when its subscription restarts', async () => {
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const { projector } = environment.project(url, log);
    await waitUntilProjected(pool, EVENT_COUNT);
    log.shorten(KEPT_COUNT);
    await eventually(() => expect(projector.problem).toContain(`ACCEPT_LOG_END=${positionAt(KEPT_COUNT)}`));
  });

  it('is projected from its beginning when an operator accepts its end', async () => {
    const { url, pool, log } = await projectThenTruncate();
    const logId = await logIdOf(pool);
    await pool.query(
      `INSERT INTO command.commands (command_id, principal, name, body_hash, request_id, leased_until, status, answer, position)
       SELECT gen_random_uuid(), 'user:1', 'test', '', '', now(), 200, '{}', position
         FROM unnest(ARRAY[$1, $2]) position`,
      [String(positionAt(KEPT_COUNT)), String(positionAt(EVENT_COUNT))],
    );
    const options = { acceptedEnd: positionAt(KEPT_COUNT) };
    const first = environment.project(url, log, options);
    await eventually(async () => expect(await lossesOf(pool)).toHaveLength(1));
    await waitUntilProjected(pool, KEPT_COUNT);
    await first.stop();
    expect(await lossesOf(pool)).toEqual([
      { lost_after: String(positionAt(KEPT_COUNT)), lost_up_to: String(positionAt(EVENT_COUNT)) },
    ]);
    expect(await logIdOf(pool)).not.toBe(logId);
    for (const table of ['live_changes', 'instants']) {
      const { rows } = await pool.query(`SELECT coalesce(max(seq), 0)::int AS last FROM platform.${table}`);
      expect(rows[0].last, table).toBeLessThanOrEqual(KEPT_COUNT);
    }
    // The answers of commands with lost events are removed, so that a repeated command takes effect.
    const { rows: answered } = await pool.query('SELECT position FROM command.commands');
    expect(answered).toEqual([{ position: String(positionAt(KEPT_COUNT)) }]);

    const fresh = await environment.database();
    environment.project(fresh.url, log);
    await waitUntilProjected(fresh.pool, KEPT_COUNT);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(fresh.pool));

    const builds = async () =>
      (await pool.query('SELECT schema_name FROM platform.builds WHERE serving ORDER BY 1')).rows;
    const serving = await builds();
    log.append(...events.slice(KEPT_COUNT));
    environment.project(url, log, options);
    await waitUntilProjected(pool, EVENT_COUNT);
    expect(await builds()).toEqual(serving);
    expect(await lossesOf(pool)).toHaveLength(1);
  });
});
