/** Describes rows that the data set refuses, because their key is already taken or unknown. */
import { displayKey, shortened } from '@rdm/contracts';
import { cellsOf, type StagedRows } from '../decider.ts';
import { type Flaw, type ImportPlan, keyFlaw, type RejectedRow, rejectedLater } from './row-validation.ts';

export function rejectedByDataSet(
  plan: ImportPlan,
  rows: StagedRows,
  refused: readonly { line: number; code: 'DUPLICATE_KEY' | 'NOT_FOUND' }[],
): RejectedRow[] {
  if (refused.length === 0) return [];
  const byLine = new Map(Array.from(rows, (row) => [row.line, row]));
  return refused.flatMap(({ line, code }) => {
    const row = byLine.get(line);
    if (!row) return [];
    const cells = cellsOf(row);
    const parts = plan.keyAt.map((at) => cells[at] ?? null);
    const key = shortened(displayKey(parts));
    const flaw: Flaw =
      code === 'DUPLICATE_KEY'
        ? {
            ...keyFlaw(plan, parts, code),
            reason: `The key "${key}" exists already in the data set`,
            fix: 'Remove the row, or import with the mode "upsert" to change the row that exists.',
          }
        : {
            ...keyFlaw(plan, parts, code),
            reason: `No row of the data set has the key "${key}"`,
            fix: 'Correct the key, or import with the mode "upsert" to add the row.',
          };
    return [rejectedLater(plan, row, flaw)];
  });
}
