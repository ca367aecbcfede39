/** Counts the rows of each crosswalk or relationship: the rows of each status, and the served rows. */
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { ReviewColumns, ReviewEvent } from './review-columns.ts';
import { type ColumnType, cleanJson, type TableShape, type WriteContext } from './rows.ts';

export interface StatusCounts {
  draft: number;
  pending: number;
  approved: number;
  rejected: number;
  served: number;
}

export const statusCountTypes = {
  draft: 'bigint',
  pending: 'bigint',
  approved: 'bigint',
  rejected: 'bigint',
  served: 'bigint',
} as const satisfies Record<keyof StatusCounts, ColumnType>;

interface ReviewedChange<R> {
  event: NumberedEvent<ReviewEvent>;
  before: R | undefined;
  after: R | undefined;
}

const statusColumn = (row: ReviewColumns) =>
  row.approval_status.toLowerCase() as 'draft' | 'pending' | 'approved' | 'rejected';

/** Returns the change of each count, by crosswalk or relationship id. The counts by status omit deleted rows. */
export function countByStatus<R extends ReviewColumns>(
  changes: readonly ReviewedChange<R>[],
  isServed: (row: R | undefined) => boolean,
): Map<number, StatusCounts> {
  const counts = new Map<number, StatusCounts>();
  for (const { event, before, after } of changes) {
    const count = counts.get(event.entityId) ?? { draft: 0, pending: 0, approved: 0, rejected: 0, served: 0 };
    if (before && !before.deleted) count[statusColumn(before)] -= 1;
    if (after && !after.deleted) count[statusColumn(after)] += 1;
    count.served += Number(isServed(after)) - Number(isServed(before));
    counts.set(event.entityId, count);
  }
  return counts;
}

/** Adds numbers to the counts in the table; a new value of a timestamp column replaces the stored one. */
export async function addCounts(
  { client, schema }: WriteContext,
  { name, key, columns }: TableShape,
  counts: readonly object[],
): Promise<void> {
  if (counts.length === 0) return;
  const assignments = Object.keys(columns)
    .filter((column) => !key.includes(column))
    .map((column) =>
      columns[column] === 'timestamptz'
        ? `${column} = coalesce(excluded.${column}, c.${column})`
        : `${column} = c.${column} + excluded.${column}`,
    );
  await client.query({
    name: `count ${schema}.${name}`,
    text: `INSERT INTO ${schema}.${name} AS c
           SELECT * FROM jsonb_populate_recordset(NULL::${schema}.${name}, $1::jsonb)
           ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`,
    values: [cleanJson(counts)],
  });
}
