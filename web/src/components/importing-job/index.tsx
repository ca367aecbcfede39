/** The job of an import for review: its progress, also after a reload, its result, and its undo. */
import type { JobView } from '@rdm/contracts/jobs/jobs';
import type { ImportStarted, StagedRowsView } from '@rdm/contracts/jobs/row-imports';
import type { JobMessage } from '@rdm/contracts/live/live';
import type { ApprovalKind } from '@rdm/contracts/review/approval-kinds';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import { parseAsInteger, useQueryState } from 'nuqs';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { read, write } from '../../lib/api/index.ts';
import { useLive } from '../../lib/live/index.tsx';
import { messageOf } from '../../lib/messages/index.ts';
import { formatNumber } from '../../lib/number-format.ts';
import { batchRowKey, useBatchUndo } from '../review/batch-undo.tsx';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';
import { Progress } from '../ui/progress.tsx';
import type { Undoable } from '../undo-bar/index.tsx';

/** A running job is also polled, in case its messages are lost. */
const REFRESH_MS = 1_000;
const ENDED = new Set(['DONE', 'FAILED', 'CANCELLED']);
const jobKey = (jobId: number | null) => ['importing-job', jobId] as const;

export type RowsInto = { crosswalkId: number } | { relationshipId: number };

/** Uploads rows of a crosswalk or a relationship. */
export function uploadRows(into: RowsInto, file: File) {
  const form = new FormData();
  for (const [name, id] of Object.entries(into)) form.set(name, String(id));
  form.set('file', file);
  return write<StagedRowsView>('POST', '/api/imports', form);
}

export interface ImportJobOptions {
  /** The kind of the imported rows. */
  kind: ApprovalKind;
  /** "3 mappings". */
  countText: (count: number) => string;
  /** Loads the names of imported rows. */
  labelsOf: (rows: readonly { id: number }[]) => Promise<ReadonlyMap<number, string>>;
  /** The name of a row whose name cannot be loaded: "Mapping 7". */
  namelessAs: (id: number) => string;
  reload: () => Promise<unknown>;
  onUndoable: (action: Undoable) => void;
}

export interface ImportJob {
  /** The job id in the URL, so that the job is displayed again after a reload. */
  jobId: number | null;
  begin: (started: ImportStarted) => void;
  dialogs: ReactNode;
}

export function useImportJob(options: ImportJobOptions): ImportJob {
  const { countText, onUndoable, reload } = options;
  const [jobId, setJobId] = useQueryState('import', parseAsInteger);
  const undo = useBatchUndo({
    async labelsOf(batch) {
      const rows = batch.filter(({ kind }) => kind === options.kind);
      const labels = await options.labelsOf(rows);
      return new Map(rows.map((row) => [batchRowKey(row), labels.get(row.id) ?? options.namelessAs(row.id)]));
    },
    reload,
  });

  function ended(job: JobView): void {
    void setJobId(null);
    reportJobEnd(job);
    const written = job.counts.created + job.counts.changed;
    if (written > 0 && job.commandId !== null) {
      onUndoable(undo.undoable(`Imported: ${countText(written)}.`, [job.commandId]));
    }
    void reload();
  }

  return {
    jobId,
    begin: (started) => void setJobId(started.jobId),
    dialogs: (
      <>
        {jobId !== null && <ImportingJob key={jobId} jobId={jobId} onEnd={ended} />}
        {undo.dialogs}
      </>
    ),
  };
}

/** The job; null until the read models contain it, or if the user may not see it. */
const jobOf = (jobId: number): Promise<JobView | null> =>
  read<JobView>(`/api/jobs/${jobId}`).catch((error: { status?: number }) => {
    if (error.status === 404) return null;
    throw error;
  });

function ImportingJob({ jobId, onEnd }: { jobId: number; onEnd: (job: JobView) => void }) {
  const queries = useQueryClient();
  const [stopping, setStopping] = useState(false);
  const { data: job } = useQuery({
    queryKey: jobKey(jobId),
    queryFn: () => jobOf(jobId),
    refetchInterval: ({ state }) => (ENDED.has(state.data?.status ?? '') ? false : REFRESH_MS),
  });
  useLive({ rooms: [`job:${jobId}`], keys: [jobKey(jobId)], onJob: (message) => showProgress(message) });
  const hasReported = useRef(false);
  useEffect(() => {
    if (!job || !ENDED.has(job.status) || hasReported.current) return;
    hasReported.current = true;
    onEnd(job);
  }, [job, onEnd]);

  function showProgress({ jobId: of, status, progress, failed }: JobMessage): void {
    if (of !== jobId) return;
    if (ENDED.has(status)) return void queries.invalidateQueries({ queryKey: jobKey(jobId) });
    queries.setQueryData<JobView | null>(
      jobKey(jobId),
      (known) => known && { ...known, progress, counts: { ...known.counts, failed } },
    );
  }

  async function cancel() {
    setStopping(true);
    try {
      await write('POST', `/api/jobs/${jobId}/cancel`);
    } catch (error) {
      setStopping(false);
      notify.error(messageOf(error), { title: 'The import was not cancelled' });
    }
  }

  if (job && ENDED.has(job.status)) return null;
  return (
    <section
      aria-label="Import under way"
      className="sticky bottom-2 z-10 mt-3 flex flex-wrap items-center gap-3 self-center rounded-md border border-control bg-raised px-3 py-1.5 text-sm"
    >
      <p role="status">
        {job?.publishing ? 'Publishing rows …' : stopping ? 'Stopping the import' : 'Importing'}
        {job && job.counts.failed > 0 && `, ${formatNumber(job.counts.failed)} refused so far`}
      </p>
      <span className="w-40">
        <Progress value={job?.progress ?? 0} label={`Progress of job ${jobId}`} />
      </span>
      <Link className="underline" to={monitorPath(jobId)}>
        Open in the monitor
      </Link>
      {!job?.publishing && (
        <Button size="sm" disabled={stopping} onClick={() => void cancel()}>
          <Ban />
          Cancel the import
        </Button>
      )}
    </section>
  );
}

const monitorPath = (jobId: number): string => `/monitor?job=${jobId}`;

/** Shows the result of the job; its log lists the rejected rows. */
function reportJobEnd({ jobId, status, counts, errorMessage }: JobView): void {
  const { created, changed, unchanged, failed, skipped } = counts;
  const parts = [
    ...(Object.entries({ new: created, changed, unchanged, refused: failed, 'not tried': skipped }) as [
      string,
      number,
    ][]),
  ]
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${formatNumber(count)} ${word}`);
  const options = { description: parts.join(', ') || 'No rows', href: monitorPath(jobId) };
  if (status === 'FAILED') notify.error(errorMessage ?? 'The import failed', { title: 'The import failed' });
  else notify.success(status === 'CANCELLED' ? 'Import cancelled: what was imported stays' : 'Imported', options);
}
