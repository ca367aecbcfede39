/**
 * Read model of crosswalks: definitions, their mappings with counts, the approval items of both, and dismissed
 * suggestions.
 */
import {
  type Crosswalk,
  type CrosswalkDefinition,
  type CrosswalkEvent,
  evolveCrosswalk,
  isMappingEvent,
  isSuggestionEvent,
  type MappingEvent,
  type SuggestionEvent,
} from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { type Projection, revisionsOf } from '../engine/projection.ts';
import { type FoldedTable, foldInto, foldOne, type Row } from '../tables/folded-table.ts';
import { type ReviewColumns, reviewColumnsAfter, reviewColumnTypes, reviewOf } from '../tables/review-columns.ts';
import { type ApprovalSubject, approvalTables, writeApprovals } from './approvals.ts';
import { dismissedSuggestions } from './dismissed-suggestions.ts';
import { addMappingCounts, type MappingRow, mappingCounts, mappingRows } from './mappings.ts';

interface CrosswalkRow extends Row, ReviewColumns {
  id: number;
  name: string;
  description: string;
  source_system_id: number;
  target_system_id: number;
  source_field_id: number;
  target_field_id: number;
  similarity_threshold: number;
  served: CrosswalkDefinition | null;
  /** The working definition. */
  value: CrosswalkDefinition;
  /** Whether the crosswalk ever had mappings. */
  has_values: boolean;
  last_approved_at: string | null;
}

const stateOf = (row: CrosswalkRow): Crosswalk => ({
  id: row.id,
  hasValues: row.has_values,
  value: row.value,
  served: row.served,
  ...reviewOf(row),
});

export const crosswalkRows: FoldedTable<CrosswalkRow, CrosswalkEvent> = {
  name: 'crosswalk_mappings',
  columns: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    source_system_id: 'bigint',
    target_system_id: 'bigint',
    source_field_id: 'bigint',
    target_field_id: 'bigint',
    similarity_threshold: 'double precision',
    served: 'jsonb',
    value: 'jsonb',
    has_values: 'boolean',
    last_approved_at: 'timestamptz',
    ...reviewColumnTypes,
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: true,
  touchedKeys: (event) => [[event.entityId]],
  fold: foldOne((row, event) => {
    const state = evolveCrosswalk(row && stateOf(row), event);
    // The creation of the crosswalk was refused (`CrosswalkAbandoned`): store no row.
    if (state === undefined || (row === undefined && state.deleted)) return undefined;
    const { value } = state;
    return {
      id: state.id,
      name: value.name,
      description: value.description,
      source_system_id: value.sourceSystemId,
      target_system_id: value.targetSystemId,
      source_field_id: value.sourceFieldId,
      target_field_id: value.targetFieldId,
      similarity_threshold: value.similarityThreshold,
      served: state.served,
      value,
      has_values: state.hasValues,
      last_approved_at:
        event.type === 'CrosswalkApproved' ? event.metadata.occurredAt : (row?.last_approved_at ?? null),
      ...reviewColumnsAfter(row, state, event),
    };
  }),
};

const definitionSubject = (row: CrosswalkRow): ApprovalSubject => ({
  kind: 'crosswalk',
  parent_id: row.id,
  id: row.id,
  title: row.name,
  served: row.served,
  requested: row.value,
  data_set_ids: [row.source_system_id, row.target_system_id],
});

function mappingSubject(row: MappingRow, event: NumberedEvent<MappingEvent>): ApprovalSubject {
  const [source, target = source] = event.metadata.dataSetIds;
  const { source_value: sourceValue } = row;
  return {
    kind: 'mapping',
    parent_id: row.crosswalk_id,
    id: row.id,
    title: `${sourceValue} → ${row.target_value}`,
    served:
      row.served_target === null
        ? null
        : { sourceValue, targetValue: row.served_target, confidence: row.served_confidence },
    requested: { sourceValue, targetValue: row.target_value, confidence: row.confidence },
    data_set_ids: [source ?? null, target ?? null],
  };
}

const approvals = approvalTables();

export const crosswalks: Projection = {
  name: 'crosswalks',
  version: 9,
  categories: ['crosswalk', 'mappings'],
  tables: [crosswalkRows, mappingRows, mappingCounts, dismissedSuggestions, ...Object.values(approvals)],
  async apply(context, events) {
    const mappingEvents = events.filter(isMappingEvent) as NumberedEvent<MappingEvent>[];
    const suggestionEvents = events.filter(isSuggestionEvent) as NumberedEvent<SuggestionEvent>[];
    const crosswalkEvents = events.filter(
      ({ category }) => category === 'crosswalk',
    ) as NumberedEvent<CrosswalkEvent>[];
    const definitions = await foldInto(context, crosswalkRows, crosswalkEvents);
    const mappings = await foldInto(context, mappingRows, mappingEvents);
    await addMappingCounts(context, mappings);
    await foldInto(context, dismissedSuggestions, suggestionEvents);
    await writeApprovals(context, approvals, definitions, definitionSubject);
    await writeApprovals(context, approvals, mappings, mappingSubject);
    return new Map([...revisionsOf(definitions), ...revisionsOf(mappings)]);
  },
};
