/** A list of links to the crosswalks or relationships that use a data set or its rows. */
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

export function Dependants({ title, children }: { title: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 font-medium">{title}</h3>
      <ul className="max-h-48 divide-y divide-hairline overflow-y-auto border-hairline border-y">{children}</ul>
    </section>
  );
}

export function Dependant({ to, name, children }: { to: string; name: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap justify-between gap-x-4 py-1.5">
      <Link to={to} className="min-w-0 break-words underline">
        {name}
      </Link>
      <span className="text-muted">{children}</span>
    </li>
  );
}
