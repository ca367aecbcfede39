/** Shows what an import would do before anything is sent: how many rows of each kind, what is worth knowing, the rows. */
import type { ImportedMapping, MappingImportPreview } from '@rdm/contracts/mapping-exchange';
import { IMPORT_OUTCOMES, type ImportOutcome } from '@rdm/contracts/row-imports';
import { useState } from 'react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { grouped } from '../../../lib/grouped.ts';
import { Confidence } from './Confidence.tsx';

const headClasses = 'border-hairline border-b bg-canvas px-2 py-1.5 text-left font-medium text-muted text-xs';
const cellClasses = 'border-hairline border-b px-2 py-1.5 align-top';
const valueClasses = 'whitespace-pre-wrap break-words font-mono';

const OUTCOME_WORDS: Record<ImportOutcome, string> = {
  new: 'New',
  changed: 'Changed',
  unchanged: 'Unchanged',
  invalid: 'Invalid',
};
const NOTHING: Record<ImportOutcome, string> = {
  new: 'No row is new.',
  changed: 'No row changes a mapping that is there.',
  unchanged: 'No row says what is there already.',
  invalid: 'Every row can be taken.',
};

export function ImportPreview({ preview }: { preview: MappingImportPreview }) {
  const { counts, rows, remarks } = preview;
  const [outcome, setOutcome] = useState<ImportOutcome>(
    () => (['invalid', 'changed', 'new'] as const).find((each) => counts[each] > 0) ?? 'unchanged',
  );
  const listed = rows.filter((row) => row.outcome === outcome);
  return (
    <div className="flex min-h-0 flex-col gap-3">
      {remarks.length > 0 && (
        <Alert tone="info" title="Worth knowing">
          <ul className="flex flex-col gap-0.5">
            {remarks.map(({ text, count, row }) => (
              <li key={text}>
                {text}
                {count > 0 && ` (${count === 1 ? `row ${row}` : `${grouped(count)} rows, the first is ${row}`})`}
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
          count: grouped(counts[value]),
        }))}
      >
        {listed.length === 0 ? (
          <p className="py-4 text-center text-muted">{NOTHING[outcome]}</p>
        ) : (
          <div className="overflow-x-auto rounded-md border border-hairline">
            <table className="w-full border-separate border-spacing-0 text-sm">
              <caption className="sr-only">{OUTCOME_WORDS[outcome]} rows</caption>
              <thead>
                <tr>
                  {(outcome === 'invalid'
                    ? ['Row', 'Column', 'Value', 'What is wrong, and what to do']
                    : ['Row', 'Source', 'Target', 'Confidence']
                  ).map((head) => (
                    <th key={head} scope="col" className={headClasses}>
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {listed.map((row) =>
                  outcome === 'invalid' ? <Problems key={row.row} row={row} /> : <Pair key={row.row} row={row} />,
                )}
              </tbody>
            </table>
          </div>
        )}
        {counts[outcome] > listed.length && (
          <p className="mt-2 text-muted text-xs">and {grouped(counts[outcome] - listed.length)} more</p>
        )}
      </Tabs>
    </div>
  );
}

function Pair({ row: { row, sourceValue, targetValue, confidence, before } }: { row: ImportedMapping }) {
  const isOther = before !== null && before.targetValue !== targetValue;
  const isSurer = before !== null && before.confidence !== confidence;
  return (
    <tr>
      <td className={`${cellClasses} text-muted tabular-nums`}>{grouped(row)}</td>
      <td className={`${cellClasses} ${valueClasses} min-w-20`}>{sourceValue}</td>
      <td className={`${cellClasses} ${valueClasses} min-w-20`}>
        {isOther && (
          <del className="block text-muted">
            <span className="sr-only">Until now </span>
            {before.targetValue}
          </del>
        )}
        {targetValue}
      </td>
      <td className={cellClasses}>
        {isSurer && <span className="block text-muted text-xs">was {before.confidence}%</span>}
        <Confidence value={confidence} />
      </td>
    </tr>
  );
}

/** A row may have several problems: each is a line. */
function Problems({ row: { row, problems } }: { row: ImportedMapping }) {
  return problems.map(({ column, value, rule, fix }, index) => (
    <tr key={`${column} ${rule}`}>
      <td className={`${cellClasses} text-muted tabular-nums`}>{index === 0 && grouped(row)}</td>
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
