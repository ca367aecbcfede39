/** Folds relationships, their values with counts, and the approval items of relationships and values. */
import {
  type Dates,
  evolveRelationship,
  isRelationshipValueEvent,
  type Relationship,
  type RelationshipAttribute,
  type RelationshipDefinition,
  type RelationshipEvent,
  type RelationshipValueEvent,
} from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { type Projection, revisionsOf } from '../engine/projection.ts';
import { withEntryDates } from '../tables/entry-dates.ts';
import { type FoldedTable, foldInto, foldOne, type Row } from '../tables/folded-table.ts';
import { type ReviewColumns, reviewColumnsAfter, reviewColumnTypes, reviewOf } from '../tables/review-columns.ts';
import { type ApprovalSubject, approvalTables, writeApprovals } from './approvals.ts';
import {
  addValueCounts,
  type RelationshipValueRow,
  relationshipValueCounts,
  relationshipValueRows,
} from './relationship-values.ts';

interface RelationshipRow extends Row, ReviewColumns {
  id: number;
  name: string;
  relationship_type: string;
  cardinality: RelationshipDefinition['cardinality'];
  source_data_set_id: number;
  target_data_set_id: number;
  source_field_id: number;
  target_field_id: number;
  allow_self_relationship: boolean;
  attributes: (RelationshipAttribute & Dates)[];
  has_values: boolean;
}

function stateOf(row: RelationshipRow): Relationship {
  const definition = {
    id: row.id,
    name: row.name,
    relationshipType: row.relationship_type,
    cardinality: row.cardinality,
    sourceDataSetId: row.source_data_set_id,
    targetDataSetId: row.target_data_set_id,
    sourceFieldId: row.source_field_id,
    targetFieldId: row.target_field_id,
    allowSelfRelationship: row.allow_self_relationship,
  };
  return {
    id: row.id,
    value: definition,
    served: definition,
    attributes: row.attributes,
    hasValues: row.has_values,
    ...reviewOf(row),
  };
}

const ATTRIBUTE = {
  idOf: ({ attributeId }: RelationshipAttribute) => attributeId,
  contentOf: ({ name, dataType, isRequired, description, removed }: RelationshipAttribute) => [
    name,
    dataType,
    isRequired,
    description,
    removed,
  ],
};

export const relationshipDefinitions: FoldedTable<RelationshipRow, RelationshipEvent> = {
  name: 'relationships',
  columns: {
    id: 'bigint',
    name: 'text',
    relationship_type: 'text',
    cardinality: 'text',
    source_data_set_id: 'bigint',
    target_data_set_id: 'bigint',
    source_field_id: 'bigint',
    target_field_id: 'bigint',
    allow_self_relationship: 'boolean',
    attributes: 'jsonb',
    has_values: 'boolean',
    ...reviewColumnTypes,
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: true,
  touchedKeys: (event) => [[event.entityId]],
  fold: foldOne((row, event) => {
    const state = evolveRelationship(row && stateOf(row), event);
    // The creation of the relationship was refused (`RelationshipAbandoned`): store no row.
    if (state === undefined || (row === undefined && state.deleted)) return undefined;
    const { value } = state;
    return {
      id: state.id,
      name: value.name,
      relationship_type: value.relationshipType,
      cardinality: value.cardinality,
      source_data_set_id: value.sourceDataSetId,
      target_data_set_id: value.targetDataSetId,
      source_field_id: value.sourceFieldId,
      target_field_id: value.targetFieldId,
      allow_self_relationship: value.allowSelfRelationship,
      attributes: withEntryDates(row?.attributes, state.attributes, ATTRIBUTE, event.metadata.occurredAt),
      has_values: state.hasValues,
      ...reviewColumnsAfter(row, state, event),
    };
  }),
};

/** Returns the approval item of a relationship. Only the deletion of a relationship is reviewed. */
const deletionSubject = (row: RelationshipRow): ApprovalSubject => ({
  kind: 'relationship',
  parent_id: row.id,
  id: row.id,
  title: row.name,
  served: stateOf(row).value,
  requested: stateOf(row).value,
  data_set_ids: [row.source_data_set_id, row.target_data_set_id],
});

function valueSubject(row: RelationshipValueRow, event: NumberedEvent<RelationshipValueEvent>): ApprovalSubject {
  const [source, target = source] = event.metadata.dataSetIds;
  const { source_instance_id: sourceInstanceId, target_instance_id: targetInstanceId, attributes, served } = row;
  return {
    kind: 'relationship-value',
    parent_id: row.relationship_id,
    id: row.id,
    // Queries replace the ids by the keys of the instances, which another projection has.
    title: `${sourceInstanceId} → ${targetInstanceId}`,
    served,
    requested: { sourceInstanceId, targetInstanceId, attributes },
    data_set_ids: [source ?? null, target ?? null],
  };
}

const approvals = approvalTables('relationship_');

export const relationships: Projection = {
  name: 'relationships',
  version: 8,
  categories: ['relationship', 'relationshipValues'],
  tables: [relationshipDefinitions, relationshipValueRows, relationshipValueCounts, ...Object.values(approvals)],
  async apply(context, events) {
    const valueEvents = events.filter(isRelationshipValueEvent) as NumberedEvent<RelationshipValueEvent>[];
    const definitionEvents = events.filter(
      (event) => !isRelationshipValueEvent(event),
    ) as NumberedEvent<RelationshipEvent>[];
    const definitions = await foldInto(context, relationshipDefinitions, definitionEvents);
    const values = await foldInto(context, relationshipValueRows, valueEvents);
    await addValueCounts(context, values);
    await writeApprovals(context, approvals, definitions, deletionSubject);
    await writeApprovals(context, approvals, values, valueSubject);
    return new Map([...revisionsOf(definitions), ...revisionsOf(values)]);
  },
};
