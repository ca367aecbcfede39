/** Resolves `asOf` to a seq: `asOf=<ISO instant>` or, in evidence links, `asOf=seq:<n>`. */
import { INVALID_MOMENT, Refusal } from '@rdm/contracts';
import type { EventStore, LogPosition, Pool } from '@rdm/platform';

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Whether the calendar has this day: JavaScript turns the 30th of February into the 2nd of March. */
const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);

/** Returns the instant as ISO text; undefined if `asOf` is no instant. The default time zone is UTC. */
export function instantOf(asOf: string): string | undefined {
  // A plus sign that was not encoded arrives as a space.
  const text = asOf.trim().replace(/ (\d{2}:?\d{2})$/, '+$1');
  const zoned = /^\d{4}-\d{2}-\d{2}$/.test(text) || /(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`;
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(zoned)) || !isDay(text.slice(0, 10))) return undefined;
  return new Date(zoned).toISOString();
}

/** The functions of the event store that show whether the projector has read the whole log. */
export type LogReader = Pick<EventStore, 'head' | 'readAll'>;

/**
 * Returns n for `seq:<n>`, and the last projected seq up to an instant; 0 before the first event. Refuses other texts,
 * the future, and a seq that is not projected yet. With `log`, also refuses an instant if an event up to this instant
 * is not projected yet, or if the event store does not answer.
 */
export async function resolveAsOf(pool: Pool, asOf: string, log?: LogReader): Promise<number> {
  const numbered = /^seq:(\d{1,15})$/.exec(asOf);
  if (numbered) return requireProjectedSeq(pool, Number(numbered[1]));
  const at = Date.parse(instantOf(asOf) ?? '');
  if (Number.isNaN(at)) throw new Refusal('INVALID', INVALID_MOMENT);
  // The result for an instant must never change: later events could change the result for a future instant.
  if (at > Date.now()) {
    throw new Refusal('INVALID', `asOf is in the future: the time of the server is ${new Date().toISOString()}`);
  }
  const { rows } = await pool.query<{ seq: number; isPassed: boolean; commit: string; prepare: string }>(
    `SELECT coalesce((SELECT seq FROM platform.instants WHERE at <= to_timestamp($1) ORDER BY at DESC, seq DESC LIMIT 1), 0) AS seq,
       at > to_timestamp($1) AS "isPassed", commit_position AS commit, prepare_position AS prepare FROM platform.reader`,
    // In seconds, because PostgreSQL cannot parse the years 0 and 10000 in the format of JavaScript.
    [at / 1_000],
  );
  const [reader] = rows;
  if (!reader) return 0;
  // Instants never decrease along the log: after a projected event with a later instant, no event of this time follows.
  if (!reader.isPassed && log) await requireProjectedUntil(log, reader, at);
  return reader.seq;
}

async function requireProjectedUntil(
  log: LogReader,
  reader: { commit: string; prepare: string },
  at: number,
): Promise<void> {
  const after = { commit: BigInt(reader.commit), prepare: BigInt(reader.prepare) };
  const unreadSince = await timeOfFirstAfter(log, after).catch((error: unknown) => {
    const refusal = new Refusal(
      'UNAVAILABLE',
      'The event store does not answer, so changes of this time may be missing. Please try again.',
      undefined,
      1,
    );
    throw Object.assign(refusal, { cause: error });
  });
  if (unreadSince === undefined || Date.parse(unreadSince) > at) return;
  throw new Refusal('BEHIND', 'The changes up to this time are not readable yet. Please try again.', undefined, 1);
}

/** Returns the time of the first product event after a position; undefined if there is none. */
async function timeOfFirstAfter(log: LogReader, after: LogPosition): Promise<string | undefined> {
  const head = await log.head();
  if (head === null || head.commit <= after.commit) return undefined;
  for await (const event of log.readAll(after.commit === 0n ? null : after)) return event.metadata.occurredAt;
  return undefined;
}

/** Refuses a seq that is not projected yet: the result for it would not be final. */
async function requireProjectedSeq(pool: Pool, seq: number): Promise<number> {
  const { rows } = await pool.query(
    `SELECT greatest((SELECT max(seq) FROM platform.reader), (SELECT max(seq) FROM platform.builds WHERE serving), 0) AS seq`,
  );
  const last = Number(rows[0].seq);
  if (seq <= last) return seq;
  throw new Refusal('INVALID', `asOf is in the future: the last projected event is seq:${last}`);
}
