/** Folds mappings into a table of current and past versions, and a table of counts per crosswalk. */
import { evolveMapping, type Mapping, type MappingEvent, touchedRowIds } from '@rdm/contracts';
import { INDEXED_CHARACTERS } from '@rdm/platform';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Change, FoldedRow, FoldedTable, Row } from '../tables/folded-table.ts';
import { type ReviewColumns, reviewColumnsAfter, reviewColumnTypes, reviewOf } from '../tables/review-columns.ts';
import { type TableOf, unnestOf, type WriteContext } from '../tables/rows.ts';
import { addCounts, countByStatus, type StatusCounts, statusCountTypes } from '../tables/status-counts.ts';

export interface MappingRow extends Row, ReviewColumns {
  crosswalk_id: number;
  id: number;
  source_value: string;
  target_value: string;
  confidence: number;
  origin: string;
  served_target: string | null;
  served_confidence: number | null;
  /** The event that proves the served value in a translate response; `served_seq` is the seq of this event. */
  served_event: string | null;
  served_seq: number | null;
}

const stateOf = (row: MappingRow): Mapping => ({
  id: row.id,
  sourceValue: row.source_value,
  value: { targetValue: row.target_value, confidence: row.confidence },
  served:
    row.served_target === null ? null : { targetValue: row.served_target, confidence: row.served_confidence ?? 0 },
  ...reviewOf(row),
});

export const mappingRows: FoldedTable<MappingRow, MappingEvent> = {
  name: 'crosswalk_mapping_values',
  columns: {
    crosswalk_id: 'bigint',
    id: 'bigint',
    source_value: 'text',
    target_value: 'text',
    confidence: 'double precision',
    origin: 'text',
    served_target: 'text',
    served_confidence: 'double precision',
    served_event: 'uuid',
    served_seq: 'bigint',
    ...reviewColumnTypes,
    valid_from: 'bigint',
  },
  key: ['crosswalk_id', 'id'],
  versioned: true,
  indexes: [
    '(crosswalk_id, approval_status, id) WHERE NOT deleted',
    '(crosswalk_id, id) WHERE deleted',
    // For queries of the changes since a seq. BRIN is enough, because rows are stored roughly in the order of the seq.
    'USING brin (valid_from) WITH (autosummarize = on)',
  ],
  // Finds the rows of a source value, for approvals and translations. A separate index of served rows would slow down
  // every approval.
  lookups: [`(crosswalk_id, left(source_value, ${INDEXED_CHARACTERS}), id)`],
  touchedKeys: (event) => touchedRowIds(event).map((id) => [event.entityId, id]),
  createsRows: (event) => event.type === 'MappingsDrafted',
  fold: (event, rows) =>
    touchedRowIds(event).map((id, index): FoldedRow<MappingRow> | undefined => {
      const row = rows[index];
      const state = evolveMapping(row && stateOf(row), event, index);
      if (state === undefined) return undefined;
      return {
        crosswalk_id: event.entityId,
        id,
        source_value: state.sourceValue,
        target_value: state.value.targetValue,
        confidence: state.value.confidence,
        origin: event.type === 'MappingsDrafted' ? (event.data.rows[index]?.origin ?? 'MANUAL') : (row?.origin ?? ''),
        served_target: state.served?.targetValue ?? null,
        served_confidence: state.served?.confidence ?? null,
        ...servedBy(row, state.served, event),
        ...reviewColumnsAfter(row, state, event),
      };
    }),
};

/** Returns the event that approved or restored the served value. */
function servedBy(
  row: MappingRow | undefined,
  served: Mapping['served'],
  event: NumberedEvent<MappingEvent>,
): Pick<MappingRow, 'served_event' | 'served_seq'> {
  if (served === null) return { served_event: null, served_seq: null };
  const isSame = row?.served_target === served.targetValue && row.served_confidence === served.confidence;
  if (row && isSame && event.type !== 'MappingsApproved') {
    return { served_event: row.served_event, served_seq: row.served_seq };
  }
  return { served_event: event.id, served_seq: event.seq };
}

interface MappingCount extends StatusCounts {
  crosswalk_id: number;
  /** The number of source values with a served mapping. */
  mapped_sources: number;
  last_approved_at: string | null;
}

export const mappingCounts: TableOf<MappingCount> = {
  name: 'mapping_counts',
  columns: {
    crosswalk_id: 'bigint',
    ...statusCountTypes,
    mapped_sources: 'bigint',
    last_approved_at: 'timestamptz',
  },
  key: ['crosswalk_id'],
};

type MappingChange = Change<MappingRow, MappingEvent>;

const isServed = (row: MappingRow | undefined): boolean => row !== undefined && row.served_target !== null;

/** Updates the counts. The rows of the batch must already be written. */
export async function addMappingCounts(context: WriteContext, changes: readonly MappingChange[]): Promise<void> {
  const sourceChanges = await mappedSourceChanges(context, changes);
  const lastApprovals = new Map<number, string>();
  for (const { event } of changes) {
    if (event.type === 'MappingsApproved') lastApprovals.set(event.entityId, event.metadata.occurredAt);
  }
  const counts = [...countByStatus(changes, isServed)].map(
    ([crosswalkId, count]): MappingCount => ({
      crosswalk_id: crosswalkId,
      ...count,
      mapped_sources: sourceChanges.get(crosswalkId) ?? 0,
      last_approved_at: lastApprovals.get(crosswalkId) ?? null,
    }),
  );
  await addCounts(context, mappingCounts, counts);
}

/**
 * Returns by how much the number of source values with a served mapping changes, per crosswalk. Several rows may serve
 * one source value, so the query compares the number of serving rows after the batch with the number before.
 */
async function mappedSourceChanges(
  { client, schema }: WriteContext,
  changes: readonly MappingChange[],
): Promise<Map<number, number>> {
  const changedSources = new Map<string, { crosswalk_id: number; source_value: string; delta: number }>();
  for (const { event, before, after } of changes) {
    const delta = Number(isServed(after)) - Number(isServed(before));
    const source_value = after?.source_value ?? before?.source_value;
    if (delta === 0 || source_value === undefined) continue;
    const name = `${event.entityId} ${source_value}`;
    const source = changedSources.get(name) ?? { crosswalk_id: event.entityId, source_value, delta: 0 };
    source.delta += delta;
    changedSources.set(name, source);
  }
  if (changedSources.size === 0) return new Map();
  const sources = [...changedSources.values()];
  const { from, values } = unnestOf([
    ['crosswalk_id', 'bigint', sources.map(({ crosswalk_id }) => crosswalk_id)],
    ['source_value', 'text', sources.map(({ source_value }) => source_value)],
    ['delta', 'integer', sources.map(({ delta }) => delta)],
  ]);
  const { rows } = await client.query<{ crosswalk_id: number; delta: number }>({
    name: `sources ${schema}`,
    text: `SELECT k.crosswalk_id,
                  sum((s.now > 0)::int - (s.now - k.delta > 0)::int) AS delta
             FROM ${from},
                  LATERAL (SELECT count(*) AS now FROM ${schema}.${mappingRows.name} m
                            WHERE m.crosswalk_id = k.crosswalk_id AND m.source_value = k.source_value
                              AND left(m.source_value, ${INDEXED_CHARACTERS}) = left(k.source_value, ${INDEXED_CHARACTERS})
                              AND m.served_target IS NOT NULL) s
            GROUP BY k.crosswalk_id`,
    values,
  });
  return new Map(rows.map((row) => [row.crosswalk_id, row.delta]));
}
