/** The drawer of a row: its version history, and the records that refer to it. */

import { actorText } from '@rdm/contracts/access/acting-key';
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { useState } from 'react';
import { copyText } from '../../../components/copy-text/index.ts';
import { DeletedNote, type DeletedNoteProps } from '../../../components/deletion-note/index.tsx';
import { Diff, type DiffField, valueText } from '../../../components/diff/index.tsx';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Timeline } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { pageMoment, searchAt } from '../../../lib/api/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { historyQuery, type InstanceVersion, type RowData } from '../api/instances.ts';
import { References } from './References.tsx';
import { versionTitle } from './versions.ts';

export interface RowDrawerProps {
  dataSetId: number;
  row: Pick<InstanceView, 'id' | 'key'>;
  /** The names of the fields of the type, in the displayed order. */
  fields: readonly string[];
  /** Who deleted the row and when; set for a deleted row. */
  deleted?: DeletedNoteProps | undefined;
  /** Opens the row for editing. If undefined, the drawer has no button for editing. */
  onEdit?: (() => void) | undefined;
  onClose: () => void;
}

/** The names of the current fields, followed by the names of removed fields that the versions contain. */
const fieldNames = (fields: readonly string[], ...versions: readonly RowData[]): string[] => [
  ...new Set([...fields, ...versions.flatMap((data) => Object.keys(data))]),
];

const fieldsBetween = (fields: readonly string[], before: RowData, after: RowData): DiffField[] =>
  fieldNames(fields, before, after).map((label) => ({ label, before: before[label], after: after[label] }));

interface ChangesProps {
  fields: readonly string[];
  version: InstanceVersion;
  before: InstanceVersion | undefined;
}

/** The changes of a version. The first version and a deletion show all values. A restore changes no values. */
function Changes({ fields, version, before }: ChangesProps) {
  if (before?.deleted) return null;
  if (before !== undefined && !version.deleted)
    return <Diff fields={fieldsBetween(fields, before.data, version.data)} />;
  return (
    <dl className="divide-y divide-hairline border-hairline border-y text-sm">
      {fieldNames(fields, version.data).map((name) => (
        <div key={name} className="grid grid-cols-[minmax(6rem,10rem)_1fr] gap-3 py-1.5">
          <dt className="truncate text-muted">{name}</dt>
          <dd className="min-w-0 break-words font-mono">{valueText(version.data[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

type Tab = 'history' | 'references';
const TABS = [
  { value: 'history', label: 'History' },
  { value: 'references', label: 'References' },
] as const;

export function RowDrawer({ dataSetId, row, fields, deleted, onEdit, onClose }: RowDrawerProps) {
  const [tab, setTab] = useState<Tab>('history');
  function copyLink() {
    const page = `${window.location.origin}/reference-data/${dataSetId}`;
    const address = page + searchAt(`?row=${row.id}`, pageMoment());
    return copyText(address, 'Link copied', () =>
      notify.error(`The browser refused to copy. The address is ${address}`, { title: 'Not copied' }),
    );
  }
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={<span className="font-mono">{row.key}</span>}
      description="The versions of this row, and the records that refer to it."
      footer={
        <>
          <Button onClick={() => void copyLink()}>
            <Link2 />
            Copy link
          </Button>
          {onEdit && <Button onClick={onEdit}>Edit this row</Button>}
        </>
      }
    >
      {deleted !== undefined && <DeletedNote {...deleted} />}
      <Tabs label="About this row" value={tab} onValueChange={setTab} tabs={TABS}>
        {tab === 'history' ? (
          <History dataSetId={dataSetId} row={row} fields={fields} />
        ) : (
          <References dataSetId={dataSetId} rowId={row.id} />
        )}
      </Tabs>
    </Drawer>
  );
}

function History({ dataSetId, row, fields }: Pick<RowDrawerProps, 'dataSetId' | 'row' | 'fields'>) {
  const history = useQuery(historyQuery(dataSetId, row.id));
  const versions = history.data ?? [];
  const nameOf = usePeople(versions.map(({ userId }) => userId));
  const [comparedSeq, setComparedSeq] = useState<number>();
  const newest = versions[0];
  if (history.error !== null && history.data === undefined) {
    return <ErrorState error={history.error} onRetry={() => void history.refetch()} />;
  }
  if (history.data === undefined) {
    return (
      <div role="status" aria-label="Loading..." className="flex flex-col gap-3">
        <Skeleton className="w-2/3" />
        <Skeleton className="w-1/2" />
      </div>
    );
  }
  return (
    <Timeline
      entries={versions.map((version, index) => ({
        id: version.seq,
        seq: version.seq,
        at: version.at,
        actor: actorText(nameOf(version.userId), version),
        title: <span className="font-medium">{versionTitle(version, versions[index + 1])}</span>,
        version: version.revision,
        details:
          comparedSeq === version.seq && newest !== undefined ? (
            <div className="rounded-md border border-hairline p-2">
              <p className="mb-1 text-muted text-xs">
                Then (−) and now (+)
                <Button variant="ghost" size="sm" className="ml-2" onClick={() => setComparedSeq(undefined)}>
                  Back
                </Button>
              </p>
              <Diff fields={fieldsBetween(fields, version.data, newest.data)} />
            </div>
          ) : (
            <Changes fields={fields} version={version} before={versions[index + 1]} />
          ),
        ...(index > 0 && comparedSeq !== version.seq ? { onCompare: () => setComparedSeq(version.seq) } : {}),
      }))}
    />
  );
}
