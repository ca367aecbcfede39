/** A Radix select, styled as a text field. */
import { Check, ChevronDown } from 'lucide-react';
import { Select as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';
import { cn } from './cn.ts';
import { controlClasses } from './input.tsx';
import { menuClasses, menuItemClasses } from './menu-classes.ts';

export interface Option<Value extends string = string> {
  value: Value;
  label: ReactNode;
  /** An explanation below the label, in the list only. */
  detail?: string;
  disabled?: boolean;
}

export interface SelectProps<Value extends string> {
  value: Value | undefined;
  onValueChange: (value: Value) => void;
  options: readonly Option<Value>[];
  placeholder?: string;
  id?: string;
  disabled?: boolean;
  className?: string;
  'aria-label'?: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | undefined;
}

export function Select<Value extends string>({
  value,
  onValueChange,
  options,
  placeholder = 'Choose…',
  disabled = false,
  className,
  ...attributes
}: SelectProps<Value>) {
  const ids = useId();
  return (
    <Radix.Root value={value ?? ''} onValueChange={onValueChange as (value: string) => void} disabled={disabled}>
      <Radix.Trigger
        className={cn(
          controlClasses,
          'inline-flex h-8 items-center justify-between gap-2 text-left data-placeholder:text-muted [&>span:first-child]:truncate',
          className,
        )}
        {...attributes}
      >
        <Radix.Value placeholder={placeholder} />
        <Radix.Icon>
          <ChevronDown className="size-4 text-muted" />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          data-zoomed
          position="popper"
          sideOffset={4}
          className={cn(
            menuClasses,
            'max-h-[calc(var(--radix-select-content-available-height)/var(--zoom))] min-w-[calc(var(--radix-select-trigger-width)/var(--zoom))]',
          )}
        >
          <Radix.Viewport>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled ?? false}
                aria-describedby={option.detail === undefined ? undefined : `${ids}-${option.value}`}
                className={cn(menuItemClasses, 'pr-8')}
              >
                <div>
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                  {option.detail !== undefined && (
                    <p id={`${ids}-${option.value}`} className="text-muted text-xs first-letter:uppercase">
                      {option.detail}
                    </p>
                  )}
                </div>
                <Radix.ItemIndicator className="absolute right-2">
                  <Check className="size-4" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
