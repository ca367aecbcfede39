/** The monitor: live jobs, and the system's throughput, projections and clients. */

import { PROJECTION_FIELDS } from '@rdm/contracts/admin/list-fields';
import { type MonitorView, type ProjectionState, UNREAD_MAX } from '@rdm/contracts/admin/monitor';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { JOB_FIELDS } from '@rdm/contracts/jobs/list-fields';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, parseAsStringLiteral, useQueryState } from 'nuqs';
import { Link } from 'react-router-dom';
import { columnsOf, DataGrid } from '../../../components/data-grid/index.ts';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { currentWorkOf } from '../../../components/job-status/activity.ts';
import { JobStatus } from '../../../components/job-status/index.tsx';
import { JOB_LEVEL_LABELS, jobTypeLabel, PHASE_LABELS } from '../../../components/job-status/labels.ts';
import { Figures, PageHeader } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { duration } from '../../../lib/duration.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { jobsKey, jobsQuery, monitorQuery, projectionsQuery, roomsOf, showProgress } from '../api/monitor.ts';
import { JobDrawer } from '../components/JobDrawer.tsx';
import { MinuteChart } from '../components/MinuteChart.tsx';

const TABS = ['jobs', 'system'] as const;

export default function Monitor() {
  const [tab, setTab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('jobs'));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Monitor"
        description="The activity of the system. You see the jobs of data sets that you may read."
      />
      <Problems />
      <Tabs
        label="Monitor"
        className="flex-1"
        value={tab}
        onValueChange={(value) => void setTab(value)}
        tabs={[
          { value: 'jobs', label: 'Jobs' },
          { value: 'system', label: 'System' },
        ]}
      >
        {tab === 'jobs' ? <Jobs /> : <System />}
      </Tabs>
    </div>
  );
}

/** Problems that an operator has to solve, above both tabs. */
function Problems() {
  const { data } = useQuery(monitorQuery);
  return data?.problems.map((problem) => <Alert key={problem} tone="error" title={problem} className="mb-4" />);
}

function Person({ id }: { id: number | null }) {
  return usePeople([id])(id);
}

const jobColumn = columnsOf<JobView>(JOB_FIELDS);

const JOB_COLUMNS = [
  jobColumn.code('jobId', { width: 80 }),
  jobColumn.text('description', { required: true, minWidth: 240 }),
  jobColumn.text('status', {
    cell: ({ status }) => <JobStatus status={status} />,
    width: 150,
  }),
  jobColumn.text('workflowPhase', {
    cell: (job) => currentWorkOf(job) ?? PHASE_LABELS[job.workflowPhase],
    sortable: false,
    minWidth: 270,
  }),
  jobColumn.number('progress', {
    header: 'Progress',
    cell: ({ jobId, progress }) => <Progress value={progress} label={`Progress of job ${jobId}`} />,
    numeric: false,
    width: 140,
  }),
  jobColumn.number('rate', {
    header: 'Rate',
    cell: ({ rate }) => (rate === null ? '' : `${Math.round(rate)}/s`),
    width: 84,
  }),
  jobColumn.number('secondsLeft', {
    header: 'Time left',
    cell: ({ status, secondsLeft }) => (status !== 'IN_PROGRESS' || secondsLeft === null ? '' : duration(secondsLeft)),
    width: 100,
  }),
  jobColumn.text('jobType', { cell: jobTypeLabel, minWidth: 190 }),
  jobColumn.text('jobLevel', {
    cell: ({ jobLevel }) => JOB_LEVEL_LABELS[jobLevel],
    sortable: false,
    width: 110,
    hidden: true,
  }),
  jobColumn.text('dataSetName', { sortable: false, minWidth: 140 }),
  jobColumn.number('userId', {
    cell: ({ userId }) => <Person id={userId} />,
    numeric: false,
    sortable: false,
    width: 130,
  }),
  jobColumn.time('startTime', { none: '', width: 140 }),
];

const JOB_FILTERS = filterFields(JOB_FIELDS, [
  'jobId',
  'description',
  'status',
  'jobType',
  'workflowPhase',
  'jobLevel',
]);

const jobId = (job: JobView) => job.jobId;

