/** Undoes an import of rows: a button, a preview of the effects, and a link to the job that undoes the import. */
import type { CreatedByImport, ImportUndoPreview, KeptRow } from '@rdm/contracts/imports/import-undo';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import type { Page } from '@rdm/contracts/lists/filter';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { read, write } from '../../lib/api/index.ts';
import { capitalized } from '../../lib/capitalized.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { formatNumber, rowsText } from '../../lib/number-format.ts';
import { ErrorState } from '../empty-state/index.tsx';
import { monitorPath } from '../job-bar/path.ts';
import { RelativeTime } from '../timeline/index.tsx';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';
import { LabelledCheckbox } from '../ui/checkbox.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { deleteCreated } from './delete-created.ts';

export type UndoableJob = Pick<JobView, 'jobId' | 'description' | 'dataSetName' | 'undo'>;

const previewQuery = (jobId: number) =>
  queryOptions({
    queryKey: ['import-undo', jobId],
    queryFn: () => read<ImportUndoPreview>(`/api/jobs/${jobId}/undo`),
    // Not cached, because other users may edit the imported rows while the dialog is closed.
    gcTime: 0,
    staleTime: 0,
  });

/** How many of the newest jobs of a data set are searched for an import. */
const RECENT_JOBS = 20;

/** Reads the last import into a data set; null if the newest jobs have no import or the import cannot be undone. */
export const lastImportQuery = (dataSetId: number) =>
  queryOptions({
    queryKey: ['import-undo', 'last', dataSetId],
    queryFn: async () => {
      const filter = { logic: 'AND', conditions: [{ field: 'dataSetId', operator: 'equals', value: dataSetId }] };
      const { items } = await read<Page<JobView>>('/api/jobs', {
        query: { filter: JSON.stringify(filter), pageSize: RECENT_JOBS, sort: 'jobId', order: 'DESC' },
      });
      const last = items.find(({ metadata }) => metadata.mode !== null);
      return last?.undo?.state === 'possible' ? last : null;
    },
    staleTime: 0,
  });

/** Notifies the user of the end of an undo, with a link to the job unless the job failed. */
export function reportUndo({ jobId, status, counts: { changed, skipped }, errorMessage }: JobView): void {
  const description = [`${rowsText(changed)} undone`, ...(skipped > 0 ? [`${formatNumber(skipped)} not undone`] : [])];
  const options = { description: description.join(', '), href: monitorPath(jobId) };
  if (status === 'FAILED') notify.error(errorMessage ?? 'The job failed', { title: 'The undo of the import failed' });
  else notify.success(status === 'CANCELLED' ? 'Undo cancelled' : 'Import undone', options);
}

/** Shows a button that opens the undo dialog, a link to the running or completed undo, or nothing. */
export function ImportUndo({ job, onStarted }: { job: UndoableJob; onStarted: (jobId: number) => void }) {
  const [isOpen, setOpen] = useState(false);
  const { undo } = job;
  if (undo === null) return null;
  if (undo.jobId !== null) {
    return (
      <Button asChild variant="ghost">
        <Link to={monitorPath(undo.jobId)}>
          <Undo2 />
          {undo.state === 'done' ? 'Import undone' : 'Undoing the import'}
          {undo.state === 'done' && undo.at !== null && <RelativeTime at={undo.at} />}
        </Link>
      </Button>
    );
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Undo2 />
        Undo import
      </Button>
      {isOpen && <ImportUndoDialog job={job} onClose={() => setOpen(false)} onStarted={onStarted} />}
    </>
  );
}

