/** One job: its phases, its counts, and its log. */

import type { JobLogView, JobView } from '@rdm/contracts/jobs/jobs';
import { JOB_LOG_FIELDS } from '@rdm/contracts/jobs/list-fields';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileDown, Undo2 } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Link } from 'react-router-dom';
import { columnsOf, DataGrid, type GridColumn } from '../../../components/data-grid/index.ts';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { FileLink } from '../../../components/exports/index.tsx';
import { ImportUndo } from '../../../components/import-undo/index.tsx';
import { currentWorkOf } from '../../../components/job-status/activity.ts';
import { figuresOf } from '../../../components/job-status/figures.ts';
import { JobStatus } from '../../../components/job-status/index.tsx';
import {
  jobTypeLabel,
  LOG_LEVEL_LABELS,
  PHASE_LABELS,
  ROW_STATUS_LABELS,
} from '../../../components/job-status/labels.ts';
import { Figures } from '../../../components/page/index.tsx';
import { useBatchUndo } from '../../../components/review/batch-undo.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { duration } from '../../../lib/duration.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { batchQuery, failedRowsUrl, jobQuery, logsQuery, roomsOf, showProgress } from '../api/monitor.ts';

const STATUSES = ['SUCCESS', 'ERROR', 'SKIPPED'] as const;

const { text, code, number } = columnsOf<JobLogView>(JOB_LOG_FIELDS);

const statusText = ({ status, level }: JobLogView) =>
  status === null ? LOG_LEVEL_LABELS[level] : ROW_STATUS_LABELS[status];
const messageText = ({ errorMessage, message }: JobLogView) => errorMessage ?? message;

const COLUMNS = [
  number('recordIndex', { width: 72 }),
  code('recordKey', { width: 150 }),
  text('tried', { sortable: false, width: 80 }),
  text('status', { cell: statusText, value: ({ status, level }) => status ?? level, sortable: false, width: 90 }),
  text('message', {
    cell: messageText,
    value: messageText,
    sortable: false,
    required: true,
    wrap: true,
    minWidth: 200,
  }),
];

/** Columns of the log of a decision, which lists rows by id. */
const DECISION_COLUMNS = COLUMNS.map((column) =>
  column.id === 'recordIndex' ? { ...column, header: 'Row', width: 110 } : column,
);

const FILTERS = filterFields(JOB_LOG_FIELDS, [
  'recordIndex',
  'recordKey',
  'tried',
  'status',
  'level',
  'message',
  'errorType',
  'errorMessage',
]);

const logId = (log: JobLogView) => log.id;

export interface JobDrawerProps {
  jobId: number;
  /** Shows another job in the drawer. */
  onJob: (jobId: number) => void;
  onClose: () => void;
}

export function JobDrawer({ jobId, onJob, onClose }: JobDrawerProps) {
  const queries = useQueryClient();
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  useLive({
    rooms: job === undefined ? [] : roomsOf([job]),
    keys: [
      ['monitor', 'job', jobId],
      ['monitor', 'logs', jobId],
    ],
    onJob: (message) => showProgress(queries, message),
  });
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={job?.description ?? `Job ${jobId}`}
      className="max-w-[760px]"
    >
      {error !== null && job === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {job !== undefined && (
        <div className="flex min-h-full flex-col gap-4">
          {job.errorMessage !== null && <Alert tone="error">{job.errorMessage}</Alert>}
          <ul className="divide-y divide-hairline border-hairline border-y">
            {[job, ...job.children].map((part) => (
              <Phase key={part.jobId} job={part} />
            ))}
          </ul>
          <CurrentWork job={job} />
          <Figures figures={figuresOf(job)} />
          <div className="flex flex-wrap gap-2 empty:hidden">
            {job.counts.failed > 0 && !isDryRun(job) && (job.jobType === 'BULK_DECISION' || job.endTime !== null) && (
              <Button asChild>
                <FileLink href={failedRowsUrl(job)}>
                  <FileDown />
                  Download the failed rows
                </FileLink>
              </Button>
            )}
            <JobPage job={job} />
            <ImportUndo job={job} onStarted={onJob} />
            {job.commandId !== null && job.endTime !== null && <UndoJob key={jobId} commandId={job.commandId} />}
          </div>
          <Logs jobId={jobId} columns={job.jobType === 'BULK_DECISION' ? DECISION_COLUMNS : COLUMNS} />
        </div>
      )}
    </Drawer>
  );
}

