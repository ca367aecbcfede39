/** What was done to rows and how it is taken back: cells changed, rows added, rows deleted, as one step each. */
import type { CellValue } from '@rdm/contracts/text/rows';
import { grouped } from '../../../../lib/number-format.ts';
import type { RowData } from '../../api/instances.ts';

export const cellsText = (count: number): string => `${grouped(count)} ${count === 1 ? 'cell' : 'cells'}`;

export interface ChangedCells {
  id: number;
  key: string;
  before: RowData;
  after: RowData;
}

/** A row with the revision that an added one got, or that its deletion led to. */
export interface StepRow {
  id: number;
  key: string;
  revision: number;
  /** What an added row was added with: whether somebody worked on it since. */
  data: RowData;
}

export interface Step {
  /** In the past tense: "12 cells pasted". */
  text: string;
  cells: readonly ChangedCells[];
  added: readonly StepRow[];
  deleted: readonly StepRow[];
}

/** The step that takes another back. Added rows are deleted by it, and deleted ones come back. */
export const inverse = ({ text, cells, added, deleted }: Step): Step => ({
  text,
  cells: cells.map(({ id, key, before, after }) => ({ id, key, before: after, after: before })),
  added: deleted,
  deleted: added,
});

export interface Overwritten {
  id: number;
  key: string;
  field: string;
  /** What the step left there, and what is there now. */
  left: CellValue;
  now: CellValue;
  /** What taking the step back would write. */
  next: CellValue;
}

/** Cells that were written again since the step: taking it back would overwrite that work. */
export function laterWork(
  cells: readonly ChangedCells[],
  now: (id: number, field: string) => CellValue | undefined,
): Overwritten[] {
  return cells.flatMap(({ id, key, before, after }) =>
    Object.entries(after).flatMap(([field, left]) => {
      const held = now(id, field);
      return held === undefined || held === left || held === (before[field] ?? null)
        ? []
        : [{ id, key, field, left, now: held, next: before[field] ?? null }];
    }),
  );
}

/** The step without the cells named: those stay as later work left them. */
export const without = (cells: readonly ChangedCells[], kept: readonly Overwritten[]): ChangedCells[] => {
  const names = new Set(kept.map(({ id, field }) => `${id} ${field}`));
  const rest = (id: number, data: RowData): RowData =>
    Object.fromEntries(Object.entries(data).filter(([field]) => !names.has(`${id} ${field}`)));
  return cells
    .map(({ id, key, before, after }) => ({ id, key, before: rest(id, before), after: rest(id, after) }))
    .filter(({ after }) => Object.keys(after).length > 0);
};

const STEPS_MAX = 200;

/** The steps of one sitting: those that can be taken back, and those that can be done again. */
export interface Steps {
  past: readonly Step[];
  future: readonly Step[];
}

export const noSteps: Steps = { past: [], future: [] };

/** Something new was done: what was taken back before cannot be done again. */
export const did = ({ past }: Steps, step: Step): Steps => ({ past: [...past, step].slice(-STEPS_MAX), future: [] });

/** `done` is the step as it can be done again: rows have other revisions by then. */
export const undid = ({ past, future }: Steps, done: Step): Steps => ({
  past: past.slice(0, -1),
  future: [...future, done],
});

export const redid = ({ past, future }: Steps, done: Step): Steps => ({
  past: [...past, done],
  future: future.slice(0, -1),
});
