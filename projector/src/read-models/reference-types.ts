/** Read model of reference data types: a type with its schema of fields. */
import { type Dates, evolveReferenceType, type ReferenceTypeEvent, type TypeField } from '@rdm/contracts';
import { projectionOf } from '../engine/projection.ts';
import { revisedDates, withEntryDates } from '../tables/entry-dates.ts';
import { type FoldedTable, foldOne, type Row } from '../tables/folded-table.ts';

interface TypeRow extends Row {
  id: number;
  name: string;
  description: string;
  revision: number;
  schema_revision: number;
  fields: (TypeField & Dates)[];
  data_set_ids: number[];
  created_at: string;
  created_by: number | null;
  updated_at: string;
  updated_by: number | null;
}

const FIELD = {
  idOf: ({ fieldId }: TypeField) => fieldId,
  // A new use of a field, by a crosswalk, a relationship or a key, does not count as a change of the field.
  contentOf: ({ name, dataType, isPrimaryKey, retired }: TypeField) => [name, dataType, isPrimaryKey, retired],
};

export const referenceDataTypes: FoldedTable<TypeRow, ReferenceTypeEvent> = {
  name: 'reference_data_types',
  columns: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    revision: 'integer',
    schema_revision: 'integer',
    fields: 'jsonb',
    data_set_ids: 'bigint[]',
    created_at: 'timestamptz',
    created_by: 'bigint',
    updated_at: 'timestamptz',
    updated_by: 'bigint',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: true,
  touchedKeys: (event) => [[event.entityId]],
  fold: foldOne((row, event) => {
    const state = evolveReferenceType(
      row && {
        id: row.id,
        name: row.name,
        description: row.description,
        deleted: false,
        revision: row.revision,
        schemaRevision: row.schema_revision,
        fields: row.fields,
        dataSetIds: row.data_set_ids,
      },
      event,
    );
    if (state === undefined || state.deleted) return undefined;
    const { occurredAt, actorId } = event.metadata;
    return {
      id: state.id,
      name: state.name,
      description: state.description,
      revision: state.revision,
      schema_revision: state.schemaRevision,
      fields: withEntryDates(row?.fields, state.fields, FIELD, occurredAt),
      data_set_ids: state.dataSetIds,
      created_by: row ? row.created_by : actorId,
      ...revisedDates(row, state, event),
    };
  }),
};

export const referenceTypes = projectionOf(
  { name: 'reference_types', version: 3, categories: ['referenceType'] },
  referenceDataTypes,
);
