/** The undo history of the sheet. A step contains changed cells, added rows and deleted rows. */
import type { CellValue } from '@rdm/contracts/text/rows';
import { formatNumber } from '../../../../lib/number-format.ts';
import type { RowData } from '../../api/instances.ts';

export const cellsText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'cell' : 'cells'}`;

export interface ChangedCells {
  id: number;
  key: string;
  before: RowData;
  after: RowData;
}

/** An added or deleted row, with its revision after the step. */
export interface StepRow {
  id: number;
  key: string;
  revision: number;
  /** The values of the row, which show whether an added row was changed later. */
  data: RowData;
}

export interface Step {
  /** Describes the step in the past tense: "12 cells pasted". */
  text: string;
  cells: readonly ChangedCells[];
  added: readonly StepRow[];
  deleted: readonly StepRow[];
}

/** The inverse of a step: it deletes added rows and restores deleted ones. */
export const inverse = ({ text, cells, added, deleted }: Step): Step => ({
  text,
  cells: cells.map(({ id, key, before, after }) => ({ id, key, before: after, after: before })),
  added: deleted,
  deleted: added,
});

export interface LaterChange {
  id: number;
  key: string;
  field: string;
  /** The value that the step wrote. */
  written: CellValue;
  /** The current value. */
  now: CellValue;
  /** The value that the undo or redo would write. */
  next: CellValue;
}

/**
 * The cells whose current value is neither the value before nor the value after the step, so that an undo would
 * overwrite a later change. Omits cells whose current value is unknown.
 */
export function laterChanges(
  cells: readonly ChangedCells[],
  currentValueOf: (id: number, field: string) => CellValue | undefined,
): LaterChange[] {
  return cells.flatMap(({ id, key, before, after }) =>
    Object.entries(after).flatMap(([field, written]) => {
      const currentValue = currentValueOf(id, field);
      return currentValue === undefined || currentValue === written || currentValue === (before[field] ?? null)
        ? []
        : [{ id, key, field, written, now: currentValue, next: before[field] ?? null }];
    }),
  );
}

/** The cells of a step without the cells in `kept`, whose later changes the undo does not overwrite. */
export const withoutCells = (cells: readonly ChangedCells[], kept: readonly LaterChange[]): ChangedCells[] => {
  const keptCells = new Set(kept.map(({ id, field }) => `${id} ${field}`));
  const withoutKept = (id: number, data: RowData): RowData =>
    Object.fromEntries(Object.entries(data).filter(([field]) => !keptCells.has(`${id} ${field}`)));
  return cells
    .map(({ id, key, before, after }) => ({ id, key, before: withoutKept(id, before), after: withoutKept(id, after) }))
    .filter(({ after }) => Object.keys(after).length > 0);
};

const STEPS_MAX = 200;

/** The undo and redo stacks of the open page. */
export interface UndoHistory {
  past: readonly Step[];
  future: readonly Step[];
}

export const EMPTY_HISTORY: UndoHistory = { past: [], future: [] };

/** Adds a step and clears the redo stack. */
export const addStep = ({ past }: UndoHistory, step: Step): UndoHistory => ({
  past: [...past, step].slice(-STEPS_MAX),
  future: [],
});

/**
 * Moves the last step to the redo stack. `done` is the undone part of the last step, with the new revisions of its
 * rows.
 */
export const afterUndo = ({ past, future }: UndoHistory, done: Step): UndoHistory => ({
  past: past.slice(0, -1),
  future: [...future, done],
});

export const afterRedo = ({ past, future }: UndoHistory, done: Step): UndoHistory => ({
  past: [...past, done],
  future: future.slice(0, -1),
});
