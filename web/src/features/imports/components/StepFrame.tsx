/** The frame of one step of an import: the title, the content, and the buttons Back and Next. */
import { ArrowLeft, ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../components/ui/button.tsx';

export interface StepFrameProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  onBack?: (() => void) | undefined;
  /** The button that continues, such as Next. */
  next?: ReactNode;
}

/** The id of the heading that gets the focus when the step changes. */
export const STEP_HEADING_ID = 'step';

export function StepFrame({ title, description, children, onBack, next }: StepFrameProps) {
  return (
    <section
      aria-labelledby={STEP_HEADING_ID}
      className="flex flex-col gap-4 rounded-md border border-hairline bg-surface p-4"
    >
      <div>
        <h2 id={STEP_HEADING_ID} tabIndex={-1} className="break-words font-semibold text-lg outline-none">
          {title}
        </h2>
        {description !== undefined && <p className="break-words text-muted">{description}</p>}
      </div>
      {children}
      {(onBack !== undefined || next !== undefined) && (
        <div className="sticky bottom-0 z-10 -mx-4 -mb-4 flex flex-wrap justify-between gap-2 rounded-b-md border-hairline border-t bg-surface px-4 py-3">
          {onBack === undefined ? (
            <span />
          ) : (
            <Button variant="ghost" onClick={onBack}>
              <ArrowLeft />
              Back
            </Button>
          )}
          {next}
        </div>
      )}
    </section>
  );
}

export function NextButton({ disabled = false, onClick }: { disabled?: boolean; onClick: () => void }) {
  return (
    <Button variant="primary" disabled={disabled} onClick={onClick}>
      Next
      <ArrowRight />
    </Button>
  );
}
