/** A combobox: a button that opens a searchable list, for more options than can be shown at once. */
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
  /** Whether the option is the typed text itself, which Enter selects only if there are no results. */
  isTypedText?: boolean;
}

export interface ComboboxProps {
  /** The name of the list and its search field. */
  label: string;
  value: string | undefined;
  /** The text of the button for the selected option. */
  shown?: ReactNode;
  onValueChange: (value: string) => void;
  /** The options that match the search. The caller searches, for example on the server. */
  options: readonly ComboboxOption[];
  search: string;
  onSearchChange: (search: string) => void;
  /**
   * Whether the options still belong to an earlier text. Enter is then delayed until the options for the typed text
   * arrive.
   */
  loading?: boolean;
  placeholder?: string;
  empty?: ReactNode;
  /** Shows a small plain button instead of a button that resembles a text field. */
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

/**
 * Returns the option that Enter selects. Without a typed text, this is the selected option, if any. Otherwise, an
 * option whose value or label equals the text comes before the first result, and the typed text itself comes last.
 */
function bestOption(
  options: readonly ComboboxOption[],
  search: string,
  selected: string | undefined,
): ComboboxOption | undefined {
  const typed = search.trim().toLocaleLowerCase();
  const selectedOption = options.find(({ value }) => value === selected);
  if (typed === '' && selectedOption !== undefined) return selectedOption;
  const results = options.filter(({ isTypedText }) => !isTypedText);
  return (
    results.find(({ value, label }) =>
      [value, label].some((text) => typeof text === 'string' && text.toLocaleLowerCase() === typed),
    ) ??
    results[0] ??
    options[0]
  );
}

export function Combobox({
  label,
  value,
  shown,
  onValueChange,
  options: results,
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
  const [uncontrolledOpen, setUncontrolledOpen] = useState(false);
  const { open = uncontrolledOpen, onOpenChange = setUncontrolledOpen, ...attributes } = rest;
  /** The text for whose options Enter waits. The wait continues when the user moves to the next field. */
  const [delayedText, setDelayedText] = useState<string>();
  const [highlighted, setHighlighted] = useState('');
  /** The list while the pointer is pressed. New results could move the pressed option, and the click would be lost. */
  const [pressedList, setPressedList] = useState<readonly ComboboxOption[]>();
  const releaseList = () => setPressedList(undefined);
  // Without a typed text, Enter must not select another option: the list then also contains the selected option.
  const isSelectedMissing = value !== undefined && search === '' && !results.some((option) => option.value === value);
  const options = pressedList ?? (isSelectedMissing ? [{ value, label: shown ?? value }, ...results] : results);
  const text = delayedText === undefined ? (shown ?? value) : `Searching “${delayedText}” …`;
  const changeSearch = (text: string) => {
    setDelayedText(undefined);
    onSearchChange(text);
  };
  const changeOpen = (next: boolean) => {
    // Clears the search when the list opens, so that typed text is not appended to the last search.
    if (next) changeSearch('');
    releaseList();
    onOpenChange(next);
  };
  const choose = (chosen: string) => {
    const isResult = results.some((option) => option.value === chosen);
    if (!isResult && chosen !== value) return;
    if (open) changeOpen(false);
    if (isResult) onValueChange(chosen);
  };
  const best = loading ? undefined : bestOption(options, search, value)?.value;
  // Highlights the best option again after each new search, even if it is the same option as before.
  useEffect(() => {
    if (best !== undefined) setHighlighted(best.trim());
  }, [best, search]);
  useEffect(() => {
    if (delayedText === undefined || (loading && delayedText === search)) return;
    setDelayedText(undefined);
    if (delayedText === search && best !== undefined) choose(best);
  });
  // If the options no longer contain the highlighted option, highlights the best option instead.
  const isListed = options.some((option) => option.value.trim() === highlighted);
  const current = isListed ? highlighted : (best ?? '').trim();
  const waitForOptions = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setDelayedText(undefined);
    if (event.key !== 'Enter' || !loading || event.nativeEvent.isComposing) return;
    event.preventDefault();
    setDelayedText(search);
  };
  /** Opens the list with a search for the typed character, as a native select does. A space clicks the button. */
  const openWithCharacter = (event: KeyboardEvent) => {
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
            onKeyDown={openWithCharacter}
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
