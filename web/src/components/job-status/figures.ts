/** Returns the counts of a job as figures, with labels that suit the type of the job. */
import type { JobView } from '@rdm/contracts/jobs/jobs';

export function figuresOf({
  counts,
  jobType,
  metadata,
  status,
}: Pick<JobView, 'counts' | 'jobType' | 'metadata' | 'status'>): { label: string; value: number }[] {
  // In a job that ended early, unprocessed rows count as skipped.
  const endedEarly = status === 'CANCELLED' || status === 'FAILED';
  const { total, created, changed, unchanged, failed, skipped, removed } = counts;
  if (metadata.undoes !== null) {
    return [
      { label: 'Rows of the import', value: total },
      { label: 'Undone', value: changed },
      { label: endedEarly ? 'Not undone' : 'Kept', value: skipped },
    ];
  }
  if (jobType === 'BULK_DECISION') {
    return [
      { label: 'Rows', value: total },
      { label: 'Done', value: changed },
      { label: 'Refused', value: failed },
      { label: 'Not tried', value: skipped },
    ];
  }
  return [
    { label: 'Rows in the file', value: total },
    { label: 'Created', value: created },
    { label: 'Changed', value: changed },
    { label: 'Unchanged', value: unchanged },
    { label: 'Failed', value: failed },
    { label: endedEarly ? 'Not tried' : 'Skipped', value: skipped },
    ...(removed === undefined ? [] : [{ label: 'Removed', value: removed }]),
  ];
}
