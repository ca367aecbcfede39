/** The sidebar's links to data sets: all data sets, and the most recently opened ones that the user can still read. */

import { isBelow } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router-dom';
import { cn } from '../../../components/ui/cn.ts';
import { read } from '../../../lib/api/index.ts';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useOpenedDataSets } from '../../../lib/data-sets/recent-data-sets.ts';
import type { NavLinksProps } from '../../../lib/feature/index.ts';
import { useLive } from '../../../lib/live/index.tsx';

const ALL = '/reference-data';
const KEY = ['reference-data', 'opened'] as const;
const KEYS = [KEY];

export function DataSetLinks({ onNavigate }: NavLinksProps) {
  const user = useCurrentUser();
  const { pathname } = useLocation();
  const opened = useOpenedDataSets(user.id);
  // With other grants the user may read other data sets.
  useLive({ rooms: [`user:${user.id}`], keys: KEYS });
  const readable = useQuery({
    queryKey: [...KEY, ...opened],
    queryFn: () =>
      read<Page<Pick<DataSetView, 'id' | 'name'>>>(`/api${ALL}`, {
        query: {
          fields: 'id,name',
          filter: JSON.stringify({ logic: 'AND', conditions: [{ field: 'id', operator: 'in', value: opened }] }),
        },
      }),
    enabled: opened.length > 0,
    placeholderData: keepPreviousData,
  });
  const links = opened.flatMap((id) => {
    const dataSet = readable.data?.items.find((candidate) => candidate.id === id);
    return dataSet === undefined ? [] : [{ to: `${ALL}/${id}`, label: dataSet.name }];
  });
  const current = links.find(({ to }) => isBelow(pathname, to))?.to ?? (isBelow(pathname, ALL) ? ALL : undefined);
  return (
    <ul className="flex flex-col gap-0.5 py-0.5">
      {[{ to: ALL, label: 'All data sets' }, ...links].map(({ to, label }) => (
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
