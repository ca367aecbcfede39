/** Read model of filter configurations: which fields of a list can be filtered, and how. */
import {
  evolveFilterConfiguration,
  type FilterConfiguration,
  type FilterConfigurationEvent,
  listSubject,
} from '@rdm/contracts';
import { projectionOf } from '../engine/projection.ts';
import { rowDates } from '../tables/entry-dates.ts';
import { type FoldedTable, foldOne, type Row } from '../tables/folded-table.ts';

interface ConfigurationRow extends Row {
  id: number;
  entity_type: string;
  /** The list in `entity_type`, such as `data-set` in `data-set:12`. */
  list: string;
  /** The id in `entity_type`, such as 12 in `data-set:12`; null for a list without an id. */
  subject_id: number | null;
  field_name: string;
  field_path: string;
  field_id: number | null;
  data_type: FilterConfiguration['dataType'];
  allowed_operators: FilterConfiguration['allowedOperators'];
  default_operator: FilterConfiguration['defaultOperator'];
  validation: FilterConfiguration['validation'];
  display_name: string;
  description: string;
  is_active: boolean;
  revision: number;
  created_at: string;
  updated_at: string;
}

export const configurationRows: FoldedTable<ConfigurationRow, FilterConfigurationEvent> = {
  name: 'entity_filter_configurations',
  columns: {
    id: 'bigint',
    entity_type: 'text',
    list: 'text',
    subject_id: 'bigint',
    field_name: 'text',
    field_path: 'text',
    field_id: 'bigint',
    data_type: 'text',
    allowed_operators: 'jsonb',
    default_operator: 'text',
    validation: 'jsonb',
    display_name: 'text',
    description: 'text',
    is_active: 'boolean',
    revision: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  indexes: ['(entity_type)'],
  touchedKeys: (event) => [[event.entityId]],
  createsRows: (event) => event.type === 'FilterConfigurationCreated',
  fold: foldOne((row, event) => {
    const state = evolveFilterConfiguration(row && stateOf(row), event);
    if (state === undefined || state.deleted) return undefined;
    const subject = listSubject(state.entityType);
    return {
      id: state.id,
      entity_type: state.entityType,
      list: subject?.list ?? state.entityType,
      subject_id: subject?.subjectId ?? null,
      field_name: state.fieldName,
      field_path: state.fieldPath,
      field_id: state.fieldId,
      data_type: state.dataType,
      allowed_operators: state.allowedOperators,
      default_operator: state.defaultOperator,
      validation: state.validation,
      display_name: state.displayName,
      description: state.description,
      is_active: state.isActive,
      revision: state.revision,
      ...rowDates(row, event),
    };
  }),
};

const stateOf = (row: ConfigurationRow): FilterConfiguration => ({
  id: row.id,
  entityType: row.entity_type,
  fieldName: row.field_name,
  fieldPath: row.field_path,
  fieldId: row.field_id,
  dataType: row.data_type,
  allowedOperators: row.allowed_operators,
  defaultOperator: row.default_operator,
  validation: row.validation,
  displayName: row.display_name,
  description: row.description,
  isActive: row.is_active,
  deleted: false,
  revision: row.revision,
});

export const filterConfigurations = projectionOf(
  { name: 'filter_configurations', version: 1, categories: ['filterConfiguration'] },
  configurationRows,
);
