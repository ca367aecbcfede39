/** One choice of many: a button that opens a searched list, for values too many to show at once. */
import { Command as Cmdk } from 'cmdk';
import { Check, ChevronDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { cn } from './cn.ts';
import { controlClasses } from './input.tsx';
import { Popover } from './popover.tsx';

export interface ComboboxOption {
  value: string;
  label: ReactNode;
  /** A quieter second part: what a code stands for. */
  detail?: ReactNode;
}

export interface ComboboxProps {
  /** Names the list and its search field. */
  label: string;
  value: string | undefined;
  /** What the button shows of the choice made. */
  shown?: ReactNode;
  onValueChange: (value: string) => void;
  /** The options that fit the search; the caller searches, so that the server can. */
  options: readonly ComboboxOption[];
  search: string;
  onSearchChange: (search: string) => void;
  loading?: boolean;
  placeholder?: string;
  empty?: ReactNode;
  /** A small quiet button instead of one that looks like a text field. */
  quiet?: boolean;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  id?: string;
  disabled?: boolean;
  size?: ButtonProps['size'];
  className?: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | undefined;
}

export function Combobox({
  label,
  value,
  shown,
  onValueChange,
  options,
  search,
  onSearchChange,
  loading = false,
  placeholder = 'Choose…',
  empty = 'Nothing found.',
  quiet = false,
  size = 'md',
  disabled = false,
  className,
  ...rest
}: ComboboxProps) {
  const [own, setOwn] = useState(false);
  const { open = own, onOpenChange = setOwn, ...attributes } = rest;
  // Options arrive while somebody types: Enter chooses the first one unless another that is still there was reached.
  const [reached, setReached] = useState('');
  const current = options.some((option) => option.value === reached) ? reached : (options[0]?.value ?? '');
  const text = shown ?? value;
  const choose = (chosen: string) => {
    onOpenChange(false);
    onValueChange(chosen);
  };
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={onOpenChange}
      className="w-80 p-0"
      trigger={
        quiet ? (
          <Button variant="ghost" size={size} disabled={disabled} className={cn('text-muted', className)}>
            {text ?? placeholder}
          </Button>
        ) : (
          <button
            type="button"
            disabled={disabled}
            className={cn(
              controlClasses,
              'inline-flex h-8 w-full items-center justify-between gap-2 text-left',
              text === undefined && 'text-muted',
              className,
            )}
            {...attributes}
          >
            <span className="truncate">{text ?? placeholder}</span>
            <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
          </button>
        )
      }
    >
      <Cmdk label={label} shouldFilter={false} loop value={current} onValueChange={setReached}>
        <Cmdk.Input
          autoFocus
          value={search}
          onValueChange={onSearchChange}
          placeholder="Type to search"
          className="h-9 w-full rounded-t-md border-hairline border-b bg-transparent px-3 text-sm focus-visible:outline-none"
        />
        <Cmdk.List aria-busy={loading} className="max-h-64 overflow-y-auto p-1">
          <Cmdk.Empty className="px-3 py-4 text-center text-muted text-sm">{loading ? 'Searching…' : empty}</Cmdk.Empty>
          {options.map((option) => (
            <Cmdk.Item
              key={option.value}
              value={option.value}
              onSelect={() => choose(option.value)}
              className="flex cursor-pointer items-center gap-2 rounded-sm px-2 py-1.5 text-sm data-[selected=true]:bg-accent-soft"
            >
              <span className="min-w-0 flex-1 truncate">
                {option.label}
                {option.detail !== undefined && <span className="ml-2 text-muted">{option.detail}</span>}
              </span>
              {option.value === value && <Check aria-hidden="true" className="size-4 shrink-0" />}
            </Cmdk.Item>
          ))}
        </Cmdk.List>
      </Cmdk>
    </Popover>
  );
}
