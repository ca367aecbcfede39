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
  /** Whether the file has been read. */
  file: boolean;
  /** Whether the rows can be checked: the settings are complete, and the target is an existing or new data set. */
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

/**
 * Returns the requested step, or the last open step if the requested step is later. Without a requested step, Content
 * is displayed instead of Check. A started import always displays Result.
 */
export function stepToShow(requested: Step | null, progress: StepProgress): Step {
  const last = lastOpenStep(progress);
  if (last === 'result') return 'result';
  if (requested === null) return last === 'check' ? 'content' : last;
  return STEPS.indexOf(requested) > STEPS.indexOf(last) ? last : requested;
}
