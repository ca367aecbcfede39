/** Checkboxes: one with an indeterminate state, one for the rows of lists, and one with a label. */
import { Check, Minus } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { type ComponentProps, type MouseEvent, type ReactNode, useId } from 'react';
import { cn } from './cn.ts';

const boxClasses =
  'flex size-4 shrink-0 items-center justify-center rounded-sm border border-control bg-surface text-accent-ink disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent';

export function Checkbox({ className, ...props }: ComponentProps<typeof Radix.Root>) {
  return (
    <Radix.Root className={cn(boxClasses, className)} {...props}>
      <Radix.Indicator>
        {props.checked === 'indeterminate' ? <Minus className="size-3" /> : <Check className="size-3" />}
      </Radix.Indicator>
    </Radix.Root>
  );
}

export interface ListCheckboxProps {
  label: string;
  checked: boolean;
  onToggle: (event: MouseEvent) => void;
}

/** A cheap variant without Radix: scrolling a long list mounts and unmounts hundreds of rows with a checkbox. */
export function ListCheckbox({ label, checked, onToggle }: ListCheckboxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: it has to look like the other checkboxes
    <button
      type="button"
      role="checkbox"
      aria-checked={checked}
      aria-label={label}
      data-state={checked ? 'checked' : 'unchecked'}
      tabIndex={-1}
      className={boxClasses}
      onClick={onToggle}
    >
      {checked && <Check className="size-3" />}
    </button>
  );
}

export function LabelledCheckbox({ label, ...props }: ComponentProps<typeof Radix.Root> & { label: ReactNode }) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <Checkbox id={id} className="mt-0.5" {...props} />
      <label htmlFor={id} className="text-sm">
        {label}
      </label>
    </div>
  );
}
