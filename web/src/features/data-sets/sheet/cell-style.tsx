/** Styles a sheet cell: the cursor, the selection, and the marks for edited, failed and conflicting cells. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { ReactNode } from 'react';
import type { CellOverlay } from '../../../components/data-grid/index.ts';
import { cn } from '../../../components/ui/cn.ts';
import type { CellField } from '../components/cells.ts';
import { displayCell } from '../components/instance-columns.tsx';
import type { Cursor } from './cursor.ts';
import type { EditMark } from './edits/edits.ts';
import { type CellPosition, cellsIn, isIn } from './ranges.ts';

export interface CellState {
  row: InstanceView;
  /** The field of the column; undefined for a column that the system maintains. */
  field: CellField | undefined;
  position: CellPosition;
  cursor: Cursor;
  mark: { mark: EditMark; note: string | undefined } | undefined;
  text: string;
  /** The problem of the stored value, such as a wrong type. */
  problem: string | undefined;
  isLocked: boolean;
  editor: ReactNode | undefined;
}

const MARK_WORDS: Record<EditMark, string> = {
  edited: 'Not saved yet',
  failed: 'Not saved',
  conflict: 'In conflict',
};
const MARK_CLASSES: Record<EditMark, string> = {
  edited: 'before:absolute before:inset-y-0 before:left-0 before:w-[3px] before:bg-accent',
  failed:
    "before:absolute before:inset-y-0 before:left-0 before:w-[3px] before:bg-danger after:absolute after:top-0 after:right-1 after:font-semibold after:text-danger-text after:content-['!']",
  conflict:
    'after:pointer-events-none after:absolute after:inset-0 after:border-4 after:border-pending after:border-double',
};

export function cellStyle({ field, position, cursor, mark, text, problem, isLocked, editor }: CellState): CellOverlay {
  const { active, box, displayedBox } = cursor;
  const isActive = active?.row === position.row && active.column === position.column;
  const isSelected = displayedBox !== undefined && cellsIn(displayedBox) > 1 && isIn(displayedBox, position);
  const isEnd = box !== undefined && position.row === box.bottom && position.column === box.right;
  const hasHandle = isEnd && !isLocked && editor === undefined;
  const note = mark && (mark.note ?? MARK_WORDS[mark.mark]);
  return {
    className: cn(
      'relative',
      isSelected && 'bg-accent-soft',
      isActive &&
        'shadow-[inset_0_0_0_2px_var(--accent)] group-focus-visible/row:shadow-[inset_0_0_0_2px_var(--accent)]',
      mark && MARK_CLASSES[mark.mark],
      (editor !== undefined || hasHandle) && 'overflow-visible',
      editor !== undefined && 'z-[4] md:z-[4] md:in-data-sideways:z-[4]',
    ),
    attributes: {
      'data-mark': mark?.mark,
      'data-active': isActive || undefined,
      'aria-selected': isActive || isSelected || undefined,
      'aria-description': note,
    },
    content: editor ?? (field && contentOf(text, problem, note, hasHandle)),
  };
}

function contentOf(text: string, problem: string | undefined, note: string | undefined, hasHandle: boolean): ReactNode {
  return (
    <>
      <span className={cn(hasHandle && 'block overflow-hidden text-ellipsis')} title={note ?? text}>
        {displayCell(text, problem)}
      </span>
      {hasHandle && (
        <span
          data-handle
          aria-hidden="true"
          className="absolute -right-px -bottom-px z-[2] size-2 cursor-crosshair border border-surface bg-accent"
        />
      )}
    </>
  );
}
