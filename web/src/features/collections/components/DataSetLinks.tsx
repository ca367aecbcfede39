/** The sidebar's links to data sets: all data sets, and the most recently opened ones that the user can still read. */

import { isBelow } from '@rdm/contracts/access/permissions';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router-dom';
import { cn } from '../../../components/ui/cn.ts';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { OPENED_DATA_SETS_KEY, openedDataSetsQuery } from '../../../lib/data-sets/index.ts';
import { useOpenedDataSets } from '../../../lib/data-sets/recent-data-sets.ts';
import type { NavLinksProps } from '../../../lib/feature/index.ts';
import { useLive } from '../../../lib/live/index.tsx';

const ALL = '/reference-data';
const KEYS = [OPENED_DATA_SETS_KEY];

export function DataSetLinks({ onNavigate }: NavLinksProps) {
  const user = useCurrentUser();
  const { pathname } = useLocation();
  const openedDataSets = useOpenedDataSets(user.id);
  // Reloads the links when the grants of the user change, because other data sets can then be readable.
  useLive({ rooms: [`user:${user.id}`], keys: KEYS });
  const readable = useQuery(openedDataSetsQuery(openedDataSets));
  const links = (readable.data ?? []).map(({ id, name }) => ({ to: `${ALL}/${id}`, label: name }));
  const current = links.find(({ to }) => isBelow(pathname, to))?.to ?? (isBelow(pathname, ALL) ? ALL : undefined);
  return (
    <ul className="flex flex-col gap-0.5 py-0.5">
      {[{ to: ALL, label: 'Reference Data Sets' }, ...links].map(({ to, label }) => (
        <li key={to}>
          <Link
            to={to}
            title={label}
            onClick={onNavigate}
            aria-current={current === to ? 'page' : undefined}
            className={cn(
              'flex h-8 items-center rounded-md pr-3 pl-11.5 text-sm hover:bg-hover focus-visible:-outline-offset-2',
              current === to
                ? 'bg-accent-soft font-medium text-ink shadow-[inset_2px_0_0_var(--accent)]'
                : 'text-muted',
            )}
          >
            <span className="truncate">{label}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
