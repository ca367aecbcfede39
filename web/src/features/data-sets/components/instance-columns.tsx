/** Turns the fields of a type into columns and filters for the grid of rows. Key columns come first. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { INSTANCE_LIST_FIELDS } from '@rdm/contracts/data-sets/list-fields';
import type { FilterField } from '@rdm/contracts/lists/filter';
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { DATA_TYPE_WORDS } from '@rdm/contracts/text/data-type-words';
import { type CellValue, type DataType, isOfType, orderOfEntry } from '@rdm/contracts/text/rows';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { columnsOf, type GridColumn } from '../../../components/data-grid/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { cellText } from './cells.ts';
import { TimeAndUser } from './columns.tsx';

export type RowField = Pick<SchemaFieldView, 'name' | 'dataType' | 'isPrimaryKey'>;

const TEXT_MIN_WIDTH = 160;
const KEY_WIDTH = 160;
/** Text columns share the remaining width. */
const WIDTH: Record<Exclude<DataType, 'string'>, number> = { number: 128, boolean: 104, date: 128 };

const { custom, text, number } = columnsOf<InstanceView>(INSTANCE_LIST_FIELDS);

/** Columns that every data set has. A field with the same name replaces the column, as on the server. */
const ROW_COLUMNS = [
  text('updatedAt', { cell: (row) => <TimeAndUser at={row.updatedAt} by={row.updatedBy} />, width: 176 }),
  number('revision', {
    cell: (row) => <span className="font-mono">v{row.revision}</span>,
    numeric: false,
    width: 84,
    hidden: true,
  }),
  custom('orderOfEntry', {
    cell: (row) => String(orderOfEntry(row.id)),
    value: (row) => orderOfEntry(row.id),
    code: true,
    numeric: true,
    width: 136,
    hidden: true,
  }),
];
const ROW_FILTERS = filterFields(INSTANCE_LIST_FIELDS, ['updatedAt', 'createdAt']);

export const keyFirst = <Field extends RowField>(fields: readonly Field[]): Field[] => [
  ...fields.filter((field) => field.isPrimaryKey),
  ...fields.filter((field) => !field.isPrimaryKey),
];

export function instanceColumns(fields: readonly RowField[]): GridColumn<InstanceView>[] {
  const names = new Set(fields.map(({ name }) => name));
  return [
    ...keyFirst(fields).map(({ name, dataType, isPrimaryKey }): GridColumn<InstanceView> => {
      const column: GridColumn<InstanceView> = {
        id: name,
        header: name,
        cell: (row) => displayCell(cellText(row.data[name]), typeMismatch(row.data[name], dataType)),
        code: isPrimaryKey || dataType !== 'string',
        spaced: true,
        value: (row) => row.data[name],
        sortable: true,
        numeric: dataType === 'number',
      };
      if (isPrimaryKey) return { ...column, required: true, width: KEY_WIDTH };
      return dataType === 'string' ? { ...column, minWidth: TEXT_MIN_WIDTH } : { ...column, width: WIDTH[dataType] };
    }),
    ...ROW_COLUMNS.filter(({ id }) => !names.has(id)),
  ];
}

/** The columns for deleted rows. The last change of such a row is the deletion, so its time is titled “Deleted”. */
export const deletedColumns = (fields: readonly RowField[]): GridColumn<InstanceView>[] =>
  instanceColumns(fields).map((column) => (column === ROW_COLUMNS[0] ? { ...column, header: 'Deleted' } : column));

export function instanceFilters(fields: readonly RowField[]): FilterField[] {
  const names = new Set(fields.map(({ name }) => name));
  return [
    ...keyFirst(fields).map(({ name, dataType }) => ({ name, label: name, dataType })),
    ...ROW_FILTERS.filter(({ name }) => !names.has(name)),
  ];
}

const NO_VALUE = <span className="text-muted">—</span>;

/** Shows the text of a cell on one line, with symbols for line breaks and tabs. */
export function displayText(value: string): ReactNode {
  if (value === '') return NO_VALUE;
  return value.replace(/\r\n|\r|\n/g, ' ↵ ').replaceAll('\t', ' ⇥ ');
}

/** Describes why a value does not match the current type of its field; undefined if the value matches. */
export function typeMismatch(value: CellValue | undefined, dataType: DataType): string | undefined {
  if (value === null || value === undefined || isOfType(value, dataType)) return undefined;
  return `Not ${DATA_TYPE_WORDS[dataType].one}: treated as empty`;
}

/** Shows the text of a cell. If the cell has a problem, adds an icon, and a text for screen readers. */
export function displayCell(value: string, problem: string | undefined): ReactNode {
  if (problem === undefined) return displayText(value);
  return (
    <span data-misfit className="text-pending-text" title={`${value} – ${problem}`}>
      <TriangleAlert aria-hidden="true" className="mr-1 inline size-3.5 align-[-2px]" />
      {displayText(value)}
      <span className="sr-only"> ({problem})</span>
    </span>
  );
}
