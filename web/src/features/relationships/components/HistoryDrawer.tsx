/** A value's life: every version, who made it, and what it changed. */
import type { RelationshipValueHistoryView } from '@rdm/contracts/relationship-values';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DeletedNote } from '../../../components/deleted/index.tsx';
import { Diff, type DiffField } from '../../../components/diff/index.tsx';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Timeline } from '../../../components/timeline/index.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { versionTitle } from '../../../components/version-history/index.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { historyQuery, type ValueRow } from '../api/values.ts';
import { changesOf, fieldsOf } from './history.ts';
import { pairText, servesInstead } from './verbs.ts';

export interface HistoryDrawerProps {
  value: ValueRow;
  /** Brings a deleted one back; absent where one may not. */
  onRestore?: (() => void) | undefined;
  onClose: () => void;
}

export function HistoryDrawer({ value, onRestore, onClose }: HistoryDrawerProps) {
  const history = useQuery(historyQuery(value.relationshipId, value.id));
  const nameOf = usePeople(history.data?.map(({ userId }) => userId) ?? []);
  const [compared, setCompared] = useState<number>();
  const entries = history.data ?? [];
  const newest = entries[0];
  const serves = servesInstead(value);

  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={<span className="font-mono">{pairText(value)}</span>}
      description={[value.sourceLabel, value.targetLabel].filter((label) => label !== null).join(' → ') || 'History'}
    >
      {history.error !== null && history.data === undefined ? (
        <ErrorState message={messageOf(history.error)} onRetry={() => void history.refetch()} />
      ) : history.data === undefined ? (
        <div className="flex flex-col gap-3">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : (
        <>
          {value.deleted && <DeletedNote by={value.updatedBy} at={value.updatedAt} onRestore={onRestore} />}
          <p className="mb-4 flex flex-wrap items-center gap-2">
            <StatusBadge status={value.approvalStatus} />
            {serves !== undefined && (
              <span className="text-muted">
                serves <span className="font-mono text-ink">{serves}</span> meanwhile
              </span>
            )}
          </p>
          <Timeline
            entries={entries.map((entry) => ({
              id: entry.seq,
              at: entry.timestamp,
              actor: nameOf(entry.userId),
              title: versionTitle(entry),
              status: entry.newStatus,
              version: entry.revision,
              comment: entry.comment ?? null,
              details: details(entry),
              ...(newest !== undefined && entry.seq !== newest.seq && { onCompare: () => setCompared(entry.seq) }),
            }))}
          />
        </>
      )}
    </Drawer>
  );

  function details(entry: RelationshipValueHistoryView) {
    const fields =
      entry.seq === compared && newest !== undefined ? fieldsOf(entry, newest) : changesOf(entry, before(entry));
    return fields === undefined ? undefined : <Diff fields={fields satisfies readonly DiffField[]} />;
  }

  function before(entry: RelationshipValueHistoryView): RelationshipValueHistoryView | undefined {
    return entries[entries.indexOf(entry) + 1];
  }
}
