/** Table of relationship values: their current and past values, who changed them, and the counts per relationship. */
import {
  evolveRelationshipValue,
  type RelationshipValue,
  type RelationshipValueContent,
  type RelationshipValueEvent,
  touchedRows,
} from '@rdm/contracts';
import type { Change, FoldedRow, FoldedTable, Row } from '../tables/folded-table.ts';
import { type ReviewColumns, reviewColumnsAfter, reviewColumnTypes, trackedOf } from '../tables/review-columns.ts';
import { cleanJson, type TableOf, type WriteContext } from '../tables/rows.ts';

export interface RelationshipValueRow extends Row, ReviewColumns {
  relationship_id: number;
  id: number;
  source_instance_id: number;
  target_instance_id: number;
  /** By attribute id. */
  attributes: RelationshipValueContent['attributes'];
  served: RelationshipValueContent | null;
  deleted: boolean;
}

const stateOf = (row: RelationshipValueRow): RelationshipValue => ({
  id: row.id,
  revision: row.revision,
  approvalStatus: row.approval_status,
  value: {
    sourceInstanceId: row.source_instance_id,
    targetInstanceId: row.target_instance_id,
    attributes: row.attributes,
  },
  served: row.served,
  deletionRequested: row.deletion_requested,
  deleted: row.deleted,
  submittedBy: row.submitted_by,
  authors: row.authors,
  ...trackedOf(row),
});

export const relationshipValueRows: FoldedTable<RelationshipValueRow, RelationshipValueEvent> = {
  name: 'relationship_values',
  columns: {
    relationship_id: 'bigint',
    id: 'bigint',
    source_instance_id: 'bigint',
    target_instance_id: 'bigint',
    attributes: 'jsonb',
    served: 'jsonb',
    deleted: 'boolean',
    ...reviewColumnTypes,
    valid_from: 'bigint',
  },
  key: ['relationship_id', 'id'],
  versioned: true,
  indexes: [
    '(relationship_id, approval_status, id) WHERE NOT deleted',
    '(relationship_id, id) WHERE deleted',
    '(source_instance_id) WHERE NOT deleted',
    '(target_instance_id) WHERE NOT deleted',
    `(((served ->> 'sourceInstanceId')::bigint)) WHERE served IS NOT NULL`,
    `(((served ->> 'targetInstanceId')::bigint)) WHERE served IS NOT NULL`,
  ],
  touchedKeys: (event) => touchedRows(event).map((id) => [event.entityId, id]),
  createsRows: (event) => event.type === 'RelationshipValuesDrafted',
  fold: (event, rows) =>
    touchedRows(event).map((id, index): FoldedRow<RelationshipValueRow> | undefined => {
      const row = rows[index];
      const state = evolveRelationshipValue(row && stateOf(row), event, index);
      if (state === undefined) return undefined;
      return {
        relationship_id: event.entityId,
        id,
        source_instance_id: state.value.sourceInstanceId,
        target_instance_id: state.value.targetInstanceId,
        attributes: state.value.attributes,
        served: state.served,
        deleted: state.deleted,
        ...reviewColumnsAfter(row, state, event),
      };
    }),
};

interface ValueCount {
  relationship_id: number;
  draft: number;
  pending: number;
  approved: number;
  rejected: number;
  served: number;
}

export const relationshipValueCounts: TableOf<ValueCount> = {
  name: 'relationship_value_counts',
  columns: {
    relationship_id: 'bigint',
    draft: 'bigint',
    pending: 'bigint',
    approved: 'bigint',
    rejected: 'bigint',
    served: 'bigint',
  },
  key: ['relationship_id'],
};

const statusColumn = (row: RelationshipValueRow) =>
  row.approval_status.toLowerCase() as 'draft' | 'pending' | 'approved' | 'rejected';

const isServed = (row: RelationshipValueRow | undefined): boolean => row !== undefined && row.served !== null;

/** Updates the counts with the changes of a batch. */
export async function addValueCounts(
  { client, schema }: WriteContext,
  changes: readonly Change<RelationshipValueRow, RelationshipValueEvent>[],
): Promise<void> {
  const counts = new Map<number, ValueCount>();
  for (const { event, before, after } of changes) {
    const relationship_id = event.entityId;
    const none = { relationship_id, draft: 0, pending: 0, approved: 0, rejected: 0, served: 0 };
    const count = counts.get(relationship_id) ?? none;
    if (before && !before.deleted) count[statusColumn(before)] -= 1;
    if (after && !after.deleted) count[statusColumn(after)] += 1;
    count.served += Number(isServed(after)) - Number(isServed(before));
    counts.set(relationship_id, count);
  }
  if (counts.size === 0) return;
  await client.query({
    name: `count values ${schema}`,
    text: `INSERT INTO ${schema}.relationship_value_counts AS c
           SELECT * FROM jsonb_populate_recordset(NULL::${schema}.relationship_value_counts, $1::jsonb)
           ON CONFLICT (relationship_id) DO UPDATE
           SET draft = c.draft + excluded.draft, pending = c.pending + excluded.pending,
               approved = c.approved + excluded.approved, rejected = c.rejected + excluded.rejected,
               served = c.served + excluded.served`,
    values: [cleanJson([...counts.values()])],
  });
}
