/** What one source system says of a target value: agree, conflict or absent, by shape and word and then by colour. */
import { CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { ComparedCell as Cell, CellState } from '../api/comparison.ts';

export const STATE_WORDS: Record<CellState, string> = { agree: 'Agree', conflict: 'Conflict', absent: 'Absent' };

const MARKS = {
  agree: { icon: CircleCheck, classes: 'text-approved-text' },
  conflict: { icon: TriangleAlert, classes: 'text-pending-text' },
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
  /** Maps the empty cell; absent where one may not. */
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
      {mappings.map(({ mappingId, crosswalkId, sourceValue, otherTargets }) => (
        <li key={mappingId} className="flex items-center gap-1.5">
          <StateMark state={otherTargets.length > 0 ? 'conflict' : 'agree'} />
          <Link
            to={`/crosswalks/${crosswalkId}/mappings?tab=approved&q=${encodeURIComponent(sourceValue)}`}
            className="font-mono underline-offset-2 hover:underline"
          >
            {sourceValue}
          </Link>
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

/** The cell as a file says it. */
export function cellText(cell: Cell | undefined): string {
  if (cell === undefined || cell.state === 'absent') return '';
  return cell.mappings
    .map(({ sourceValue, otherTargets }) =>
      otherTargets.length === 0 ? sourceValue : `${sourceValue} (conflict: also ${otherTargets.join(', ')})`,
    )
    .join('; ');
}
