/** Added, removed and changed grants, with their levels before and after. */
import type { NamedGrant } from '@rdm/contracts/collections/collections';
import type { GrantDifference } from './grants.ts';
import { keyOf } from './grants.ts';

export function Differences({ label, changes }: { label: string; changes: readonly GrantDifference<NamedGrant>[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-hairline border-hairline border-y">
      {changes.map(({ grant, before, after }) => (
        <li key={keyOf(grant)} className="flex flex-wrap gap-x-2 py-1.5">
          <span className="min-w-0 flex-1 break-words">
            {grant.name ?? 'A deleted group'} <span className="text-muted">{grant.entityType}</span>
          </span>
          <span className="font-mono text-xs leading-5">
            {before ?? 'none'} → {after ?? 'none'}
          </span>
        </li>
      ))}
    </ul>
  );
}
