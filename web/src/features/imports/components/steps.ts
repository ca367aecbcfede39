/** The steps of an import, and how far one may go with what is known. */

export const STEPS = ['target', 'file', 'columns', 'options', 'import'] as const;
export type Step = (typeof STEPS)[number];

export const STEP_WORDS: Record<Step, string> = {
  target: 'Data set',
  file: 'File',
  columns: 'Columns',
  options: 'Options',
  import: 'Import',
};

export interface Known {
  dataSet: boolean;
  file: boolean;
  /** Every key field is filled, none twice. */
  columns: boolean;
  job: boolean;
}

/** The last step that may be opened. */
export function furthest({ dataSet, file, columns, job }: Known): Step {
  if (job) return 'import';
  if (!dataSet) return 'target';
  if (!file) return 'file';
  return columns ? 'options' : 'columns';
}

/** The step to show: the one asked for, as far as it may be opened; a job that was started is always shown itself. */
export function stepToShow(asked: Step | null, known: Known): Step {
  const last = furthest(known);
  if (last === 'import') return 'import';
  if (asked === null) return last === 'options' ? 'columns' : last;
  return STEPS.indexOf(asked) > STEPS.indexOf(last) ? last : asked;
}
