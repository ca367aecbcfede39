/**
 * The state of a target value in one source system: agree, conflict, broken or absent. An icon and, for screen readers,
 * a word show the state, because colour alone is not enough.
 */

import type { ComparedCell as Cell, CellState } from '@rdm/contracts/crosswalks/comparison';
import { CircleCheck, CircleDashed, TriangleAlert, Unlink } from 'lucide-react';
import { Link } from 'react-router-dom';
import { cn } from '../../../../components/ui/cn.ts';
import { NO_ROW } from '../mappings/mapping-columns.tsx';

export const STATE_WORDS: Record<CellState, string> = {
  agree: 'Agree',
  conflict: 'Conflict',
  broken: 'Broken source',
  absent: 'Absent',
};

const MARKS = {
  agree: { icon: CircleCheck, classes: 'text-approved-text' },
  conflict: { icon: TriangleAlert, classes: 'text-pending-text' },
  broken: { icon: Unlink, classes: 'text-pending-text' },
  absent: { icon: CircleDashed, classes: 'text-muted' },
} as const;

export function StateMark({ state }: { state: CellState }) {
  const { icon: Icon, classes } = MARKS[state];
  return (
    <>
      <Icon aria-hidden="true" className={`size-3.5 shrink-0 ${classes}`} />
      <span className="sr-only">{STATE_WORDS[state]}: </span>
    </>
  );
}

export interface ComparedCellProps {
  cell: Cell | undefined;
  /** Opens the dialog that maps an empty cell; undefined if the user may not map values. */
  onMap: (() => void) | undefined;
}

export function ComparedCell({ cell, onMap }: ComparedCellProps) {
  if (cell === undefined) return null;
  const { state, mappings } = cell;
  if (state === 'absent') {
    return (
      <span className="inline-flex items-center gap-1.5 text-muted">
        <StateMark state={state} />
        {onMap === undefined ? (
          '—'
        ) : (
          <button type="button" tabIndex={-1} className="underline underline-offset-2 hover:text-ink" onClick={onMap}>
            Map…
          </button>
        )}
      </span>
    );
  }
  return (
    <ul className="flex flex-col">
      {mappings.map(({ mappingId, crosswalkId, sourceValue, otherTargets, sourceMissing }) => (
        <li key={mappingId} className="flex items-center gap-1.5">
          <StateMark state={otherTargets.length > 0 ? 'conflict' : sourceMissing ? 'broken' : 'agree'} />
          <Link
            to={`/crosswalks/${crosswalkId}/mappings?tab=approved&q=${encodeURIComponent(sourceValue)}`}
            className={cn('font-mono underline-offset-2 hover:underline', sourceMissing && 'line-through')}
            title={sourceMissing ? NO_ROW : undefined}
          >
            {sourceValue}
          </Link>
          {sourceMissing && otherTargets.length > 0 && <span className="sr-only">({NO_ROW})</span>}
          {otherTargets.length > 0 && (
            <span className="text-pending-text text-xs">
              also <span className="font-mono">{otherTargets.join(', ')}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The cell as text; empty if the target value is absent. */
export function cellText(cell: Cell | undefined): string {
  if (cell === undefined || cell.state === 'absent') return '';
  return cell.mappings
    .map(({ sourceValue, otherTargets, sourceMissing }) => {
      const notes = [
        ...(otherTargets.length > 0 ? [`conflict: also ${otherTargets.join(', ')}`] : []),
        ...(sourceMissing ? ['broken source'] : []),
      ];
      return notes.length === 0 ? sourceValue : `${sourceValue} (${notes.join('; ')})`;
    })
    .join('; ');
}
