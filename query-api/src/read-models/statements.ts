/** Runs statements on PostgreSQL, names frequent statements, and turns errors of callers into refusals. */
import { Refusal } from '@rdm/contracts';
import type { Client, Pool, Queryable } from '@rdm/platform';
import { type Sql, toStatement } from './sql.ts';

export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Whether the statement was cancelled by its timeout. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === '57014';

/** The number of prepared statements is limited, because each connection stores its own copies. */
const NAMED_STATEMENTS = 200;

/** Creates a function that returns one name per statement text; undefined for new texts beyond the limit. */
export function createStatementNames(limit = NAMED_STATEMENTS): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const existing = names.get(text);
    if (existing !== undefined || names.size >= limit) return existing;
    const name = `often ${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** SQLSTATEs of a regular expression that needs more memory or stack than allowed. */
const TOO_COMPLEX = new Set(['XX000', '53200', '54000', '54001']);

/** Runs a query. Errors that only the input of the caller can cause become refusals. */
export async function runStatement(
  db: Queryable,
  query: Sql,
  nameOf?: (text: string) => string | undefined,
): Promise<{ rows: unknown[]; rowCount: number | null }> {
  try {
    const prepared = toStatement(query);
    const name = nameOf?.(prepared.text);
    return await db.query(name === undefined ? prepared : { ...prepared, name });
  } catch (error) {
    if (query.hasRegex && TOO_COMPLEX.has(codeOf(error))) {
      throw new Refusal('INVALID', 'This regular expression is too complex for PostgreSQL');
    }
    throw toCallerRefusal(error);
  }
}

export function toCallerRefusal(error: unknown): unknown {
  switch (codeOf(error)) {
    case '2201B':
      return new Refusal('INVALID', 'This is not a regular expression that PostgreSQL understands');
    case '22021':
    case '22P05':
      return new Refusal('INVALID', 'The request contains a character that PostgreSQL cannot store');
    default:
      return error;
  }
}

/** The timeout that is currently set on each connection of the search pool. */
const timeLimits = new WeakMap<Client, number>();

/** Runs statements on one connection of the search pool, each with this timeout. */
export async function withTimeLimit<Result>(
  searchPool: Pool,
  timeLimitMs: number,
  run: (db: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await searchPool.connect();
  try {
    if (timeLimits.get(client) !== timeLimitMs) {
      await client.query(`SET statement_timeout = ${timeLimitMs}`);
      timeLimits.set(client, timeLimitMs);
    }
    return await run(client);
  } finally {
    client.release();
  }
}
