/** The first pane: the groups of a tab's items. The group with the oldest item is the first. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Select } from '../../../components/ui/select.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { type ApprovalGroup, type ApprovalTab, GROUPINGS, type GroupField, groupsQuery } from '../api/approvals.ts';

const GROUPING_WORDS: Record<GroupField, string> = {
  collection: 'By collection',
  batch: 'By batch',
  submitter: 'By submitter',
  parent: 'By crosswalk or relationship',
};

/** The names of groups without a name. The name of a batch is the comment of its submission. */
const FALLBACK_NAMES: Record<GroupField, string> = {
  collection: 'In no collection',
  batch: 'Without a comment',
  submitter: 'System',
  parent: 'Nameless',
};

export interface QueueProps {
  tab: ApprovalTab;
  grouping: GroupField;
  /** The search and the filter of the list. The counts include only matching items. */
  search: Pick<ListParams, 'q' | 'filter'>;
  onGrouping: (grouping: GroupField) => void;
  /** The key of the selected group as text; undefined if the list is not limited to a group. */
  chosen: string | undefined;
  onChoose: (group: ApprovalGroup | undefined) => void;
}

/** The key of a group as text for the URL. */
export const keyText = (key: string | number | null): string => (key === null ? 'none' : String(key));

export function Queue({ tab, grouping, search, onGrouping, chosen, onChoose }: QueueProps) {
  const groups = useQuery({
    ...groupsQuery(tab, grouping, search),
    // Show the previous groups of the grouping while new ones load, so that the pane keeps its height.
    placeholderData: (previous, query) => (query?.queryKey[3] === grouping ? previous : undefined),
  });
  const userName = usePeople(
    grouping === 'submitter' ? (groups.data?.items.map(({ key }) => (typeof key === 'number' ? key : null)) ?? []) : [],
  );
  const total = groups.data?.items.reduce((sum, { count }) => sum + count, 0);

  function nameOf({ key, name }: ApprovalGroup): string {
    if (grouping === 'submitter' && typeof key === 'number') return userName(key);
    return name ?? FALLBACK_NAMES[grouping];
  }

  return (
    <nav aria-label="Queue" className="flex min-h-0 flex-col gap-2 md:max-2xl:flex-row 2xl:absolute 2xl:inset-0">
      <Select
        aria-label="Group the queue"
        className="w-full shrink-0 md:max-2xl:w-40"
        value={grouping}
        onValueChange={onGrouping}
        options={GROUPINGS.map((value) => ({ value, label: GROUPING_WORDS[value] }))}
      />
      {groups.error !== null && groups.data === undefined ? (
        <div role="alert" className="text-sm">
          <p>{messageOf(groups.error)}</p>
          <Button size="sm" className="mt-2" onClick={() => void groups.refetch()}>
            Try Again
          </Button>
        </div>
      ) : groups.data === undefined ? (
        <div className="flex flex-col gap-3 p-2">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : (
        <ul className="flex min-h-0 gap-1 overflow-auto max-2xl:pb-1 2xl:flex-col">
          <li className="shrink-0">
            <Entry name="All" count={total ?? 0} active={chosen === undefined} onClick={() => onChoose(undefined)} />
          </li>
          {groups.data.items.map((group) => (
            <li key={keyText(group.key)} className="shrink-0">
              <Entry
                name={nameOf(group)}
                count={group.count}
                oldestAt={tab === 'review' ? group.oldestSubmittedAt : undefined}
                active={chosen === keyText(group.key)}
                onClick={() => onChoose(group)}
              />
            </li>
          ))}
        </ul>
      )}
    </nav>
  );
}

interface EntryProps {
  name: string;
  count: number;
  oldestAt?: string | undefined;
  active: boolean;
  onClick: () => void;
}

function Entry({ name, count, oldestAt, active, onClick }: EntryProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (active) button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active]);
  return (
    <button
      ref={button}
      type="button"
      aria-current={active || undefined}
      onClick={onClick}
      className={cn(
        'flex w-full flex-col rounded-md border-l-2 px-2 py-1.5 text-left text-sm hover:bg-hover max-2xl:flex-row max-2xl:items-baseline max-2xl:gap-2 max-2xl:border max-2xl:border-hairline',
        active ? 'border-l-accent bg-accent-soft hover:bg-accent-soft' : 'border-l-transparent',
      )}
    >
      <span className="flex w-full items-baseline justify-between gap-3">
        <span className={cn('truncate', active && 'font-medium')}>{name}</span>
        <span className="text-muted text-xs tabular-nums">{formatNumber(count)}</span>
      </span>
      {oldestAt !== undefined && (
        <span className="whitespace-nowrap text-muted text-xs">
          oldest <RelativeTime at={oldestAt} />
        </span>
      )}
    </button>
  );
}
