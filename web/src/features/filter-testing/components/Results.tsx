/** The result of a filter test: number of rows, duration, cost, and the first rows. */
import { FILTER_TEST_ROWS, type FilterTestView } from '@rdm/contracts/filters/filter-configurations';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { Figures } from '../../../components/page/index.tsx';
import { cellsOf } from './cells.ts';

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export function Results({ result }: { result: FilterTestView }) {
  const { items, total, milliseconds, cost } = result;
  const count = typeof total === 'number' ? total : total.atLeast;
  const { columns, rows } = cellsOf(items);
  return (
    <>
      <Figures
        figures={[
          { label: 'Rows', value: typeof total === 'number' ? count : `${number.format(count)}+` },
          { label: 'Time', value: `${number.format(milliseconds)} ms` },
          { label: 'Cost of the query plan', value: number.format(cost) },
        ]}
      />
      {rows.length === 0 ? (
        <EmptyState title="Nothing matches" description="No row of the list matches this filter." />
      ) : (
        <>
          <p className="mb-1 text-muted text-xs">
            {count > rows.length ? `The first ${FILTER_TEST_ROWS} rows` : 'All rows'}, as the list returns them
          </p>
          <section
            aria-label="Rows found"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: users must be able to scroll the table by keyboard
            tabIndex={0}
            className="max-h-[28rem] overflow-auto rounded-md border border-hairline"
          >
            <table className="w-full border-collapse text-sm">
              <thead className="sticky top-0 bg-canvas">
                <tr>
                  {columns.map((column) => (
                    <th
                      key={column}
                      scope="col"
                      className="whitespace-nowrap border-hairline border-b px-2 py-1.5 text-left font-medium text-muted text-xs"
                    >
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody className="bg-surface">
                {rows.map((cells, index) => (
                  <tr key={index} className="border-hairline border-b last:border-b-0">
                    {cells.map((cell, position) => (
                      <td
                        key={columns[position]}
                        title={cell}
                        className="max-w-64 truncate px-2 py-1 font-mono text-xs"
                      >
                        {cell}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </>
  );
}
