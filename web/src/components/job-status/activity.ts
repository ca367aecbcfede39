/** Describes the current work of a running job: "Checking rows: 412,000 of 1,000,000". */
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { formatNumber } from '../../lib/number-format.ts';

type DescribedJob = Pick<JobView, 'status' | 'jobType' | 'workflowPhase' | 'phaseRows' | 'publishing' | 'metadata'>;

/** Returns null for a job that waits or has ended, because its status is enough. */
export function currentWorkOf(job: DescribedJob): string | null {
  if (job.status !== 'IN_PROGRESS') return null;
  const { publishing, phaseRows } = job;
  if (publishing !== null) return withRows('Publishing rows', publishing.rows ?? 0, publishing.of);
  return withRows(activityName(job), phaseRows?.processed ?? 0, phaseRows?.total ?? 0);
}

function activityName({ workflowPhase, jobType, metadata }: DescribedJob): string {
  if (metadata.undoes !== null) return 'Undoing rows';
  if (workflowPhase === 'VALIDATION') return 'Checking rows';
  if (jobType === 'BULK_DECISION') return 'Changing rows';
  if (jobType === 'CROSSWALK_MAPPINGS_IMPORT') return 'Importing mappings';
  if (jobType === 'RELATIONSHIP_VALUES_IMPORT') return 'Importing relationship values';
  return 'Importing rows';
}

/** Adds the processed rows and their total. A total of 0 means that the total is not known yet. */
function withRows(name: string, processed: number, total: number): string {
  if (total === 0) return processed === 0 ? `${name} …` : `${name}: ${formatNumber(processed)}`;
  return `${name}: ${formatNumber(Math.min(processed, total))} of ${formatNumber(total)}`;
}
