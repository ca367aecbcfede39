/** An import job or undo job: the progress while the job runs, then exact counts, failed rows and the next actions. */
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, FileUp, RotateCcw, Table2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { ImportUndo } from '../../../components/import-undo/index.tsx';
import { monitorPath } from '../../../components/job-bar/path.ts';
import { currentWorkOf } from '../../../components/job-status/activity.ts';
import { figuresOf } from '../../../components/job-status/figures.ts';
import { JobStatus, publishedPercent } from '../../../components/job-status/index.tsx';
import { PHASE_LABELS } from '../../../components/job-status/labels.ts';
import { Figures } from '../../../components/page/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { duration } from '../../../lib/duration.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { cancelJob, isRunning, type Job, jobKey, jobQuery, retryJob, rowsOfJobUrl, showProgress } from '../api/jobs.ts';
import { FailedRows } from './FailedRows.tsx';
import { StepFrame } from './StepFrame.tsx';

/** The minimum time between two reads of a running job. */
const JOB_READ_INTERVAL_MS = 1_000;

export interface JobPanelProps {
  jobId: number;
  /** Whether the panel offers to cancel, retry or undo the job, and to import another file. */
  mayWrite: boolean;
  onNewImport: () => void;
  /** Shows another job: the undo of this import, or the retry of this undo. */
  onJob: (jobId: number) => void;
}

export function JobPanel({ jobId, mayWrite, onNewImport, onJob }: JobPanelProps) {
  const queries = useQueryClient();
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  const lastReadAt = useRef(0);
  useLive({
    rooms: [`job:${jobId}`],
    keys: [jobKey(jobId), ['imports', 'failed-rows', jobId]],
    onJob: (message) => {
      showProgress(queries, message);
      // A message lacks the progress of each phase and exact counts, so read the job at intervals and at the end.
      if (isRunning(message.status) && Date.now() - lastReadAt.current < JOB_READ_INTERVAL_MS) return;
      lastReadAt.current = Date.now();
      void queries.invalidateQueries({ queryKey: jobKey(jobId) });
    },
  });
  if (error instanceof ApiError && error.status === 404 && job === undefined) {
    return (
      <EmptyState
        title="Import not found"
        description="The link may be wrong, or the data set of the import is not shared with you."
        action={<Button onClick={onNewImport}>Import a file</Button>}
      />
    );
  }
  if (error !== null && job === undefined) {
    return <ErrorState title="This import could not be loaded" error={error} onRetry={() => void refetch()} />;
  }
  if (job === undefined) return <Skeleton className="w-1/3" />;
  return (
    <div className="flex flex-1 flex-col gap-4">
      {isRunning(job.status) ? (
        <RunningJob job={job} mayWrite={mayWrite} />
      ) : (
        <EndedJob job={job} mayWrite={mayWrite} onNewImport={onNewImport} onJob={onJob} />
      )}
      {job.counts.failed > 0 && !isRunning(job.status) && <FailedRows key={job.endTime} jobId={jobId} />}
    </div>
  );
}

function RunningJob({ job, mayWrite }: { job: Job; mayWrite: boolean }) {
  const queries = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const [isCancelling, setIsCancelling] = useState(false);
  const noun = nounOf(job);

  async function cancel() {
    setConfirming(false);
    setIsCancelling(true);
    try {
      await cancelJob(job.jobId);
      await queries.invalidateQueries({ queryKey: jobKey(job.jobId) });
    } catch (error) {
      setIsCancelling(false);
      notify.error(messageOf(error), { title: `The ${noun} was not cancelled` });
    }
  }

  return (
    <StepFrame
      title={job.description}
      description={`You can leave this page: the ${noun} continues, and this address shows it again.`}
    >
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <JobStatus status={job.status} />
          <p role="status" className="text-muted tabular-nums">
            {[
              currentWorkOf(job),
              job.rate !== null && job.rate > 0 && `${formatNumber(Math.round(job.rate))} rows a second`,
              job.secondsLeft !== null && `about ${duration(job.secondsLeft)} left`,
            ]
              .filter((part) => part !== false && part !== null)
              .join(' · ')}
          </p>
        </div>
        <Progress value={job.progress} label={`Progress of the ${noun}`} />
      </div>
      <Phases job={job} />
      {job.counts.failed > 0 && (
        <p>
          {formatNumber(job.counts.failed)} {job.counts.failed === 1 ? 'row has' : 'rows have'} failed so far.
        </p>
      )}
      {job.publishing !== null && (
        <p className="text-muted">
          The {noun} can no longer be cancelled: its changes are saved and will be visible in the data set soon.
        </p>
      )}
      {mayWrite && job.publishing === null && (
        <div>
          <Button disabled={isCancelling} aria-busy={isCancelling} onClick={() => setConfirming(true)}>
            <Ban />
            {isCancelling ? 'Cancelling…' : `Cancel ${noun}`}
          </Button>
        </div>
      )}
      <Confirm
        open={isConfirming && job.publishing === null}
        onOpenChange={setConfirming}
        title={`Cancel this ${noun}?`}
        description={
          isUndo(job)
            ? 'Rows that are already undone stay undone. You can undo the other rows later.'
            : 'Imported rows stay. If the import is all or nothing, its changes are undone instead.'
        }
        confirm={`Cancel ${noun}`}
        onConfirm={() => void cancel()}
      />
    </StepFrame>
  );
}

