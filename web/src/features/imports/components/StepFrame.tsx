/** The frame of one step: its title, its content, and the buttons back and next. */
import { ArrowLeft, ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../components/ui/button.tsx';

export interface StepFrameProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  onBack?: (() => void) | undefined;
  /** The next button; absent if the content itself continues. */
  next?: ReactNode;
}

export function StepFrame({ title, description, children, onBack, next }: StepFrameProps) {
  return (
    <section aria-labelledby="step" className="flex flex-col gap-4 rounded-md border border-hairline bg-surface p-4">
      <div>
        <h2 id="step" className="font-semibold text-lg">
          {title}
        </h2>
        {description !== undefined && <p className="text-muted">{description}</p>}
      </div>
      {children}
      {(onBack !== undefined || next !== undefined) && (
        <div className="flex flex-wrap justify-between gap-2 border-hairline border-t pt-4">
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
