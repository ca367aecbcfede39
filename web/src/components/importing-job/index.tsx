/**
 * The job that imports mappings or relationship values: its progress (also after a reload), its result, and its undo.
 */
import type { JobView } from '@rdm/contracts/jobs/jobs';
import type { ImportStarted, StagedRowsView } from '@rdm/contracts/jobs/row-imports';
import type { JobMessage } from '@rdm/contracts/live/live';
import type { ApprovalKind } from '@rdm/contracts/review/approval-kinds';
import { useQueryClient } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import { parseAsInteger, useQueryState } from 'nuqs';
import { type ReactNode, useState } from 'react';
import { write } from '../../lib/api/index.ts';
import { useLive } from '../../lib/live/index.tsx';
import { messageOf } from '../../lib/messages/index.ts';
import { formatNumber } from '../../lib/number-format.ts';
import { isRunning, JobBar, jobKey } from '../job-bar/index.tsx';
import { monitorPath } from '../job-bar/path.ts';
import { batchRowKey, useBatchUndo } from '../review/batch-undo.tsx';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';
import type { Undoable } from '../undo-bar/index.tsx';

export type ImportTarget = { crosswalkId: number } | { relationshipId: number };

/** Uploads rows for a crosswalk or a relationship. */
export function uploadRows(into: ImportTarget, file: File) {
  const form = new FormData();
  for (const [name, id] of Object.entries(into)) form.set(name, String(id));
  form.set('file', file);
  return write<StagedRowsView>('POST', '/api/imports', form);
}

export interface ImportJobOptions {
  /** The kind of the imported rows. */
  kind: ApprovalKind;
  /** Formats a number of rows: "3 mappings". */
  countText: (count: number) => string;
  /** Loads the names of imported rows. */
  labelsOf: (rows: readonly { id: number }[]) => Promise<ReadonlyMap<number, string>>;
  /** The text that replaces a name that cannot be loaded: "Mapping 7". */
  fallbackLabelOf: (id: number) => string;
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
      return new Map(rows.map((row) => [batchRowKey(row), labels.get(row.id) ?? options.fallbackLabelOf(row.id)]));
    },
    reload,
  });

  function handleEnd(job: JobView): void {
    void setJobId(null);
    reportImportEnd(job);
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
        {jobId !== null && <ImportingJob key={jobId} jobId={jobId} onEnd={handleEnd} />}
        {undo.dialogs}
      </>
    ),
  };
}

function ImportingJob({ jobId, onEnd }: { jobId: number; onEnd: (job: JobView) => void }) {
  const queries = useQueryClient();
  const [stopping, setStopping] = useState(false);
  useLive({ rooms: [`job:${jobId}`], keys: [jobKey(jobId)], onJob: showProgress });

  function showProgress(message: JobMessage): void {
    if (message.jobId !== jobId) return;
    if (!isRunning(message)) return void queries.invalidateQueries({ queryKey: jobKey(jobId) });
    const { progress, failed } = message;
    queries.setQueryData<JobView | null>(
      jobKey(jobId),
      (current) => current && { ...current, progress, counts: { ...current.counts, failed } },
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

  return (
    <JobBar
      jobId={jobId}
      label="Import under way"
      textOf={(job) => (
        <>
          {job?.publishing ? 'Publishing rows …' : stopping ? 'Cancelling the import' : 'Importing'}
          {job && job.counts.failed > 0 && `, ${formatNumber(job.counts.failed)} refused so far`}
        </>
      )}
      onEnd={onEnd}
      actionsOf={(job) =>
        !job?.publishing && (
          <Button size="sm" disabled={stopping} onClick={() => void cancel()}>
            <Ban />
            Cancel the import
          </Button>
        )
      }
    />
  );
}

/**
 * Shows the result of the job. The link leads to the job, whose log lists the refused rows; a failed job has no link.
 */
function reportImportEnd({ jobId, status, counts, errorMessage }: JobView): void {
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
  else notify.success(status === 'CANCELLED' ? 'Import cancelled: imported rows stay' : 'Imported', options);
}
