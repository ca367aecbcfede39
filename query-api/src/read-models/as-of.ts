/** Instants of the past as seq: `asOf=<ISO instant>` or, in evidence links, `asOf=seq:<n>`. */
import { NO_MOMENT, Refusal } from '@rdm/contracts';
import type { EventStore, LogPosition, Pool } from '@rdm/platform';

/** For what has none: whoever asks for its past is not told the present. */
export function refuseThePast({ query }: { query: unknown }, what: string): void {
  if ((query as { asOf?: unknown }).asOf) throw new Refusal('INVALID', `${what} no past: leave asOf out`);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A day that the calendar has: of the 30th of February, JavaScript makes the 2nd of March. */
const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);

/** The instant that `asOf` names, as ISO; it is in UTC unless it says a zone; undefined where it names none. */
export function instantOf(asOf: string): string | undefined {
  // A plus sign that was not encoded arrives as a space.
  const text = asOf.trim().replace(/ (\d{2}:?\d{2})$/, '+$1');
  const zoned = /^\d{4}-\d{2}-\d{2}$/.test(text) || /(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`;
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(zoned)) || !isDay(text.slice(0, 10))) return undefined;
  return new Date(zoned).toISOString();
}

/** The log as far as it says whether all of it was read. */
export type LogEnd = Pick<EventStore, 'head' | 'readAll'>;

/**
 * The last projected seq whose instant is not after the one asked for; 0 before the first event. Refused while the log
 * has an event of that time that was not projected yet: a moment later the answer would be another.
 */
export async function resolveAsOf(pool: Pool, asOf: string, log?: LogEnd): Promise<number> {
  const numbered = /^seq:(\d{1,15})$/.exec(asOf);
  if (numbered) return happened(pool, Number(numbered[1]));
  const at = Date.parse(instantOf(asOf) ?? '');
  if (Number.isNaN(at)) throw new Refusal('INVALID', NO_MOMENT);
  // What is told of an instant stays so: of one that is still to come it could not.
  if (at > Date.now()) {
    throw new Refusal('INVALID', `asOf is in the future: it is ${new Date().toISOString()} here`);
  }
  const { rows } = await pool.query<{ seq: number; over: boolean; commit: string; prepare: string }>(
    `SELECT coalesce((SELECT seq FROM platform.instants WHERE at <= to_timestamp($1) ORDER BY at DESC, seq DESC LIMIT 1), 0) AS seq,
       at > to_timestamp($1) AS over, commit_position AS commit, prepare_position AS prepare FROM platform.reader`,
    // In seconds: PostgreSQL reads no year 0 and no year 10000 as JavaScript writes them.
    [at / 1_000],
  );
  const [found] = rows;
  if (!found) return 0;
  // Time never runs backwards over the log: after an event that came later, none is of that time.
  if (!found.over && log) await requireRead(log, found, at);
  return found.seq;
}

async function requireRead(log: LogEnd, read: { commit: string; prepare: string }, at: number): Promise<void> {
  const after = { commit: BigInt(read.commit), prepare: BigInt(read.prepare) };
  const unread = await firstAfter(log, after).catch((error: unknown) => {
    const refusal = new Refusal('UNAVAILABLE', 'The log cannot say whether that is all there was', undefined, 1);
    throw Object.assign(refusal, { cause: error });
  });
  if (unread === undefined || Date.parse(unread) > at) return;
  throw new Refusal('BEHIND', 'What happened by then is still on its way here. Please try again.', undefined, 1);
}

/** When the first event after a position occurred; undefined where only the store's own are left. */
async function firstAfter(log: LogEnd, after: LogPosition): Promise<string | undefined> {
  const head = await log.head();
  if (head === null || head.commit <= after.commit) return undefined;
  for await (const event of log.readAll(after.commit === 0n ? null : after)) return event.metadata.occurredAt;
  return undefined;
}

/** The seq, once the log was read to it: what is told of a later one would not stay so. */
async function happened(pool: Pool, seq: number): Promise<number> {
  const { rows } = await pool.query(
    `SELECT greatest((SELECT max(seq) FROM platform.reader), (SELECT max(seq) FROM platform.builds WHERE serving), 0) AS seq`,
  );
  const last = Number(rows[0].seq);
  if (seq <= last) return seq;
  throw new Refusal('INVALID', `asOf is in the future: the last event that is told of is seq:${last}`);
}
