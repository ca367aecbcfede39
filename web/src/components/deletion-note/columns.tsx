/** Columns for a list of deleted records: their last state, the user who deleted them, and the time of the deletion. */
import { columnsOf, type GridColumn } from '../data-grid/index.ts';

interface DeletedRecord {
  name: string;
  /** The user who deleted the record, because the last change of a deleted record is its deletion. */
  updatedBy: number | null;
  updatedAt: string;
}

const { text, person, time } = columnsOf<DeletedRecord>();

/** `otherColumns` are the columns of the list of existing records that also apply to deleted records. */
export const deletedColumns = <Row extends DeletedRecord>(
  otherColumns: readonly GridColumn<Row>[],
): readonly GridColumn<Row>[] => [
  text('name', { header: 'Name', sortable: true, required: true, minWidth: 160, wrap: true }),
  ...otherColumns,
  person('updatedBy', { header: 'Deleted by', value: ({ updatedBy }) => updatedBy, width: 132 }),
  time('updatedAt', { header: 'Deleted', sortable: true, width: 132 }),
];
