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
  /** Whether the file was read. */
  file: boolean;
  /** Whether all questions are answered that must be before the rows can be checked. */
  content: boolean;
  job: boolean;
}

/** The last step that can be opened. */
export function lastOpenStep({ file, content, job }: StepProgress): Step {
  if (job) return 'result';
  if (!file) return 'file';
  return content ? 'check' : 'content';
}

/** The step to display: the requested one if it can be opened; after the start always the result. */
export function stepToShow(requested: Step | null, known: StepProgress): Step {
  const last = lastOpenStep(known);
  if (last === 'result') return 'result';
  if (requested === null) return last === 'check' ? 'content' : last;
  return STEPS.indexOf(requested) > STEPS.indexOf(last) ? last : requested;
}
