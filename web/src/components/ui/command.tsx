/** A searchable list of commands in a dialog. */
import { Command as Cmdk } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';

export interface CommandDialogProps {
  label: string;
  placeholder: string;
  onClose: () => void;
  /** The text typed so far, after each change. */
  onQuery?: (query: string) => void;
  children: ReactNode;
  hint: ReactNode;
}

export function CommandDialog({ label, placeholder, onClose, onQuery, children, hint }: CommandDialogProps) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)] animate-appear" />
        <Radix.Content
          data-zoomed
          aria-describedby={undefined}
          className="fixed top-[15%] left-1/2 z-40 w-[90%] max-w-xl -translate-x-1/2 rounded-lg border border-control bg-raised text-ink animate-appear"
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          <Cmdk label={label} loop>
            <Cmdk.Input
              placeholder={placeholder}
              {...(onQuery === undefined ? {} : { onValueChange: onQuery })}
              className="h-12 w-full rounded-t-lg border-hairline border-b bg-transparent px-4 text-base focus-visible:outline-none"
            />
            <Cmdk.List className="max-h-80 overflow-y-auto p-2">
              <Cmdk.Empty className="px-3 py-6 text-center text-muted text-sm">Nothing found.</Cmdk.Empty>
              {children}
            </Cmdk.List>
            <p className="flex items-center gap-1 border-hairline border-t px-4 py-2 text-muted text-xs">{hint}</p>
          </Cmdk>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
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
      className="flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 text-sm data-[selected=true]:bg-accent-soft [&>svg]:size-4 [&>svg]:text-muted"
      {...props}
    />
  );
}
