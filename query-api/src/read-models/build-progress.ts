/**
 * SQL for the progress of builds, and the refusals of queries for a past that is not projected yet, or on an outdated
 * build.
 */
import { Refusal } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { type Sql, sql } from './sql.ts';
import { codeOf } from './statements.ts';

/**
 * SQLSTATEs of missing schemas, tables, functions and columns: the build was replaced and dropped, or is of an older
 * version.
 */
export const MISSING_NAME_CODES = new Set(['42P01', '3F000', '42883', '42703']);
/** The `Retry-After` while a build of an older version serves and the next build is filled. */
const UPDATING_RETRY_SECONDS = 5;

export interface PositionRow {
  position: string;
  /** The last seq that all builds of the query have projected; null if the query reads no table of a build. */
  projectedSeq: number | null;
  /** The number of builds of the query that still serve. */
  serving: number;
}

/** Whether the tables are not projected up to `asOf` yet. */
export const isBehindAsOf = (asOf: number | undefined, { projectedSeq }: PositionRow): boolean =>
  asOf !== undefined && projectedSeq !== null && projectedSeq < asOf;

/** Refuses tables that are behind `asOf`: they would return an incomplete past. */
export function requireReached(asOf: number | undefined, progress: PositionRow): void {
  if (!isBehindAsOf(asOf, progress)) return;
  throw new Refusal('BEHIND', 'The data of this time is not readable yet. Please try again.', undefined, 1);
}

/** The query for the position and seq that all these builds have reached, and for the number of serving builds. */
export const selectPosition = (schemas: string[]): Sql => sql`
  (SELECT coalesce(min(commit_position::numeric)::text, (SELECT commit_position FROM platform.reader)) AS position,
          min(seq) AS "projectedSeq",
          count(*) FILTER (WHERE serving) AS serving
     FROM platform.builds WHERE schema_name = ANY(${schemas}))`;

/**
 * Throws the error of a query on these builds, or UNAVAILABLE if a name is missing while a build of the next version is
 * being filled.
 */
export async function throwQueryError(
  db: Queryable,
  schemas: ReadonlyMap<string, string>,
  error: unknown,
): Promise<never> {
  if (!MISSING_NAME_CODES.has(codeOf(error))) throw error;
  const { rows } = await db.query(
    `SELECT FROM platform.builds served JOIN platform.builds next ON next.name = served.name AND next.version > served.version
      WHERE served.schema_name = ANY($1) AND served.serving AND next.state = 'BUILDING' LIMIT 1`,
    [[...schemas.values()]],
  );
  if (rows.length === 0) throw error;
  throw new Refusal(
    'UNAVAILABLE',
    'This part of the system is being brought up to date. Please try again.',
    undefined,
    UPDATING_RETRY_SECONDS,
  );
}
