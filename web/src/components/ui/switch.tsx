/** A two-state switch with its label. */
import { Switch as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';

export function Switch({ label, ...props }: ComponentProps<typeof Radix.Root> & { label: ReactNode }) {
  const id = useId();
  return (
    <div className="flex items-center gap-2">
      <Radix.Root
        id={id}
        className="h-5 w-9 shrink-0 rounded-full border border-control bg-surface p-px data-[state=checked]:border-accent data-[state=checked]:bg-accent"
        {...props}
      >
        <Radix.Thumb className="block size-4 rounded-full bg-control transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-accent-ink" />
      </Radix.Root>
      <label htmlFor={id} className="select-none text-sm">
        {label}
      </label>
    </div>
  );
}