/** The current work of a running job, its speed, and the remaining time. */
function CurrentWork({ job }: { job: JobView }) {
  const work = currentWorkOf(job);
  if (work === null) return null;
  const { rate, secondsLeft } = job;
  return (
    <p role="status" className="text-muted tabular-nums">
      {[
        work,
        ...(rate === null || rate === 0 ? [] : [`${formatNumber(Math.round(rate))} rows a second`]),
        ...(secondsLeft === null ? [] : [`about ${duration(secondsLeft)} left`]),
      ].join(' · ')}
    </p>
  );
}

/** Whether the job is the dry run of an import draft. The page of the draft shows the problems of the dry run. */
const isDryRun = ({ jobType, jobLevel }: JobView): boolean => jobType === 'VALIDATION' && jobLevel === 'STANDALONE';

/** Links to the page on which the user can cancel or retry the import, or continue with the checked file. */
function JobPage({ job }: { job: JobView }) {
  const { jobId, dataSetId, dataSetName, metadata } = job;
  if (isDryRun(job)) {
    return <PageLink to={`/onboarding?import=${metadata.fileId}&step=check`}>Continue with this file</PageLink>;
  }
  // The data set was deleted, or the job neither imports into a data set nor undoes an import.
  if (dataSetName === '' || (metadata.mode === null && metadata.undoes === null)) return null;
  return <PageLink to={`/reference-data/${dataSetId}/import?job=${jobId}`}>Open the import</PageLink>;
}

const PageLink = ({ to, children }: { to: string; children: string }) => (
  <Button asChild>
    <Link to={to}>{children}</Link>
  </Button>
);

/** Offers to undo the changes that an ended job made to rows under review. */
function UndoJob({ commandId }: { commandId: string }) {
  const queries = useQueryClient();
  const { data: batch } = useQuery(batchQuery(commandId));
  const undo = useBatchUndo({
    labelsOf: async () => new Map(),
    reload: () => queries.invalidateQueries({ queryKey: ['monitor'] }),
  });
  return (
    <>
      {batch?.undo.possible && (
        <Button onClick={() => void undo.confirmUndo(commandId)}>
          <Undo2 />
          Undo {formatNumber(batch.undo.count)} {batch.undo.count === 1 ? 'row' : 'rows'}
        </Button>
      )}
      {undo.dialogs}
    </>
  );
}

function Phase({ job }: { job: JobView }) {
  return (
    <li className="grid grid-cols-[1fr_auto_8rem] items-center gap-3 py-2">
      <span className="min-w-0 truncate">
        {job.jobLevel === 'CHILD' ? PHASE_LABELS[job.workflowPhase] : jobTypeLabel(job)}
        {job.startTime !== null && (
          <span className="ml-2 text-muted text-xs">
            <RelativeTime at={job.startTime} />
          </span>
        )}
      </span>
      <JobStatus status={job.status} publishing={job.publishing} />
      <Progress value={job.progress} label={`Progress of ${PHASE_LABELS[job.workflowPhase]}`} />
    </li>
  );
}

function Logs({ jobId, columns }: { jobId: number; columns: readonly GridColumn<JobLogView>[] }) {
  const state = useListState({ prefix: 'log-' });
  const [status, setStatus] = useQueryState('log-status', parseAsStringLiteral(STATUSES));
  const result = useQuery(logsQuery(jobId, status ?? undefined, state.params));
  return (
    <DataGrid
      label="Log"
      entity="job-logs"
      state={state}
      result={result}
      columns={columns}
      rowId={logId}
      filterFields={FILTERS}
      empty={{ title: 'The log is empty' }}
      actions={
        <Select
          aria-label="Status of lines"
          className="w-32"
          value={status ?? 'ALL'}
          onValueChange={(value) => void setStatus(value === 'ALL' ? null : value)}
          options={[
            { value: 'ALL', label: 'All lines' },
            ...STATUSES.map((value) => ({ value, label: ROW_STATUS_LABELS[value] })),
          ]}
        />
      }
    />
  );
}
