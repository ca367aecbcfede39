/** A plain table of a graph's nodes or edges: the content of the picture for users of a keyboard or screen reader. */
import type { ReactNode } from 'react';
import { cn } from '../../../components/ui/cn.ts';

export interface GraphColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
}

export interface GraphTableProps<Row> {
  caption: string;
  rows: readonly Row[];
  rowId: (row: Row) => string | number;
  /** The first column identifies the row. */
  columns: readonly GraphColumn<Row>[];
  empty: string;
}

export function GraphTable<Row>({ caption, rows, rowId, columns, empty }: GraphTableProps<Row>) {
  return (
    <div className="min-w-0">
      <h2 className="mb-1 font-semibold text-base">
        {caption} <span className="font-normal text-muted">{rows.length}</span>
      </h2>
      {rows.length === 0 ? (
        <p className="text-muted">{empty}</p>
      ) : (
        <section
          aria-label={caption}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: users must be able to scroll the table by keyboard.
          tabIndex={0}
          className="relative overflow-x-auto rounded-md border border-hairline bg-surface"
        >
          <table className="w-full text-left text-sm">
            <thead>
              <tr className="border-hairline border-b text-muted">
                {columns.map(({ header, numeric }) => (
                  <th
                    key={header}
                    scope="col"
                    className={cn('whitespace-nowrap px-3 py-2 font-medium', numeric && 'text-right')}
                  >
                    {header}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={rowId(row)} className="border-hairline border-b last:border-b-0">
                  {columns.map(({ header, cell, numeric }, index) =>
                    index === 0 ? (
                      <th key={header} scope="row" className="min-w-40 px-3 py-1.5 font-normal">
                        {cell(row)}
                      </th>
                    ) : (
                      <td key={header} className={cn('px-3 py-1.5', numeric && 'text-right tabular-nums')}>
                        {cell(row)}
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}
