/** Read model of data sets: details, the crosswalks and relationships that use them, and their locks by imports. */
import { type DataSetEvent, evolveDataSet } from '@rdm/contracts';
import { projectionOf } from '../engine/projection.ts';
import { revisedDates } from '../tables/entry-dates.ts';
import { type FoldedTable, foldOne, type Row } from '../tables/folded-table.ts';

interface DataSetRow extends Row {
  id: number;
  name: string;
  description: string;
  type_id: number;
  key_field_ids: number[];
  label_field_id: number | null;
  created_by: number | null;
  is_public: boolean;
  exclusive_job_id: number | null;
  relationship_ids: number[];
  crosswalk_ids: number[];
  revision: number;
  created_at: string;
  updated_at: string;
  updated_by: number | null;
}

export const referenceDataSets: FoldedTable<DataSetRow, DataSetEvent> = {
  name: 'reference_data_sets',
  columns: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    type_id: 'bigint',
    key_field_ids: 'bigint[]',
    label_field_id: 'bigint',
    created_by: 'bigint',
    is_public: 'boolean',
    exclusive_job_id: 'bigint',
    relationship_ids: 'bigint[]',
    crosswalk_ids: 'bigint[]',
    revision: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    updated_by: 'bigint',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: true,
  touchedKeys: (event) => [[event.entityId]],
  fold: foldOne((row, event) => {
    const state = evolveDataSet(
      row && {
        id: row.id,
        name: row.name,
        description: row.description,
        typeId: row.type_id,
        keyFieldIds: row.key_field_ids,
        labelFieldId: row.label_field_id,
        createdBy: row.created_by,
        isPublic: row.is_public,
        deleted: false,
        revision: row.revision,
        exclusiveJobId: row.exclusive_job_id,
        relationshipIds: row.relationship_ids,
        crosswalkIds: row.crosswalk_ids,
      },
      event,
    );
    if (state === undefined || state.deleted) return undefined;
    return {
      id: state.id,
      name: state.name,
      description: state.description,
      type_id: state.typeId,
      key_field_ids: state.keyFieldIds,
      label_field_id: state.labelFieldId,
      created_by: state.createdBy,
      is_public: state.isPublic,
      exclusive_job_id: state.exclusiveJobId,
      relationship_ids: state.relationshipIds,
      crosswalk_ids: state.crosswalkIds,
      revision: state.revision,
      ...revisedDates(row, state, event),
    };
  }),
};

export const dataSets = projectionOf({ name: 'data_sets', version: 2, categories: ['dataSet'] }, referenceDataSets);
