/**
 * Writes the log of a job: one entry per rejected row, one per row that a replacement keeps, and messages about the
 * job.
 */
import { displayKey, type ImportMode, type InstanceRow, shortened } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { describeFlaws, type ImportPlan, type RejectedRow } from '../validation/row-validation.ts';

const TRIED: Readonly<Record<ImportMode, string>> = {
  insert: 'Insert',
  update: 'Update',
  upsert: 'Upsert',
  replace: 'Replace',
};

/** The key of a row as the file has it; null if a part of the key is empty. */
function keyIn({ mapped, keyAt }: ImportPlan, { data }: RejectedRow): string | null {
  const parts = keyAt.map((at) => data[mapped[at]?.name ?? ''] ?? '');
  return parts.includes('') ? null : shortened(parts.join(' · '));
}

export interface ImportRules {
  plan: ImportPlan;
  job: { request: { mode: ImportMode } };
}

/** Logs rejected rows; skips rows that are already logged. */
export async function logRejected(
  db: Queryable,
  jobId: number,
  rows: readonly RejectedRow[],
  { plan, job }: ImportRules,
): Promise<void> {
  if (rows.length === 0) return;
  const entries = rows.map((row) => ({
    record_index: row.line,
    record_key: keyIn(plan, row),
    record_data: row.data,
    // A flaw's `rule` is a code; the `rule` in `error_details` is the flaw's `reason` in words.
    error_type: row.flaws[0].rule,
    error_message: describeFlaws(row),
    error_details: row.flaws.map(({ column, value, reason, fix }) => ({ column, value, rule: reason, fix })),
  }));
  await db.query(
    `INSERT INTO jobs.logs
       (job_id, level, message, record_index, record_key, tried, record_data, status, error_type, error_message,
        error_details)
     SELECT $1, 'ERROR', e.error_message, e.record_index, e.record_key, $3, e.record_data, 'ERROR', e.error_type,
            e.error_message, e.error_details
       FROM jsonb_to_recordset($2::jsonb) AS e(record_index bigint, record_key text, record_data jsonb,
            error_type text, error_message text, error_details jsonb)
     ON CONFLICT DO NOTHING`,
    [jobId, JSON.stringify(entries), TRIED[job.request.mode]],
  );
}

/** Logs the rows that a replacement keeps because other data refers to them. */
export async function logKept(db: Queryable, jobId: number, rows: readonly InstanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  const keys = rows.map(({ key }) => shortened(displayKey(JSON.parse(key))));
  await db.query(
    `INSERT INTO jobs.logs (job_id, level, message, record_key, tried, status, error_type, error_message)
     SELECT $1, 'WARN', $3 || k || '"', k, 'Remove', 'SKIPPED', 'REFERENCED', $4 FROM unnest($2::text[]) k`,
    [jobId, keys, 'Kept, because mappings or relationship values use it: "', 'Mappings or relationship values use it'],
  );
}

/** The number of rejected rows per rule; a row counts for the rule of its first flaw. */
export async function countByRule(db: Queryable, jobId: number): Promise<Record<string, number>> {
  const { rows } = await db.query(
    `SELECT error_type, count(*)::integer AS count FROM jobs.logs WHERE job_id = $1 AND status = 'ERROR'
      GROUP BY error_type ORDER BY error_type`,
    [jobId],
  );
  return Object.fromEntries(rows.map(({ error_type, count }) => [error_type, count]));
}

export async function logMessage(
  db: Queryable,
  jobId: number,
  level: 'INFO' | 'WARN' | 'ERROR',
  message: string,
): Promise<void> {
  await db.query('INSERT INTO jobs.logs (job_id, level, message) VALUES ($1, $2, $3)', [jobId, level, message]);
}
