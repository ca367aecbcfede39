/** Read model of relationships: their definitions. */
import { evolveRelationship, type Relationship, type RelationshipEvent } from '@rdm/contracts';
import { type FoldedTable, one, type Row } from './folded-table.ts';
import { projectionOf } from './projection.ts';

interface RelationshipRow extends Row {
  id: number;
  name: string;
  relationship_type: string;
  cardinality: Relationship['cardinality'];
  source_data_set_id: number;
  target_data_set_id: number;
  source_field_id: number;
  target_field_id: number;
  allow_self_relationship: boolean;
  revision: number;
  created_at: string;
  created_by: number | null;
  updated_at: string;
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
    revision: 'integer',
    created_at: 'timestamptz',
    created_by: 'bigint',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: true,
  touches: (event) => [[event.entityId]],
  fold: one((row, event) => {
    const state = evolveRelationship(
      row && {
        id: row.id,
        name: row.name,
        relationshipType: row.relationship_type,
        cardinality: row.cardinality,
        sourceDataSetId: row.source_data_set_id,
        targetDataSetId: row.target_data_set_id,
        sourceFieldId: row.source_field_id,
        targetFieldId: row.target_field_id,
        allowSelfRelationship: row.allow_self_relationship,
        deleted: false,
        revision: row.revision,
      },
      event,
    );
    if (state === undefined || state.deleted) return undefined;
    return {
      id: state.id,
      name: state.name,
      relationship_type: state.relationshipType,
      cardinality: state.cardinality,
      source_data_set_id: state.sourceDataSetId,
      target_data_set_id: state.targetDataSetId,
      source_field_id: state.sourceFieldId,
      target_field_id: state.targetFieldId,
      allow_self_relationship: state.allowSelfRelationship,
      revision: state.revision,
      created_at: row?.created_at ?? event.metadata.occurredAt,
      created_by: row ? row.created_by : event.metadata.actorId,
      updated_at: event.metadata.occurredAt,
    };
  }),
};

export const relationships = projectionOf(
  { name: 'relationships', version: 1, categories: ['relationship'] },
  relationshipDefinitions,
);
