/** A mapping's life: every version, who made it, and what it changed. */
import type { MappingHistoryView, MappingView } from '@rdm/contracts/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DeletedNote } from '../../../components/deleted/index.tsx';
import { Diff } from '../../../components/diff/index.tsx';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Timeline } from '../../../components/timeline/index.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { versionTitle } from '../../../components/version-history/index.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { historyQuery } from '../api/mappings.ts';

const LABELS: Record<string, string> = { targetValue: 'Target', confidence: 'Confidence' };

export interface HistoryDrawerProps {
  mapping: MappingView;
  /** Brings a deleted one back; absent where one may not. */
  onRestore?: (() => void) | undefined;
  onClose: () => void;
}

export function HistoryDrawer({ mapping, onRestore, onClose }: HistoryDrawerProps) {
  const history = useQuery(historyQuery(mapping.crosswalkId, mapping.id));
  const nameOf = usePeople(history.data?.map(({ userId }) => userId) ?? []);
  const [compared, setCompared] = useState<number>();
  const entries = history.data ?? [];
  const newest = entries[0];

  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <span className="font-mono">
          {mapping.sourceValue} → {mapping.targetValue}
        </span>
      }
      description={
        [mapping.sourceLabel, mapping.targetLabel].filter((label) => label !== null).join(' → ') || 'History'
      }
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
          {mapping.deleted && <DeletedNote by={mapping.updatedBy} at={mapping.updatedAt} onRestore={onRestore} />}
          <p className="mb-4 flex items-center gap-2">
            <StatusBadge status={mapping.status} />
            {mapping.served !== null && (
              <span className="text-muted">
                serves <span className="font-mono text-ink">{mapping.served.targetValue}</span>
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

  function details(entry: MappingHistoryView) {
    if (entry.seq === compared && newest !== undefined) {
      return (
        <Diff
          fields={[
            { label: 'Target', before: entry.targetValue, after: newest.targetValue },
            { label: 'Confidence', before: entry.confidence, after: newest.confidence },
            { label: 'Status', before: entry.newStatus, after: newest.newStatus },
          ]}
        />
      );
    }
    if (entry.changes === undefined) return undefined;
    return (
      <Diff
        fields={Object.entries(entry.changes).map(([field, { from, to }]) => ({
          label: LABELS[field] ?? field,
          before: from,
          after: to,
        }))}
      />
    );
  }
}