export function ImportUndoDialog({
  job: { jobId, description, dataSetName },
  onClose,
  onStarted,
}: {
  job: UndoableJob;
  onClose: () => void;
  onStarted: (jobId: number) => void;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: preview, error, refetch } = useQuery(previewQuery(jobId));
  const [busy, setBusy] = useState(false);
  const [alsoDeletes, setAlsoDeletes] = useState(false);
  // The dialog stays open until the undo ends and the created data set is deleted.
  const isWaiting = busy && alsoDeletes;
  // A data set that keeps rows cannot be deleted.
  const created = (preview?.kept === 0 && preview.created) || null;

  async function start() {
    setBusy(true);
    try {
      const started = await write<{ jobId: number }>('POST', `/api/jobs/${jobId}/undo`);
      const undoneRows = alsoDeletes && created !== null ? await deleteCreated(started.jobId, created) : undefined;
      await queries.invalidateQueries({ queryKey: ['import-undo'] });
      onClose();
      if (undoneRows === undefined || created === null) {
        onStarted(started.jobId);
        return;
      }
      const deleted = joinParts([rowsText(undoneRows), ...partsOf(created)]);
      notify.success('Import undone', { description: `${deleted} were deleted` });
      // Leaves the page of the data set, which no longer exists.
      navigate(monitorPath(started.jobId));
    } catch (failure) {
      setBusy(false);
      notify.error(messageOf(failure), { title: 'The import was not undone' });
    }
  }

  const effects = preview && effectsOf(preview);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isWaiting && onClose()}
      title="Undo import"
      description={`${description}, into ${dataSetName}`}
      footer={
        <>
          <Button disabled={isWaiting} onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            disabled={busy || effects === undefined || effects.length === 0}
            aria-busy={busy}
            onClick={() => void start()}
          >
            <Undo2 />
            Undo import
          </Button>
        </>
      }
    >
      {error !== null && preview === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {error === null && preview === undefined && (
        <div role="status" className="flex flex-col gap-2">
          <p className="text-muted">Reading the changes of the import …</p>
          <Skeleton className="w-2/3" />
        </div>
      )}
      {preview !== undefined && effects !== undefined && (
        <div className="flex flex-col gap-3">
          <p>{effects.length === 0 ? 'There is nothing to undo.' : `${sentenceOf(effects)}.`}</p>
          {preview.kept > 0 && <KeptRows preview={preview} />}
          {created !== null && (
            <LabelledCheckbox
              label={`Also delete ${namesOf(created)}, which only this import uses`}
              checked={alsoDeletes}
              disabled={busy}
              onCheckedChange={(checked) => setAlsoDeletes(checked === true)}
            />
          )}
          {isWaiting && created !== null && (
            <p role="status" className="text-muted">
              Undoing the import. Keep this window open, because {namesOf(created)} will be deleted afterwards.
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** Returns a text such as "the data set “Codes”, the type “Code” and the collection “Lists”". */
const namesOf = (created: CreatedByImport): string => joinParts(partsOf(created));

const partsOf = ({ dataSet, type, collection }: CreatedByImport): string[] => [
  `the data set “${dataSet.name}”`,
  ...(type === null ? [] : [`the type “${type.name}”`]),
  ...(collection === null ? [] : [`the collection “${collection.name}”`]),
];

/** Describes the effect on the rows: "removes 292 rows", "returns 8 rows to their earlier values". */
function effectsOf({ removed, restored, addedBack }: ImportUndoPreview): string[] {
  const parts: [number, string][] = [
    [removed, `removes ${rowsText(removed)}`],
    [restored, `returns ${rowsText(restored)} to ${restored === 1 ? 'its' : 'their'} earlier values`],
    [addedBack, `adds back ${rowsText(addedBack)}`],
  ];
  return parts.flatMap(([count, text]) => (count > 0 ? [text] : []));
}

const joinParts = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

const sentenceOf = (parts: readonly string[]): string => capitalized(joinParts(parts));

function KeptRows({ preview: { kept, keptRows } }: { preview: ImportUndoPreview }) {
  const reasons = new Set(keptRows.map(({ reason }) => reason));
  const reasonText = [
    ...(reasons.has('EDITED') ? [`${kept === 1 ? 'was' : 'were'} changed after the import`] : []),
    ...(reasons.has('REFERENCED') ? [`${kept === 1 ? 'is' : 'are'} in use`] : []),
  ].join(' or ');
  return (
    <section aria-label="Rows that are kept" className="flex flex-col gap-1">
      <p>
        Keeps {rowsText(kept)} that {reasonText}:
      </p>
      {/* The height cuts the last visible row in half, to show that further rows follow. */}
      <ul className="max-h-76 divide-y divide-hairline overflow-y-auto text-sm">
        {keptRows.map((row) => (
          <li key={row.id} className="flex flex-wrap items-baseline justify-between gap-x-3 py-1.5">
            <span className="min-w-0 break-words font-mono">{row.key}</span>
            <span className="text-muted text-xs">{reasonOf(row)}</span>
          </li>
        ))}
      </ul>
      {kept > keptRows.length && <p className="text-muted text-xs">And {rowsText(kept - keptRows.length)} more.</p>}
    </section>
  );
}

function reasonOf({ reason, userId, userName, at, job }: KeptRow): string {
  if (reason === 'REFERENCED') return 'used by mappings or relationship values';
  const time = at === null ? '' : `, ${new Date(at).toLocaleString()}`;
  if (job) return `changed by ${job.undoes === null ? `import ${job.id}` : `the undo of import ${job.undoes}`}${time}`;
  return `changed by ${userName ?? (userId === null ? 'the system' : `user ${userId}`)}${time}`;
}
