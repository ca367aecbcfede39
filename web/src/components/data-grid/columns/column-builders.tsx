/** Builds the columns of a list. */
import type { ListFields } from '@rdm/contracts/lists/list-field';
import type { VersionStatus } from '@rdm/contracts/review/approval';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { formatNumber } from '../../../lib/number-format.ts';
import { Person } from '../../people/index.tsx';
import { StatusBadge } from '../../status-badge/index.tsx';
import { RelativeTime } from '../../timeline/index.tsx';
import type { GridColumn } from '../types.ts';

/** Overrides of the defaults of a builder, such as the header, the cell or `sortable`. */
type ColumnOptions<Row> = Partial<Omit<GridColumn<Row>, 'id'>>;

/** The names of the row properties whose values have the type `Value`. */
type KeyOf<Row, Value> = { [Key in keyof Row]-?: Row[Key] extends Value ? Key : never }[keyof Row] & string;

/** A muted text, for example in a cell without a value. */
export const muted = (text: string): ReactNode => <span className="text-muted">{text}</span>;
export const NONE = muted('—');

export const linkClasses = 'text-accent underline-offset-2 hover:underline';

/**
 * Returns builders for the columns of one list. If `fields` has the id of a column, the column is sortable and its
 * header is the `pageLabel` of the field, unless the options override this.
 */
export function columnsOf<Row>(fields: ListFields = {}) {
  /** A column with a custom cell. Exports contain the column only if `value` is given. Throws without a header. */
  function custom(id: string, options: ColumnOptions<Row> & Pick<GridColumn<Row>, 'cell'>): GridColumn<Row> {
    const field = fields[id];
    const header = options.header ?? field?.pageLabel;
    if (header === undefined) throw new Error(`The column ${id} needs a header: the list has no such field`);
    return { id, sortable: field !== undefined, ...options, header };
  }

  /** A column that shows one property and exports its value. */
  function property<Value>(
    id: string,
    cell: (value: Value, row: Row) => ReactNode,
    options: ColumnOptions<Row> = {},
  ): GridColumn<Row> {
    const read = (row: Row) => row[id as keyof Row] as Value;
    return custom(id, { cell: (row) => cell(read(row), row), value: read, ...options });
  }

  return {
    custom,

    /** Plain text. */
    text: (id: KeyOf<Row, string | null | undefined>, options?: ColumnOptions<Row>) =>
      property<string | null | undefined>(id, (text) => text ?? '', options),

    /** The name of the record in bold. The column cannot be hidden. */
    name: (id: KeyOf<Row, string>, options?: ColumnOptions<Row>) =>
      property<string>(id, (name) => <span className="font-medium">{name}</span>, { required: true, ...options }),

    /** The name of the record as a link to the record, with an optional tooltip. The column cannot be hidden. */
    link: (
      id: KeyOf<Row, string>,
      { to, title, ...options }: ColumnOptions<Row> & { to: (row: Row) => string; title?: (row: Row) => string },
    ) =>
      property<string>(
        id,
        (name, row) => (
          <Link to={to(row)} title={title?.(row)} className={`font-medium ${linkClasses}`}>
            {name}
          </Link>
        ),
        { required: true, ...options },
      ),

    /** A code, a path or an identifier in a monospaced font. */
    code: (id: KeyOf<Row, string | number | null | undefined>, options?: ColumnOptions<Row>) =>
      property<ReactNode>(id, (code) => <span className="font-mono">{code}</span>, options),

    /** A number without thousands separators: a position, a line of a file. */
    number: (id: KeyOf<Row, number | null>, options?: ColumnOptions<Row>) =>
      property<number | null>(id, (number) => number, { numeric: true, ...options }),

    /** A count with thousands separators, such as 12,345. */
    count: (id: KeyOf<Row, number>, options?: ColumnOptions<Row>) =>
      property<number>(id, formatNumber, { numeric: true, ...options }),

    /** A count that is often zero. Zero is shown as a dash. */
    countOrDash: (id: KeyOf<Row, number>, options?: ColumnOptions<Row>) =>
      property<number>(id, (count) => (count === 0 ? '–' : formatNumber(count)), { numeric: true, ...options }),

    /** An instant as a relative time, such as “2 hours ago”. Without an instant, the cell shows `none`. */
    time: (
      id: KeyOf<Row, string | null | undefined>,
      { none = NONE, ...options }: ColumnOptions<Row> & { none?: ReactNode } = {},
    ) => property<string | null | undefined>(id, (at) => (at ? <RelativeTime at={at} /> : none), options),

    /**
     * The name of a user. Without an id, the cell shows `none` or “System”. The page must load the names with `NamesOf`.
     * By default, the column is not exported and not sortable, because its values are ids.
     */
    person: (id: KeyOf<Row, number | null>, { none, ...options }: ColumnOptions<Row> & { none?: ReactNode } = {}) =>
      custom(id, {
        cell: (row) => (row[id] === null && none !== undefined ? none : <Person id={row[id] as number | null} />),
        sortable: false,
        ...options,
      }),

    /** An approval status as a badge. */
    status: (id: KeyOf<Row, VersionStatus | null>, options?: ColumnOptions<Row>) =>
      property<VersionStatus | null>(
        id,
        (status) => (status === null ? NONE : <StatusBadge status={status} />),
        options,
      ),
  };
}
