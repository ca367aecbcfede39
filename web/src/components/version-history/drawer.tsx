/**
 * The version history of a reviewed record in a drawer: every version with its user, comment and changes. Older
 * versions can be compared with the newest version.
 */
import { actorText } from '@rdm/contracts/access/acting-key';
import type { VersionView } from '@rdm/contracts/review/approval';
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { usePeople } from '../../lib/auth/people.ts';
import { Diff, type DiffField } from '../diff/index.tsx';
import { ErrorState } from '../empty-state/index.tsx';
import { Timeline } from '../timeline/index.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { versionTitle } from './title.ts';

export interface HistoryDrawerProps<Version extends VersionView, Key extends readonly unknown[]> {
  title: ReactNode;
  description?: string;
  /** Reads the versions, newest first. */
  query: UseQueryOptions<Version[], Error, Version[], Key>;
  /** Content above the status, such as the deletion note. */
  note?: ReactNode;
  /** The current status. */
  status: ReactNode;
  /** Returns the fields of two versions with both values, except the status. */
  compare: (before: Version, after: Version) => readonly DiffField[];
  onClose: () => void;
}

export function HistoryDrawer<Version extends VersionView, Key extends readonly unknown[]>({
  title,
  description = 'History',
  query,
  note,
  status,
  compare,
  onClose,
}: HistoryDrawerProps<Version, Key>) {
  const history = useQuery(query);
  const nameOf = usePeople(history.data?.map(({ userId }) => userId) ?? []);
  const [compared, setCompared] = useState<number>();
  const entries = history.data ?? [];
  const newest = entries[0];

  return (
    <Drawer open onOpenChange={(open) => !open && onClose()} title={title} description={description}>
      {history.error !== null && history.data === undefined ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : history.data === undefined ? (
        <div className="flex flex-col gap-3">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : (
        <>
          {note}
          <p className="mb-4 flex flex-wrap items-center gap-2">{status}</p>
          <Timeline
            entries={entries.map((entry, index) => ({
              id: entry.seq,
              seq: entry.seq,
              at: entry.timestamp,
              actor: actorText(nameOf(entry.userId), entry),
              title: versionTitle(entry),
              status: entry.newStatus,
              version: entry.revision,
              comment: entry.comment ?? null,
              details: details(entry, entries[index + 1]),
              ...(newest !== undefined && entry.seq !== newest.seq && { onCompare: () => setCompared(entry.seq) }),
            }))}
          />
        </>
      )}
    </Drawer>
  );

  function details(entry: Version, before: Version | undefined) {
    if (entry.seq === compared && newest !== undefined) {
      const status = { label: 'Status', before: entry.newStatus, after: newest.newStatus };
      return <Diff fields={[...compare(entry, newest), status]} />;
    }
    const changedFields = before === undefined ? [] : changedOnly(compare(before, entry));
    return changedFields.length === 0 ? undefined : <Diff fields={changedFields} />;
  }
}

const changedOnly = (fields: readonly DiffField[]): DiffField[] =>
  fields.filter(({ before, after }) => before !== after);
