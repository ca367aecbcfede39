/** Read model of saved filters: the views of lists that users saved. */
import { evolveSavedFilter, type FieldIds, type ListView, listSubject, type SavedFilterEvent } from '@rdm/contracts';
import { projectionOf } from '../engine/projection.ts';
import { rowDates } from '../tables/entry-dates.ts';
import { type FoldedTable, foldOne, type Row } from '../tables/folded-table.ts';

interface SavedFilterRow extends Row {
  id: number;
  name: string;
  entity: string;
  /** The parts of `entity`: `data-set` and 3 for `data-set:3`. The second part is null for a list without an id. */
  list: string;
  subject_id: number | null;
  view: ListView;
  field_ids: FieldIds;
  is_shared: boolean;
  owner_id: number;
  revision: number;
  created_at: string;
  updated_at: string;
}

export const savedFilterRows: FoldedTable<SavedFilterRow, SavedFilterEvent> = {
  name: 'saved_filters',
  columns: {
    id: 'bigint',
    name: 'text',
    entity: 'text',
    list: 'text',
    subject_id: 'bigint',
    view: 'jsonb',
    field_ids: 'jsonb',
    is_shared: 'boolean',
    owner_id: 'bigint',
    revision: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  indexes: ['(entity)', '(owner_id)'],
  touchedKeys: (event) => [[event.entityId]],
  createsRows: (event) => event.type === 'SavedFilterCreated',
  fold: foldOne((row, event) => {
    const state = evolveSavedFilter(
      row && {
        id: row.id,
        name: row.name,
        entity: row.entity,
        view: row.view,
        fieldIds: row.field_ids,
        isShared: row.is_shared,
        ownerId: row.owner_id,
        deleted: false,
        revision: row.revision,
      },
      event,
    );
    if (state === undefined || state.deleted) return undefined;
    const subject = listSubject(state.entity);
    return {
      id: state.id,
      name: state.name,
      entity: state.entity,
      list: subject?.list ?? state.entity,
      subject_id: subject?.subjectId ?? null,
      view: state.view,
      field_ids: state.fieldIds,
      is_shared: state.isShared,
      owner_id: state.ownerId,
      revision: state.revision,
      ...rowDates(row, event),
    };
  }),
};

export const savedFilters = projectionOf(
  { name: 'saved_filters', version: 2, categories: ['savedFilter'] },
  savedFilterRows,
);
