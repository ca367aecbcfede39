/** A combobox: a button that opens a searchable list, for options too many to show at once. */
import { Command as Cmdk } from 'cmdk';
import { Check, ChevronDown } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { cn } from './cn.ts';
import { controlClasses } from './input.tsx';
import { Popover } from './popover.tsx';

export interface ComboboxOption {
  value: string;
  label: ReactNode;
  /** A muted text after the label, such as the label of a code. */
  detail?: ReactNode;
  /** Whether the option is the typed text itself, offered beside the results: Enter selects it only if there are no results. */
  isTypedText?: boolean;
}

export interface ComboboxProps {
  /** The name of the list and its search field. */
  label: string;
  value: string | undefined;
  /** The text of the button for the selected option. */
  shown?: ReactNode;
  onValueChange: (value: string) => void;
  /** The options that match the search. The caller searches, so that it can search on the server. */
  options: readonly ComboboxOption[];
  search: string;
  onSearchChange: (search: string) => void;
  /** Whether the options still belong to an earlier text: Enter is delayed until those for the typed text arrive. */
  loading?: boolean;
  placeholder?: string;
  empty?: ReactNode;
  /** Shows a small plain button instead of one that looks like a text field. */
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

/** The option that Enter selects: without a typed text the selected one, else the one that is exactly the text, else the first. */
function bestOption(
  options: readonly ComboboxOption[],
  search: string,
  selected: string | undefined,
): ComboboxOption | undefined {
  const typed = search.trim().toLocaleLowerCase();
  const selectedOption = options.find(({ value }) => value === selected);
  if (typed === '' && selectedOption !== undefined) return selectedOption;
  const found = options.filter(({ isTypedText }) => !isTypedText);
  return (
    found.find(({ value, label }) =>
      [value, label].some((text) => typeof text === 'string' && text.toLocaleLowerCase() === typed),
    ) ??
    found[0] ??
    options[0]
  );
}

export function Combobox({
  label,
  value,
  shown,
  onValueChange,
  options: found,
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
  const [isOpenItself, setOpenItself] = useState(false);
  const { open = isOpenItself, onOpenChange = setOpenItself, ...attributes } = rest;
  /** The text for which Enter is delayed; kept when the user moves to the next field. */
  const [entered, setEntered] = useState<string>();
  const [highlighted, setHighlighted] = useState('');
  /** The list while the pointer is pressed on it: results that arrive then would move the option away, and the click would be lost. */
  const [pressedList, setPressedList] = useState<readonly ComboboxOption[]>();
  const releaseList = () => setPressedList(undefined);
  // The list begins with the selected option if it is none of the first results: Enter would otherwise select another one.
  const isSelectedMissing = value !== undefined && search === '' && !found.some((option) => option.value === value);
  const options = pressedList ?? (isSelectedMissing ? [{ value, label: shown ?? value }, ...found] : found);
  const text = entered === undefined ? (shown ?? value) : `Searching “${entered}” …`;
  const changeSearch = (text: string) => {
    setEntered(undefined);
    onSearchChange(text);
  };
  const changeOpen = (next: boolean) => {
    // Clears the search when the list opens: typed text would otherwise be appended to the last search.
    if (next) changeSearch('');
    releaseList();
    onOpenChange(next);
  };
  const choose = (chosen: string) => {
    const isFound = found.some((option) => option.value === chosen);
    if (!isFound && chosen !== value) return;
    if (open) changeOpen(false);
    if (isFound) onValueChange(chosen);
  };
  const best = loading ? undefined : bestOption(options, search, value)?.value;
  // Highlights the best option again after each new search, even if it is the same option as before.
  useEffect(() => {
    if (best !== undefined) setHighlighted(best.trim());
  }, [best, search]);
  useEffect(() => {
    if (entered === undefined || (loading && entered === search)) return;
    setEntered(undefined);
    if (entered === search && best !== undefined) choose(best);
  });
  // When a search replaces the highlighted option, highlights the best one instead.
  const isListed = options.some((option) => option.value.trim() === highlighted);
  const current = isListed ? highlighted : (best ?? '').trim();
  const waitForOptions = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setEntered(undefined);
    if (event.key !== 'Enter' || !loading || event.nativeEvent.isComposing) return;
    event.preventDefault();
    setEntered(search);
  };
  /** A letter typed while the button is focused opens the list and starts a search with the letter, as in a native select. */
  const openWithLetter = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    changeOpen(true);
    changeSearch(key);
  };
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={changeOpen}
      className="w-max min-w-[max(20rem,var(--radix-popover-trigger-width))] max-w-[min(94vw,max(32rem,var(--radix-popover-trigger-width)))] p-0"
      trigger={
        quiet ? (
          <Button variant="ghost" size={size} disabled={disabled} className={cn('text-muted', className)}>
            {text ?? placeholder}
          </Button>
        ) : (
          <button
            type="button"
            disabled={disabled}
            onKeyDown={openWithLetter}
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
      <Cmdk
        label={label}
        shouldFilter={false}
        loop
        value={current}
        onValueChange={setHighlighted}
        onKeyDown={waitForOptions}
      >
        <Cmdk.Input
          autoFocus
          value={search}
          onValueChange={changeSearch}
          placeholder="Type to search"
          className="h-9 w-full rounded-t-md border-hairline border-b bg-transparent px-3 text-sm focus-visible:outline-none"
        />
        <Cmdk.List
          aria-busy={loading}
          onPointerDown={() => setPressedList(options)}
          onClick={releaseList}
          onPointerCancel={releaseList}
          onPointerLeave={releaseList}
          className={cn('max-h-64 overflow-y-auto p-1', loading && 'opacity-60')}
        >
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