function Jobs() {
  const queries = useQueryClient();
  const state = useListState();
  const result = useQuery(jobsQuery(state.params));
  const [open, setOpen] = useQueryState('job', parseAsInteger);
  const live = useLive({
    rooms: roomsOf(result.data?.items ?? []),
    keys: [jobsKey],
    onJob: (job) => showProgress(queries, job),
  });
  return (
    <>
      <DataGrid
        label="Jobs"
        entity="jobs"
        state={state}
        result={result}
        columns={JOB_COLUMNS}
        rowId={jobId}
        filterFields={JOB_FILTERS}
        onOpen={(job) => void setOpen(job.jobId)}
        opensOnClick
        rowActions={(job) => [{ label: 'Open', onSelect: () => void setOpen(job.jobId) }]}
        live={live}
        flashAs="job"
        empty={{ title: 'No jobs yet', description: 'Imports and large bulk decisions appear here.' }}
      />
      {open !== null && (
        <JobDrawer jobId={open} onJob={(job) => void setOpen(job)} onClose={() => void setOpen(null)} />
      )}
    </>
  );
}

const STATE_WORDS: Record<string, string> = { SERVING: 'Serving', BUILDING: 'Building', DETACHED: 'Stopped' };

const projectionColumn = columnsOf<ProjectionState>(PROJECTION_FIELDS);

const PROJECTION_COLUMNS = [
  projectionColumn.text('title', {
    cell: (each) => (
      <span title={`${each.name}, version ${each.version}, build ${each.build}, position ${each.position}`}>
        {each.title}
      </span>
    ),
    required: true,
    minWidth: 180,
  }),
  projectionColumn.text('state', {
    cell: (each) => each.failure ?? STATE_WORDS[each.state] ?? each.state,
    value: (each) => each.failure ?? each.state,
    minWidth: 160,
    wrap: true,
  }),
  projectionColumn.number('lag', { width: 100 }),
  projectionColumn.number('seq', { width: 110 }),
  projectionColumn.code('position', { header: 'Position', numeric: true, width: 140, hidden: true }),
  projectionColumn.number('build', {
    cell: (each) => `v${each.version} b${each.build}`,
    numeric: false,
    sortable: false,
    width: 90,
    hidden: true,
  }),
];

const PROJECTION_FILTERS = filterFields(PROJECTION_FIELDS);

const projectionId = (projection: ProjectionState) => `${projection.name} ${projection.build}`;

/** The lag of the slowest build. The server counts the unread events of the projector only up to UNREAD_MAX. */
function greatestLag({ reader, projections }: MonitorView): string {
  if (reader?.unread === null) return 'Unknown';
  const maxLag = formatNumber(Math.max(0, ...projections.map(({ lag }) => lag)));
  return reader?.unread === UNREAD_MAX ? `${maxLag} or more` : maxLag;
}

function System() {
  const { isAdmin } = useCurrentUser();
  const { data, error, refetch } = useQuery(monitorQuery);
  const state = useListState({ sort: 'title', prefix: 'projection-' });
  const projections = useQuery(projectionsQuery(state.params));
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4">
      <Figures
        figures={[
          { label: 'Connected clients', value: data?.clients ?? '–' },
          { label: 'Last event', value: data?.reader?.seq ?? '–' },
          { label: 'Greatest lag', value: data === undefined ? '–' : greatestLag(data) },
          { label: 'Running jobs', value: data?.jobs['IN_PROGRESS'] ?? 0 },
          { label: 'Failed jobs', value: data?.jobs['FAILED'] ?? 0 },
        ]}
      />
      <div className="grid gap-4 lg:grid-cols-3">
        <MinuteChart
          noun="events"
          minutes={(data?.throughput ?? []).map(({ minute, events }) => ({ minute, count: events }))}
        />
        <MinuteChart
          noun="ended jobs"
          minutes={(data?.endedJobs ?? []).map(({ minute, jobs }) => ({ minute, count: jobs }))}
        />
        <MinuteChart
          noun={isAdmin ? 'errors' : 'errors of your requests'}
          minutes={(data?.errors ?? []).map(({ minute, errors }) => ({ minute, count: errors }))}
          action={
            <Link to="/diagnostics" className="underline">
              Show errors
            </Link>
          }
        />
      </div>
      <DataGrid
        label="Read models"
        entity="projections"
        state={state}
        result={projections}
        columns={PROJECTION_COLUMNS}
        rowId={projectionId}
        filterFields={PROJECTION_FILTERS}
        empty={{ title: 'No read models yet' }}
      />
    </div>
  );
}
