/** Instants of the past as seq: `asOf=<ISO instant>` or, in evidence links, `asOf=seq:<n>`. */
import { Refusal } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';

/** For what has none: whoever asks for its past is not told the present. */
export function refuseThePast({ query }: { query: unknown }, what: string): void {
  if ((query as { asOf?: unknown }).asOf) throw new Refusal('INVALID', `${what} no past: leave asOf out`);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The instant that `asOf` names, as ISO; undefined where it names none. */
export function instantOf(asOf: string): string | undefined {
  // A plus sign that was not encoded arrives as a space.
  const text = asOf.trim().replace(/ (\d{2}:?\d{2})$/, '+$1');
  const zoned = /^\d{4}-\d{2}-\d{2}$/.test(text) || /(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`;
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(zoned))) return undefined;
  return new Date(zoned).toISOString();
}

/** The last projected seq whose instant is not after the one asked for; 0 before the first event. */
export async function resolveAsOf(pool: Pool, asOf: string): Promise<number> {
  const numbered = /^seq:(\d{1,15})$/.exec(asOf);
  if (numbered) return happened(pool, Number(numbered[1]));
  const at = Date.parse(instantOf(asOf) ?? '');
  if (Number.isNaN(at)) {
    throw new Refusal('INVALID', 'asOf is an ISO instant, such as 2026-05-01T12:00:00Z, or seq:<number>');
  }
  // What is told of an instant stays so: of one that is still to come it could not.
  if (at > Date.now()) {
    throw new Refusal('INVALID', `asOf is in the future: it is ${new Date().toISOString()} here`);
  }
  const { rows } = await pool.query(
    `SELECT coalesce(max(seq), 0) AS seq FROM (
       SELECT seq FROM platform.instants WHERE at <= to_timestamp($1) ORDER BY at DESC, seq DESC LIMIT 1) last`,
    // In seconds: PostgreSQL reads no year 0 and no year 10000 as JavaScript writes them.
    [at / 1_000],
  );
  return rows[0].seq as number;
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
