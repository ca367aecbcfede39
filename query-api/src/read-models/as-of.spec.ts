/** Tests to which event an instant is resolved, and when the instant is refused. */
import type { Refusal } from '@rdm/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../fixtures/database.ts';
import { type LogReader, resolveAsOf } from './as-of.ts';

let database: SpecDatabase;

beforeAll(async () => {
  database = await startDatabase();
  await database.pool.query(`
    INSERT INTO platform.instants (seq, at) VALUES (4, '2026-01-01T00:00:00Z'), (6, '2026-02-01T00:00:00Z');
    UPDATE platform.reader SET seq = 6, at = '2026-02-01T00:00:00Z', commit_position = '600', prepare_position = '600'`);
}, 60_000);
afterAll(() => database.stop());

let calls: string[];
/** Returns a log that ends at a commit position and has product events that the projector has not read yet. */
const logOf = (head: bigint, unread: readonly string[] = []): LogReader => ({
  head: async () => {
    calls.push('head');
    return { commit: head, prepare: head };
  },
  async *readAll(after) {
    calls.push(`after ${after?.commit}`);
    for (const occurredAt of unread) yield { metadata: { occurredAt } } as never;
  },
});
const resolveOn = (asOf: string, log: LogReader) => resolveAsOf(database.pool, asOf, log);

beforeEach(() => {
  calls = [];
});

describe('an instant', () => {
  it('is resolved without the log if an event of a later time is projected', async () => {
    expect(await resolveOn('2026-01-15', logOf(900n, ['2026-01-10T00:00:00.000Z']))).toBe(4);
    expect(calls).toEqual([]);
  });

  it('is resolved to the last projected event if the log was read to its end', async () => {
    expect(await resolveOn('2026-02-15', logOf(600n))).toBe(6);
    expect(calls).toEqual(['head']);
  });

  it('is refused while an event up to that time is unread', async () => {
    const resolution = resolveOn('2026-02-15', logOf(900n, ['2026-02-10T00:00:00.000Z']));
    await expect(resolution).rejects.toMatchObject({ code: 'BEHIND', retryAfter: 1 } satisfies Partial<Refusal>);
    expect(calls).toEqual(['head', 'after 600']);
  });

  it('is resolved despite unread events of later times and unread system events', async () => {
    expect(await resolveOn('2026-02-15', logOf(900n, ['2026-03-01T00:00:00.000Z']))).toBe(6);
    expect(await resolveOn('2026-02-15', logOf(900n))).toBe(6);
  });

  it('is refused if its day is not in the calendar', async () => {
    for (const day of ['2025-02-29', '2026-02-30', '2026-04-31T12:00:00Z', '2026-00-10']) {
      await expect(resolveOn(day, logOf(600n)), day).rejects.toMatchObject({ code: 'INVALID' });
    }
    expect(await resolveOn('2024-02-29', logOf(600n))).toBe(0);
  });

  it('is refused while the log is unavailable', async () => {
    const unavailableLog: LogReader = { ...logOf(600n), head: () => Promise.reject(new Error('away')) };
    await expect(resolveOn('2026-02-15', unavailableLog)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
