/** A searchable list of commands in a dialog. The caller filters the commands. */
import { Command as Cmdk, useCommandState } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import { formatNumber } from '../../lib/number-format.ts';
import { COMMAND_DIALOG, COMMAND_INPUT, COMMAND_OVERLAY } from './command-style.ts';

export interface CommandDialogProps {
  label: string;
  placeholder: string;
  query: string;
  onQuery: (query: string) => void;
  maxLength: number;
  onClose: () => void;
  /** The element that gets the focus again when the dialog closes. */
  opener: HTMLElement | undefined;
  children: ReactNode;
  /** The text in place of an empty list. */
  empty: string;
  /** The announcement for screen readers; undefined for the number of listed commands. */
  status: string | undefined;
  /** Shown below the list. */
  note?: ReactNode;
  /** Names the keys that work in the dialog. */
  hint: ReactNode;
}

export function CommandDialog(props: CommandDialogProps) {
  const { label, placeholder, query, onQuery, maxLength, onClose, opener, children, empty, status, note, hint } = props;
  const list = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState('');
  // The library selects an option after a new query, but not when the selected option disappears.
  useEffect(() => {
    if (list.current?.querySelector('[cmdk-item][aria-selected="true"]')) return;
    const first = list.current?.querySelector<HTMLElement>('[cmdk-item]')?.dataset['value'];
    if (first !== undefined) setSelected(first);
  });
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={COMMAND_OVERLAY} />
        <Radix.Content
          data-zoomed
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            opener?.focus();
          }}
          className={COMMAND_DIALOG}
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          <Cmdk label={label} loop shouldFilter={false} value={selected} onValueChange={setSelected}>
            {/* Receives the focus immediately, so that no pressed key is lost. */}
            <Cmdk.Input
              autoFocus
              placeholder={placeholder}
              value={query}
              onValueChange={onQuery}
              maxLength={maxLength}
              className={COMMAND_INPUT}
            />
            <Cmdk.List ref={list} className="max-h-[min(55vh,28rem)] overflow-y-auto p-2">
              <Cmdk.Empty className="px-3 py-6 text-center text-muted text-sm">{empty}</Cmdk.Empty>
              {children}
            </Cmdk.List>
            <p role="status" className="sr-only">
              {status ?? <ResultCount />}
            </p>
            {note}
            <p className="flex items-center gap-1 border-hairline border-t px-4 py-2 text-muted text-xs touch:hidden">
              {hint}
            </p>
          </Cmdk>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The number of commands in the list, from all groups. */
function ResultCount() {
  const count = useCommandState(({ filtered }) => filtered.count);
  return count === 1 ? '1 result' : `${formatNumber(count)} results`;
}

export function CommandGroup(props: ComponentProps<typeof Cmdk.Group>) {
  return (
    <Cmdk.Group
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:text-xs"
      {...props}
    />
  );
}

export function CommandItem(props: ComponentProps<typeof Cmdk.Item>) {
  return (
    <Cmdk.Item
      className="flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 text-sm data-[selected=true]:bg-accent-soft [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted"
      {...props}
    />
  );
}