function Phases({ job }: { job: Job }) {
  if (job.children.length === 0) return null;
  return (
    <ul className="divide-y divide-hairline border-hairline border-y">
      {job.children.map(({ jobId, workflowPhase, status, progress }) => (
        <Phase key={jobId} name={PHASE_LABELS[workflowPhase]} status={status} progress={progress} />
      ))}
      <Phase
        name="Publishing"
        status={job.publishing === null ? 'PENDING' : 'IN_PROGRESS'}
        progress={publishedPercent(job.publishing)}
      />
    </ul>
  );
}

function Phase({ name, status, progress }: { name: string; status: JobView['status']; progress: number }) {
  return (
    <li className="grid grid-cols-[5rem_6rem_1fr] items-center gap-3 py-2 sm:grid-cols-[1fr_7rem_12rem]">
      <span>{name}</span>
      <JobStatus status={status} />
      <Progress value={progress} label={`Progress of ${name.toLowerCase()}`} />
    </li>
  );
}

function EndedJob({ job, mayWrite, onNewImport, onJob }: Omit<JobPanelProps, 'jobId'> & { job: Job }) {
  const queries = useQueryClient();
  const nameOf = usePeople([job.userId]);
  const [busy, setBusy] = useState(false);
  const { created, changed } = job.counts;
  // The name is empty if the data set was deleted.
  const dataSetExists = job.dataSetName !== '';

  async function retry() {
    setBusy(true);
    try {
      const started = await retryJob(job.jobId);
      await queries.invalidateQueries({ queryKey: jobKey(job.jobId) });
      // The retry of an undo is a new job.
      if (started.jobId !== job.jobId) onJob(started.jobId);
    } catch (error) {
      notify.error(messageOf(error), { title: `The ${nounOf(job)} was not tried again` });
      setBusy(false);
    }
  }

  return (
    <StepFrame
      title={job.description}
      description={
        <>
          Job {job.jobId} of {nameOf(job.userId)}
          {job.endTime !== null && (
            <>
              , ended <RelativeTime at={job.endTime} />
            </>
          )}
        </>
      }
    >
      <p className="flex flex-wrap items-center gap-x-3 text-base">
        <JobStatus status={job.status} />
        {resultText(job)}
      </p>
      {job.status === 'FAILED' && (
        <Alert tone="error" title={`The ${nounOf(job)} failed`}>
          {job.errorMessage}
        </Alert>
      )}
      <Figures figures={figuresOf(job)} />
      {!dataSetExists && <p className="text-muted">The data set of this {nounOf(job)} was deleted.</p>}
      <div className="flex flex-wrap gap-2">
        {dataSetExists && (
          <Button asChild variant="primary" className="min-w-0 max-w-full shrink">
            <Link to={`/reference-data/${job.dataSetId}`}>
              <Table2 />
              <span className="truncate">Open {job.dataSetName}</span>
            </Link>
          </Button>
        )}
        {dataSetExists && created + changed > 0 && !isUndo(job) && (
          <Button asChild>
            <Link to={rowsOfJobUrl(job)}>Show the imported rows</Link>
          </Button>
        )}
        {mayWrite && <ImportUndo job={job} onStarted={onJob} />}
        {job.metadata.undoes !== null && (
          <Button asChild>
            <Link to={monitorPath(job.jobId)}>Show the log of the undo</Link>
          </Button>
        )}
        {mayWrite && job.status === 'FAILED' && (job.undo?.jobId ?? null) === null && (
          <Button disabled={busy} aria-busy={busy} onClick={() => void retry()}>
            <RotateCcw />
            Try again
          </Button>
        )}
        {mayWrite && (
          <Button variant="ghost" onClick={onNewImport}>
            <FileUp />
            Import another file
          </Button>
        )}
      </div>
    </StepFrame>
  );
}

const isUndo = ({ metadata }: Job): boolean => metadata.undoes !== null;

const nounOf = (job: Job): 'undo' | 'import' => (isUndo(job) ? 'undo' : 'import');

function resultText(job: Job): string {
  const { status, counts } = job;
  const { created, changed, failed, total, skipped } = counts;
  const rows = (count: number) => `${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`;
  if (isUndo(job))
    return skipped === 0 ? `${rows(changed)} undone.` : `${rows(changed)} undone, ${formatNumber(skipped)} not undone.`;
  const written = created + changed;
  if (status === 'FAILED')
    return written === 0 ? 'Nothing was imported.' : `${rows(written)} had been imported before the failure.`;
  if (status === 'CANCELLED') return `${rows(written)} had been imported before the cancellation.`;
  if (failed === 0) return `${rows(total)} read, all valid.`;
  const failure = `${formatNumber(failed)} of ${rows(total)} failed`;
  if (written === 0) return `${failure}: nothing was imported.`;
  return `${failure}; ${formatNumber(written)} ${written === 1 ? 'was' : 'were'} imported.`;
}
