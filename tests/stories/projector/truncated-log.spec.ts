/** The projector on a log that has lost its last events: it stops and says so, or begins anew when an operator accepts the loss. */
import type { Pool } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, projected, useStand } from './environment.ts';
import { lifeOf } from './generated-history.ts';

const stand = useStand();
const events = lifeOf(7, 40);
const WHOLE = events.length;
const KEPT = WHOLE - 15;
const endOf = (count: number) => events[count - 1]?.position ?? 0n;

/** A database whose read models hold all events, and the log with the last of them taken away. */
async function shortened(): Promise<{ url: string; pool: Pool; log: MemoryLog }> {
  const { url, pool } = await stand.database();
  const log = new MemoryLog();
  log.append(...events);
  const { stop } = stand.project(url, log);
  await projected(pool, WHOLE);
  await stop();
  log.shorten(KEPT);
  return { url, pool, log };
}

const logIdOf = async (pool: Pool) => (await pool.query('SELECT log_id FROM platform.reader')).rows[0].log_id;
const lossesOf = async (pool: Pool) =>
  (await pool.query('SELECT lost_after, lost_up_to FROM platform.log_losses ORDER BY id')).rows;

describe('a log that ends before the reader’s checkpoint', () => {
  it('stops the projector, which says what is missing and changes nothing', async () => {
    const { url, pool, log } = await shortened();
    const before = await checksumsOf(pool);
    const { projector } = stand.project(url, log, { acceptedEnd: endOf(KEPT) + 1n });
    await eventually(() =>
      expect(projector.problem).toMatch(
        new RegExp(
          `ends with the event at position ${endOf(KEPT)}, but .* up to position ${endOf(WHOLE)}.*ACCEPT_LOG_END=${endOf(KEPT)}`,
        ),
      ),
    );
    expect(await checksumsOf(pool)).toEqual(before);
    expect(await lossesOf(pool)).toEqual([]);
    // The files that were missing are back.
    log.append(...events.slice(KEPT));
    await eventually(() => expect([projector.problem, projector.state]).toEqual([undefined, 'LEADING']));
  });

  it('stops a projector that finds it when it subscribes again', async () => {
    const { url, pool } = await stand.database();
    const log = new MemoryLog();
    log.append(...events);
    const { projector } = stand.project(url, log);
    await projected(pool, WHOLE);
    log.shorten(KEPT);
    await eventually(() => expect(projector.problem).toContain(`ACCEPT_LOG_END=${endOf(KEPT)}`));
  });

  it('is projected from its beginning when its end is accepted, and the loss is recorded once', async () => {
    const { url, pool, log } = await shortened();
    const logId = await logIdOf(pool);
    await pool.query(
      `INSERT INTO command.commands (command_id, principal, name, body_hash, request_id, leased_until, status, answer, position)
       SELECT gen_random_uuid(), 'user:1', 'test', '', '', now(), 200, '{}', position
         FROM unnest(ARRAY[$1, $2]) position`,
      [String(endOf(KEPT)), String(endOf(WHOLE))],
    );
    const options = { acceptedEnd: endOf(KEPT) };
    const first = stand.project(url, log, options);
    await eventually(async () => expect(await lossesOf(pool)).toHaveLength(1));
    await projected(pool, KEPT);
    await first.stop();
    expect(await lossesOf(pool)).toEqual([{ lost_after: String(endOf(KEPT)), lost_up_to: String(endOf(WHOLE)) }]);
    expect(await logIdOf(pool)).not.toBe(logId);
    for (const table of ['live_changes', 'instants']) {
      const { rows } = await pool.query(`SELECT coalesce(max(seq), 0)::int AS last FROM platform.${table}`);
      expect(rows[0].last, table).toBeLessThanOrEqual(KEPT);
    }
    // A repetition of a command whose events are lost takes effect again.
    const { rows: answered } = await pool.query('SELECT position FROM command.commands');
    expect(answered).toEqual([{ position: String(endOf(KEPT)) }]);

    const fresh = await stand.database();
    stand.project(fresh.url, log);
    await projected(fresh.pool, KEPT);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(fresh.pool));

    const builds = async () => (await pool.query('SELECT schema_name FROM platform.builds WHERE serving')).rows;
    const serving = await builds();
    log.append(...events.slice(KEPT));
    stand.project(url, log, options);
    await projected(pool, WHOLE);
    expect(await builds()).toEqual(serving);
    expect(await lossesOf(pool)).toHaveLength(1);
  });
});
