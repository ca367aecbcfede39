/** Text fields, and `Field`, which adds a label, a hint and an error to any control. */
import { Eye, EyeOff, TriangleAlert } from 'lucide-react';
import { type ComponentProps, type InputEventHandler, type ReactNode, useId, useState } from 'react';
import { formatNumber } from '../../lib/number-format.ts';
import { Button } from './button.tsx';
import { cn } from './cn.ts';

export const controlClasses =
  'rounded-md border border-control bg-surface px-2 text-sm text-ink disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-danger';

export function Input({ className, maxLength, ...props }: ComponentProps<'input'>) {
  const { attributes, problem } = useLengthProblem(props, maxLength);
  return (
    <>
      <input className={cn(controlClasses, 'h-8 w-full min-w-0', className)} {...props} {...attributes} />
      {problem}
    </>
  );
}

export function Textarea({ className, maxLength, ...props }: ComponentProps<'textarea'>) {
  const { attributes, problem } = useLengthProblem(props, maxLength);
  return (
    <>
      <textarea className={cn(controlClasses, 'min-h-16 w-full py-1.5', className)} {...props} {...attributes} />
      {problem}
    </>
  );
}

type TextControl = HTMLInputElement | HTMLTextAreaElement;

interface TextProps<Control extends TextControl> {
  value?: unknown;
  onInput?: InputEventHandler<Control> | undefined;
  'aria-describedby'?: string | undefined;
}

/**
 * Reports that a text is too long. The attribute `maxLength` is not set, because the browser would cut the text
 * silently.
 */
function useLengthProblem<Control extends TextControl>(props: TextProps<Control>, maxLength: number | undefined) {
  const id = useId();
  const [typedLength, setTypedLength] = useState(0);
  if (maxLength === undefined) return {};
  const length = typeof props.value === 'string' ? props.value.length : typedLength;
  const onInput: InputEventHandler<Control> = (event) => {
    setTypedLength(event.currentTarget.value.length);
    props.onInput?.(event);
  };
  if (length <= maxLength) return { attributes: { onInput } };
  const describedBy = [props['aria-describedby'], id].filter((part) => part !== undefined).join(' ');
  return {
    attributes: { onInput, 'aria-invalid': true, 'aria-describedby': describedBy },
    problem: (
      <p id={id} role="alert" className="text-danger-text text-xs">
        The text has {formatNumber(length)} characters. Shorten it to at most {formatNumber(maxLength)}.
      </p>
    ),
  };
}

/** A password field with a button that shows or hides the password. */
export function PasswordInput({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  const [isVisible, setVisible] = useState(false);
  return (
    <div className="relative">
      <Input type={isVisible ? 'text' : 'password'} className={cn('pr-9', className)} {...props} />
      <Button
        variant="ghost"
        size="icon-sm"
        className="absolute top-0.5 right-0.5"
        aria-label={isVisible ? 'Hide password' : 'Show password'}
        aria-pressed={isVisible}
        onClick={() => setVisible(!isVisible)}
      >
        {isVisible ? <EyeOff /> : <Eye />}
      </Button>
    </div>
  );
}

export interface ControlAttributes {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

export interface FieldProps {
  label: ReactNode;
  required?: boolean;
  hint?: ReactNode;
  /** A warning that does not prevent saving. */
  warning?: string | undefined;
  error?: string | undefined;
  className?: string | undefined;
  children: (control: ControlAttributes) => ReactNode;
}

/**
 * Shows the label above a control, and the hint, the warning and the error below it. Associates these texts with the
 * control for screen readers.
 */
export function Field({ label, required = false, hint, warning, error, className, children }: FieldProps) {
  const id = useId();
  const describedBy = Object.entries({ hint, warning, error })
    .filter(([, text]) => text !== undefined)
    .map(([part]) => `${id}-${part}`)
    .join(' ');
  return (
    <div className={cn('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-sm">
        {label}
        {required && (
          <span aria-hidden="true" className="text-danger-text">
            {' '}
            *
          </span>
        )}
      </label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-muted text-xs">
          {hint}
        </p>
      )}
      {warning !== undefined && (
        <p id={`${id}-warning`} role="status" className="flex items-start gap-1 text-pending-text text-xs">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
          {warning}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-danger-text text-xs">
          {error}
        </p>
      )}
    </div>
  );
}
