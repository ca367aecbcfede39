/** A row's life: every version, who made it, and what it changed. */
import type { InstanceView } from '@rdm/contracts/data-sets';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Diff, type DiffField, readable } from '../../../components/diff/index.tsx';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Timeline } from '../../../components/timeline/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { historyQuery, type InstanceVersion, type RowData } from '../api/instances.ts';
import { versionTitle } from './versions.ts';

export interface HistoryDrawerProps {
  dataSetId: number;
  row: Pick<InstanceView, 'id' | 'key'>;
  /** Names of the type's fields, in their order. */
  fields: readonly string[];
  /** Absent where the person may not change the row. */
  onEdit?: (() => void) | undefined;
  onClose: () => void;
}

/** A type's fields in their order, then those that were retired since. */
const namesIn = (fields: readonly string[], ...versions: readonly RowData[]): string[] => [
  ...new Set([...fields, ...versions.flatMap((data) => Object.keys(data))]),
];

const fieldsBetween = (fields: readonly string[], before: RowData, after: RowData): DiffField[] =>
  namesIn(fields, before, after).map((label) => ({ label, before: before[label], after: after[label] }));

interface ChangesProps {
  fields: readonly string[];
  version: InstanceVersion;
  before: InstanceVersion | undefined;
}

/** A first version is told as it was; a deletion changed no cell. */
function Changes({ fields, version, before }: ChangesProps) {
  if (version.deleted || before?.deleted) return null;
  if (before !== undefined) return <Diff fields={fieldsBetween(fields, before.data, version.data)} />;
  return (
    <dl className="divide-y divide-hairline border-hairline border-y text-sm">
      {namesIn(fields, version.data).map((name) => (
        <div key={name} className="grid grid-cols-[minmax(6rem,10rem)_1fr] gap-3 py-1.5">
          <dt className="truncate text-muted">{name}</dt>
          <dd className="min-w-0 break-words font-mono">{readable(version.data[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

export function HistoryDrawer({ dataSetId, row, fields, onEdit, onClose }: HistoryDrawerProps) {
  const history = useQuery(historyQuery(dataSetId, row.id));
  const versions = history.data ?? [];
  const nameOf = usePeople(versions.map(({ userId }) => userId));
  const [compared, setCompared] = useState<number>();
  const newest = versions[0];
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={<span className="font-mono">{row.key}</span>}
      description="Every version of this row, the newest first."
      footer={onEdit && <Button onClick={onEdit}>Edit this row</Button>}
    >
      {history.error !== null && history.data === undefined ? (
        <ErrorState message={messageOf(history.error)} onRetry={() => void history.refetch()} />
      ) : history.data === undefined ? (
        <div className="flex flex-col gap-3">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : (
        <Timeline
          entries={versions.map((version, index) => ({
            id: version.seq,
            at: version.at,
            actor: nameOf(version.userId),
            title: <span className="font-medium">{versionTitle(version, versions[index + 1])}</span>,
            version: version.revision,
            details:
              compared === version.seq && newest !== undefined ? (
                <div className="rounded-md border border-hairline p-2">
                  <p className="mb-1 text-muted text-xs">
                    Then (−) and now (+)
                    <Button variant="ghost" size="sm" className="ml-2" onClick={() => setCompared(undefined)}>
                      Back
                    </Button>
                  </p>
                  <Diff fields={fieldsBetween(fields, version.data, newest.data)} />
                </div>
              ) : (
                <Changes fields={fields} version={version} before={versions[index + 1]} />
              ),
            ...(index > 0 && compared !== version.seq ? { onCompare: () => setCompared(version.seq) } : {}),
          }))}
        />
      )}
    </Drawer>
  );
}
