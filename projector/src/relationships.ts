/** Read model of relationships: their definitions, with what is said of their values. */
import {
  evolveRelationship,
  type Relationship,
  type RelationshipDefinition,
  type RelationshipEvent,
} from '@rdm/contracts';
import { type FoldedTable, one, type Row } from './folded-table.ts';
import { projectionOf } from './projection.ts';
import { acted, type Reviewed, reviewedColumns } from './reviewed.ts';

interface RelationshipRow extends Row, Reviewed {
  id: number;
  name: string;
  relationship_type: string;
  cardinality: RelationshipDefinition['cardinality'];
  source_data_set_id: number;
  target_data_set_id: number;
  source_field_id: number;
  target_field_id: number;
  allow_self_relationship: boolean;
  attributes: Relationship['attributes'];
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
    revision: row.revision,
    approvalStatus: row.approval_status,
    deletionRequested: row.deletion_requested,
    deleted: false,
    submittedBy: row.submitted_by,
    authors: row.authors,
  };
}

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
    ...reviewedColumns,
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: true,
  touches: (event) => [[event.entityId]],
  fold: one((row, event) => {
    const state = evolveRelationship(row && stateOf(row), event);
    if (state === undefined || state.deleted) return undefined;
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
      attributes: state.attributes,
      has_values: state.hasValues,
      ...acted(row, state, event),
    };
  }),
};

export const relationships = projectionOf(
  { name: 'relationships', version: 2, categories: ['relationship'] },
  relationshipDefinitions,
);
