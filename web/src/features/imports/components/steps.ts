/** The steps of an import, and which of them can be opened. */

export const STEPS = ['file', 'content', 'check', 'result'] as const;
export type Step = (typeof STEPS)[number];

export const STEP_WORDS: Record<Step, string> = {
  file: 'File',
  content: 'Content',
  check: 'Check',
  result: 'Result',
};

export interface StepProgress {
  /** Whether the file is read. */
  file: boolean;
  /** Whether all questions that must be answered before the check of the rows are answered. */
  content: boolean;
  /** Whether the import has started. */
  job: boolean;
}

/** The last step that can be opened. */
export function lastOpenStep({ file, content, job }: StepProgress): Step {
  if (job) return 'result';
  if (!file) return 'file';
  return content ? 'check' : 'content';
}

/** The step to display: the requested step if it can be opened. After the start, always the result. */
export function stepToShow(requested: Step | null, progress: StepProgress): Step {
  const last = lastOpenStep(progress);
  if (last === 'result') return 'result';
  if (requested === null) return last === 'check' ? 'content' : last;
  return STEPS.indexOf(requested) > STEPS.indexOf(last) ? last : requested;
}
