/** The steps of an import, and which of them can be opened. */

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
  /** Every key field has a column, and no field has two. */
  columns: boolean;
  job: boolean;
}

/** The last step that can be opened. */
export function lastOpenStep({ dataSet, file, columns, job }: Known): Step {
  if (job) return 'import';
  if (!dataSet) return 'target';
  if (!file) return 'file';
  return columns ? 'options' : 'columns';
}

/** The step to display: the requested one if it can be opened; a started job always displays itself. */
export function stepToShow(requested: Step | null, known: Known): Step {
  const last = lastOpenStep(known);
  if (last === 'import') return 'import';
  if (requested === null) return last === 'options' ? 'columns' : last;
  return STEPS.indexOf(requested) > STEPS.indexOf(last) ? last : requested;
}
