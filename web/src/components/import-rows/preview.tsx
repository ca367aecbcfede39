/** The preview of an import: notes, and the rows in one tab per outcome (new, changed, unchanged, invalid). */
import {
  IMPORT_OUTCOMES,
  type ImportedRow,
  type ImportOutcome,
  type ImportPreview,
} from '@rdm/contracts/jobs/row-imports';
import { type ReactNode, useState } from 'react';
import { formatNumber } from '../../lib/number-format.ts';
import { Alert } from '../ui/alert.tsx';
import { Tabs } from '../ui/tabs.tsx';

const headClasses = 'border-hairline border-b bg-canvas px-2 py-1.5 text-left font-medium text-muted text-xs';
export const cellClasses = 'border-hairline border-b px-2 py-1.5 align-top';
export const valueClasses = 'whitespace-pre-wrap break-words font-mono';

const OUTCOME_WORDS: Record<ImportOutcome, string> = {
  new: 'New',
  changed: 'Changed',
  unchanged: 'Unchanged',
  invalid: 'Invalid',
};
const NO_ROWS_TEXTS: Record<ImportOutcome, string> = {
  new: 'No row is new.',
  changed: 'No row changes existing data.',
  unchanged: 'No unchanged rows.',
  invalid: 'Every row can be imported.',
};

export interface RowsPreviewProps<Row extends ImportedRow> {
  preview: ImportPreview<Row>;
  /** The headers of the columns after the row number. The tab of invalid rows has fixed columns. */
  heads: readonly string[];
  /** Renders the cells of these columns as `<td>` elements. */
  cellsOf: (row: Row) => ReactNode;
}

export function RowsPreview<Row extends ImportedRow>({ preview, heads, cellsOf }: RowsPreviewProps<Row>) {
  const { counts, rows, remarks } = preview;
  const [outcome, setOutcome] = useState<ImportOutcome>(
    () => (['invalid', 'changed', 'new'] as const).find((each) => counts[each] > 0) ?? 'unchanged',
  );
  const rowsOfOutcome = rows.filter((row) => row.outcome === outcome);
  return (
    <div className="flex min-h-0 flex-col gap-3">
      {remarks.length > 0 && (
        <Alert tone="info" title="Notes">
          <ul className="flex flex-col gap-0.5">
            {remarks.map(({ text, count, row }) => (
              <li key={text}>
                {text}
                {count > 0 && ` (${count === 1 ? `row ${row}` : `${formatNumber(count)} rows, the first is ${row}`})`}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      <Tabs
        label="Rows of the file"
        value={outcome}
        onValueChange={setOutcome}
        tabs={IMPORT_OUTCOMES.map((value) => ({
          value,
          label: OUTCOME_WORDS[value],
          count: formatNumber(counts[value]),
        }))}
      >
        {rowsOfOutcome.length === 0 ? (
          <p className="py-4 text-center text-muted">{NO_ROWS_TEXTS[outcome]}</p>
        ) : (
          <div className="overflow-x-auto rounded-md border border-hairline">
            <table className="w-full border-separate border-spacing-0 text-sm">
              <caption className="sr-only">{OUTCOME_WORDS[outcome]} rows</caption>
              <thead>
                <tr>
                  {(outcome === 'invalid' ? ['Row', 'Column', 'Value', 'Problem and solution'] : ['Row', ...heads]).map(
                    (head) => (
                      <th key={head} scope="col" className={headClasses}>
                        {head}
                      </th>
                    ),
                  )}
                </tr>
              </thead>
              <tbody>
                {rowsOfOutcome.map((row) =>
                  outcome === 'invalid' ? (
                    <Problems key={row.row} row={row} />
                  ) : (
                    <tr key={row.row}>
                      <td className={`${cellClasses} text-muted tabular-nums`}>{formatNumber(row.row)}</td>
                      {cellsOf(row)}
                    </tr>
                  ),
                )}
              </tbody>
            </table>
          </div>
        )}
        {counts[outcome] > rowsOfOutcome.length && (
          <p className="mt-2 text-muted text-xs">and {formatNumber(counts[outcome] - rowsOfOutcome.length)} more</p>
        )}
      </Tabs>
    </div>
  );
}

/** The problems of a row, one per line. */
function Problems({ row: { row, problems } }: { row: ImportedRow }) {
  return problems.map(({ column, value, rule, fix }, index) => (
    <tr key={`${column} ${rule}`}>
      <td className={`${cellClasses} text-muted tabular-nums`}>{index === 0 && formatNumber(row)}</td>
      <td className={`${cellClasses} break-words font-mono text-xs`}>{column === '' ? '–' : column}</td>
      <td className={`${cellClasses} ${valueClasses}`}>
        {value === '' ? <span className="font-sans text-muted">{column === '' ? '–' : 'empty'}</span> : value}
      </td>
      <td className={`${cellClasses} min-w-48`}>
        {rule}
        <span className="block text-muted text-xs">{fix}</span>
      </td>
    </tr>
  ));
}
