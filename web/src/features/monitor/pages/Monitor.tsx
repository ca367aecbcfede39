/** The monitor: live jobs, and the system's throughput, projections and clients. */

import type { ProjectionState } from '@rdm/contracts/admin/monitor';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, parseAsStringLiteral, useQueryState } from 'nuqs';
import { DataGrid, type GridColumn } from '../../../components/data-grid/index.ts';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { JobStatus } from '../../../components/job-status/index.tsx';
import { JOB_LEVEL_LABELS, JOB_TYPE_LABELS, PHASE_LABELS } from '../../../components/job-status/labels.ts';
import { Figures, PageHeader } from '../../../components/page/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { duration } from '../../../lib/duration.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { jobsKey, jobsQuery, monitorQuery, projectionsQuery, showProgress } from '../api/monitor.ts';
import { JobDrawer } from '../components/JobDrawer.tsx';
import { Throughput } from '../components/Throughput.tsx';

const TABS = ['jobs', 'system'] as const;

export default function Monitor() {
  const [tab, setTab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('jobs'));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader title="Monitor" description="What the system is doing. You see the jobs of data sets you may read." />
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

const JOB_COLUMNS: readonly GridColumn<JobView>[] = [
  {
    id: 'jobId',
    header: 'Job',
    cell: (job) => <span className="font-mono">{job.jobId}</span>,
    value: (job) => job.jobId,
    sortable: true,
    width: 80,
  },
  {
    id: 'description',
    header: 'Description',
    cell: (job) => job.description,
    value: (job) => job.description,
    sortable: true,
    required: true,
    minWidth: 240,
  },
  {
    id: 'status',
    header: 'Status',
    cell: (job) => <JobStatus status={job.status} publishing={job.publishing} />,
    value: (job) => job.status,
    sortable: true,
    width: 150,
  },
  {
    id: 'progress',
    header: 'Progress',
    cell: (job) => <Progress value={job.progress} label={`Progress of job ${job.jobId}`} />,
    value: (job) => job.progress,
    width: 140,
  },
  {
    id: 'rate',
    header: 'Rate',
    cell: (job) => (job.rate === null ? '' : `${Math.round(job.rate)}/s`),
    value: (job) => job.rate,
    numeric: true,
    width: 84,
  },
  {
    id: 'secondsLeft',
    header: 'Time left',
    cell: (job) => (job.status !== 'IN_PROGRESS' || job.secondsLeft === null ? '' : duration(job.secondsLeft)),
    value: (job) => job.secondsLeft,
    numeric: true,
    width: 100,
  },
  {
    id: 'jobType',
    header: 'Type',
    cell: (job) => JOB_TYPE_LABELS[job.jobType],
    value: (job) => job.jobType,
    sortable: true,
    minWidth: 190,
  },
  {
    id: 'workflowPhase',
    header: 'Phase',
    cell: (job) => PHASE_LABELS[job.workflowPhase],
    value: (job) => job.workflowPhase,
    width: 110,
    hidden: true,
  },
  {
    id: 'jobLevel',
    header: 'Level',
    cell: (job) => JOB_LEVEL_LABELS[job.jobLevel],
    value: (job) => job.jobLevel,
    width: 110,
    hidden: true,
  },
  {
    id: 'dataSetName',
    header: 'Data set',
    cell: (job) => job.dataSetName,
    value: (job) => job.dataSetName,
    minWidth: 140,
  },
  {
    id: 'userId',
    header: 'Started by',
    cell: (job) => <Person id={job.userId} />,
    value: (job) => job.userId,
    width: 130,
  },
  {
    id: 'startTime',
    header: 'Started',
    cell: (job) => (job.startTime === null ? '' : <RelativeTime at={job.startTime} />),
    value: (job) => job.startTime,
    sortable: true,
    width: 140,
  },
];

const JOB_FILTERS: readonly FilterField[] = [
  { name: 'jobId', label: 'Job', dataType: 'number' },
  { name: 'description', label: 'Description', dataType: 'string' },
  { name: 'status', label: 'Status', dataType: 'string' },
  { name: 'jobType', label: 'Type', dataType: 'string' },
  { name: 'workflowPhase', label: 'Phase', dataType: 'string' },
  { name: 'jobLevel', label: 'Level', dataType: 'string' },
  { name: 'dataSetName', label: 'Data set', dataType: 'string' },
  { name: 'startedBy', label: 'Started by', dataType: 'string' },
  { name: 'startTime', label: 'Started', dataType: 'datetime' },
  { name: 'endTime', label: 'Ended', dataType: 'datetime' },
];

const jobId = (job: JobView) => job.jobId;

function Jobs() {
  const queries = useQueryClient();
  const state = useListState();
  const result = useQuery(jobsQuery(state.params));
  const [open, setOpen] = useQueryState('job', parseAsInteger);
  const running = (result.data?.items ?? []).filter((job) => job.status === 'IN_PROGRESS' || job.status === 'PENDING');
  const live = useLive({
    rooms: running.map((job) => `job:${job.jobId}`),
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
        rowActions={(job) => [{ label: 'Open', onSelect: () => void setOpen(job.jobId) }]}
        live={live}
        flashAs="job"
        empty={{ title: 'No jobs yet', description: 'Imports and large bulk decisions appear here.' }}
      />
      {open !== null && <JobDrawer jobId={open} onClose={() => void setOpen(null)} />}
    </>
  );
}

const STATE_WORDS: Record<string, string> = { SERVING: 'Serving', BUILDING: 'Building', DETACHED: 'Stopped' };

const PROJECTION_COLUMNS: readonly GridColumn<ProjectionState>[] = [
  {
    id: 'name',
    header: 'Projection',
    cell: (each) => (
      <span title={`Version ${each.version}, build ${each.build}, position ${each.position}`}>{each.name}</span>
    ),
    value: (each) => each.name,
    sortable: true,
    required: true,
    minWidth: 180,
  },
  {
    id: 'state',
    header: 'State',
    cell: (each) => each.failure ?? STATE_WORDS[each.state] ?? each.state,
    value: (each) => each.failure ?? each.state,
    sortable: true,
    minWidth: 160,
    wrap: true,
  },
  {
    id: 'lag',
    header: 'Behind by',
    cell: (each) => each.lag,
    value: (each) => each.lag,
    sortable: true,
    numeric: true,
    width: 100,
  },
  {
    id: 'seq',
    header: 'Seq',
    cell: (each) => each.seq,
    value: (each) => each.seq,
    sortable: true,
    numeric: true,
    width: 110,
  },
  {
    id: 'position',
    header: 'Position',
    cell: (each) => <span className="font-mono">{each.position}</span>,
    value: (each) => each.position,
    numeric: true,
    width: 140,
    hidden: true,
  },
  {
    id: 'build',
    header: 'Build',
    cell: (each) => `v${each.version} b${each.build}`,
    value: (each) => each.build,
    width: 90,
    hidden: true,
  },
];

const PROJECTION_FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Projection', dataType: 'string' },
  { name: 'state', label: 'State', dataType: 'string' },
  { name: 'failure', label: 'Failure', dataType: 'string' },
  { name: 'lag', label: 'Behind by', dataType: 'number' },
  { name: 'seq', label: 'Seq', dataType: 'number' },
  { name: 'version', label: 'Version', dataType: 'number' },
  { name: 'build', label: 'Build', dataType: 'number' },
  { name: 'serving', label: 'Serving', dataType: 'boolean' },
];

const projectionId = (projection: ProjectionState) => `${projection.name} ${projection.build}`;

function System() {
  const { data, error, refetch } = useQuery(monitorQuery);
  const state = useListState({ sort: 'name', prefix: 'projection-' });
  const projections = useQuery(projectionsQuery(state.params));
  if (error !== null && data === undefined)
    return <ErrorState message={messageOf(error)} onRetry={() => void refetch()} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4">
      <Figures
        figures={[
          { label: 'Connected clients', value: data?.clients ?? '–' },
          { label: 'Last event', value: data?.reader?.seq ?? '–' },
          {
            label: 'Most behind',
            value: data === undefined ? '–' : Math.max(0, ...data.projections.map(({ lag }) => lag)),
          },
          { label: 'Running jobs', value: data?.jobs['IN_PROGRESS'] ?? 0 },
          { label: 'Failed jobs', value: data?.jobs['FAILED'] ?? 0 },
        ]}
      />
      <Throughput minutes={data?.throughput ?? []} />
      <DataGrid
        label="Projections"
        entity="projections"
        state={state}
        result={projections}
        columns={PROJECTION_COLUMNS}
        rowId={projectionId}
        filterFields={PROJECTION_FILTERS}
        empty={{ title: 'No projections yet' }}
      />
    </div>
  );
}
