/** SQL and functions for jobs that several modules use: who may read a job, and its progress in per cent. */
import type { JobView } from '@rdm/contracts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/**
 * Condition: the viewer may read every data set of the job `j`. The user who started the job may read it even after a
 * data set was deleted. Only administrators may read a job that is not about data sets, such as a backup. Everyone
 * fulfils the condition for the dry run of an import draft, which has an empty list of data sets; therefore queries add
 * dry runs only for the owner of the draft.
 */
export const readableJobs = (
  tables: Tables,
  viewer: Viewer,
): Sql => sql`(j.data_set_ids IS NOT NULL OR ${viewer.isAdmin ? sql`true` : sql`false`}) AND NOT EXISTS (
  SELECT FROM unnest(j.data_set_ids) AS of_job(id) WHERE NOT ${viewer.hasLevelOnAll(tables, [sql`of_job.id`])}
     AND (j.started_by IS DISTINCT FROM ${viewer.userId}::bigint
       OR EXISTS (SELECT FROM ${tables('reference_data_sets')} existing WHERE existing.id = of_job.id)))`;

/**
 * SQL: the processed and total rows of the current phase of the job with the progress `p`. A child job for the phase
 * has its own progress. Without a child job, the rows of the job itself count.
 */
export const PHASE_ROWS = `coalesce(
  (SELECT json_build_object('processed', c.processed, 'total', c.total) FROM jobs.progress c
    WHERE c.parent_job_id = p.job_id AND c.phase = p.phase LIMIT 1),
  json_build_object('processed', coalesce(p.processed, 0), 'total', coalesce(p.total, 0)))`;

interface JobProgress {
  status: JobView['status'];
  processed: number | null;
  total: number | null;
}

/** Progress in per cent; 100 only when the job is done. */
export function progressOf({ status, processed, total }: JobProgress): number {
  if (status === 'DONE') return 100;
  return processed !== null && total ? Math.min(99, Math.floor((processed / total) * 100)) : 0;
}
