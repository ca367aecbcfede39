/** Columns for a list of deleted records: their last state, and who deleted them when. */
import type { GridColumn } from '../data-grid/index.ts';
import { Person } from '../people/index.tsx';
import { RelativeTime } from '../timeline/index.tsx';

interface DeletedRecord {
  name: string;
  /** The last change is the deletion. */
  updatedBy: number | null;
  updatedAt: string;
}

/** `kept` are the columns of the list of existing records that are still meaningful. */
export const deletedColumns = <Row extends DeletedRecord>(
  kept: readonly GridColumn<Row>[],
): readonly GridColumn<Row>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: (row) => row.name,
    value: (row) => row.name,
    sortable: true,
    required: true,
    minWidth: 160,
    wrap: true,
  },
  ...kept,
  {
    id: 'updatedBy',
    header: 'Deleted by',
    cell: (row) => <Person id={row.updatedBy} />,
    value: (row) => row.updatedBy,
    width: 132,
  },
  {
    id: 'updatedAt',
    header: 'Deleted',
    cell: (row) => <RelativeTime at={row.updatedAt} />,
    value: (row) => row.updatedAt,
    sortable: true,
    width: 132,
  },
];
