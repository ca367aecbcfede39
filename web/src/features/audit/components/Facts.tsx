/** A list of labels and values that describe an entry or an activity. */
import type { ReactNode } from 'react';

export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,8rem)_1fr] gap-x-3 divide-hairline border-hairline border-y">
      {children}
    </dl>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid border-hairline border-b py-1.5 last:border-b-0">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
