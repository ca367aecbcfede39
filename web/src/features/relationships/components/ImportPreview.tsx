/** Shows what was read before anything is sent: what each column holds, the first rows, and those that cannot be read. */
import type { RelationshipView } from '@rdm/contracts/relationships';
import { Alert } from '../../../components/ui/alert.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Select } from '../../../components/ui/select.tsx';
import { attributeUse, type ColumnUse, type ParsedValue } from './parse-values.ts';
import { valuesText } from './words.ts';

const SHOWN = 8;
const PROBLEMS_SHOWN = 20;

export interface ImportPreviewProps {
  relationship: RelationshipView;
  rows: readonly (readonly string[])[];
  named: boolean;
  uses: readonly ColumnUse[];
  onUses: (uses: ColumnUse[]) => void;
  parsed: readonly ParsedValue[];
}

export function ImportPreview({ relationship, rows, named, uses, onUses, parsed }: ImportPreviewProps) {
  const header = rows[0] ?? [];
  const bad = parsed.filter((row) => row.problem !== undefined);
  const problems = new Map(bad.map((row) => [row.row, row.problem]));
  const options: { value: ColumnUse; label: string }[] = [
    { value: 'source', label: `Source: ${relationship.sourceName}` },
    { value: 'target', label: `Target: ${relationship.targetName}` },
    ...relationship.attributes.map(({ name }) => ({ value: attributeUse(name), label: name })),
    { value: 'ignore', label: 'Ignored' },
  ];

  /** A use belongs to one column: where it was before, it is free again. */
  const choose = (column: number, use: ColumnUse) =>
    onUses(
      uses.map((before, index) => (index === column ? use : use !== 'ignore' && before === use ? 'ignore' : before)),
    );

  return (
    <>
      <p role="status">
        {valuesText(parsed.length - bad.length)} can be added
        {bad.length > 0 && `, ${valuesText(bad.length)} cannot be read`}.
      </p>
      <div className="overflow-x-auto rounded-md border border-hairline">
        <table className="w-full text-sm" aria-label="First rows">
          <thead>
            <tr className="bg-hover text-left">
              <th scope="col" className="px-2 py-1.5 font-normal text-muted text-xs">
                Row
              </th>
              {header.map((cell, column) => (
                <th key={column} scope="col" className="min-w-40 px-2 py-1.5 align-bottom font-normal">
                  {named && <span className="block truncate font-mono text-muted text-xs">{cell}</span>}
                  <Select
                    className="w-full"
                    aria-label={`Column ${column + 1} holds`}
                    value={uses[column] ?? 'ignore'}
                    onValueChange={(use) => choose(column, use)}
                    options={options}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(named ? 1 : 0, SHOWN + (named ? 1 : 0)).map((row, index) => {
              const place = index + (named ? 2 : 1);
              return (
                <tr key={place} className={cn('border-hairline border-t', problems.has(place) && 'bg-danger-soft')}>
                  <td className="px-2 py-1 text-muted tabular-nums">{place}</td>
                  {header.map((_, column) => (
                    <td
                      key={column}
                      className={cn(
                        'max-w-60 truncate px-2 py-1 font-mono',
                        uses[column] === 'ignore' && 'text-muted line-through',
                      )}
                    >
                      {row[column]}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {bad.length > 0 && (
        <Alert tone="warning" title="These are left out">
          <ul>
            {bad.slice(0, PROBLEMS_SHOWN).map(({ row, problem }) => (
              <li key={row}>
                Row {row}: {problem}
              </li>
            ))}
          </ul>
          {bad.length > PROBLEMS_SHOWN && <p>and {bad.length - PROBLEMS_SHOWN} more</p>}
        </Alert>
      )}
    </>
  );
}
