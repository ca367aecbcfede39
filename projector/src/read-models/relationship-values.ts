/** Tables of relationship values: their current and past versions, who changed them, and counts per relationship. */
import {
  evolveRelationshipValue,
  type RelationshipValue,
  type RelationshipValueContent,
  type RelationshipValueEvent,
  touchedRowIds,
} from '@rdm/contracts';
import type { Change, FoldedRow, FoldedTable, Row } from '../tables/folded-table.ts';
import { type ReviewColumns, reviewColumnsAfter, reviewColumnTypes, reviewOf } from '../tables/review-columns.ts';
import type { TableOf, WriteContext } from '../tables/rows.ts';
import { addCounts, countByStatus, type StatusCounts, statusCountTypes } from '../tables/status-counts.ts';

export interface RelationshipValueRow extends Row, ReviewColumns {
  relationship_id: number;
  id: number;
  source_instance_id: number;
  target_instance_id: number;
  /** Values by attribute id. */
  attributes: RelationshipValueContent['attributes'];
  served: RelationshipValueContent | null;
}

const stateOf = (row: RelationshipValueRow): RelationshipValue => ({
  id: row.id,
  value: {
    sourceInstanceId: row.source_instance_id,
    targetInstanceId: row.target_instance_id,
    attributes: row.attributes,
  },
  served: row.served,
  ...reviewOf(row),
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
  touchedKeys: (event) => touchedRowIds(event).map((id) => [event.entityId, id]),
  createsRows: (event) => event.type === 'RelationshipValuesDrafted',
  fold: (event, rows) =>
    touchedRowIds(event).map((id, index): FoldedRow<RelationshipValueRow> | undefined => {
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
        ...reviewColumnsAfter(row, state, event),
      };
    }),
};

interface ValueCount extends StatusCounts {
  relationship_id: number;
}

export const relationshipValueCounts: TableOf<ValueCount> = {
  name: 'relationship_value_counts',
  columns: {
    relationship_id: 'bigint',
    ...statusCountTypes,
  },
  key: ['relationship_id'],
};

export async function addValueCounts(
  context: WriteContext,
  changes: readonly Change<RelationshipValueRow, RelationshipValueEvent>[],
): Promise<void> {
  const counts = countByStatus(changes, (row) => row !== undefined && row.served !== null);
  await addCounts(
    context,
    relationshipValueCounts,
    [...counts].map(([relationshipId, count]): ValueCount => ({ relationship_id: relationshipId, ...count })),
  );
}
