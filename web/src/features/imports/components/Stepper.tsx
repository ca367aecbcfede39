/** The steps of an import in a numbered line, marked as done, current or upcoming. */
import { Check } from 'lucide-react';
import { cn } from '../../../components/ui/cn.ts';
import { STEP_WORDS, type Step } from './steps.ts';

export interface StepperProps {
  steps: readonly Step[];
  current: Step;
  /** The steps that the user can open. */
  openable: ReadonlySet<Step>;
  onOpen: (step: Step) => void;
}

export function Stepper({ steps, current, openable, onOpen }: StepperProps) {
  const currentIndex = steps.indexOf(current);
  return (
    <nav aria-label="Steps" className="mb-4">
      <ol className="flex flex-wrap gap-x-1 gap-y-2">
        {steps.map((step, index) => {
          const isDone = index < currentIndex;
          return (
            <li key={step} className="flex items-center gap-1">
              {index > 0 && <span aria-hidden="true" className="h-px w-4 bg-control sm:w-8" />}
              <button
                type="button"
                aria-current={step === current ? 'step' : undefined}
                disabled={step !== current && !openable.has(step)}
                onClick={() => onOpen(step)}
                className={cn(
                  'flex items-center gap-2 rounded-md px-2 py-1 text-sm enabled:hover:bg-hover disabled:cursor-default',
                  step === current ? 'font-medium text-ink' : 'text-muted',
                )}
              >
                <span
                  className={cn(
                    'flex size-5 items-center justify-center rounded-full border text-xs tabular-nums',
                    step === current && 'border-accent bg-accent text-accent-ink',
                    isDone && 'border-accent text-accent',
                    !isDone && step !== current && 'border-control',
                  )}
                >
                  {isDone ? <Check aria-label="Done:" className="size-3" /> : index + 1}
                </span>
                <span className={cn(step !== current && 'max-sm:sr-only')}>{STEP_WORDS[step]}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
