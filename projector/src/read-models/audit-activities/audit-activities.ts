/**
 * Read model of activities: one row per command, job or run of a purge. The steps of a job or run have different
 * causation ids, but their events contain the id of the job or purge.
 */
import { auditedJob, PURGE_RUN } from '@rdm/contracts';
import type { NumberedEvent } from '../../engine/numbered-event.ts';
import type { Projection } from '../../engine/projection.ts';
import { type FoldedTable, foldInto, foldOne } from '../../tables/folded-table.ts';
import type { WriteContext } from '../../tables/rows.ts';
import { type ActivityTableRow, dataOf, foldActivity, isRequest, purgeOf } from './fold-activity.ts';

const activityRows = (keyOf: (event: NumberedEvent) => string): FoldedTable<ActivityTableRow, NumberedEvent> => ({
  name: 'audit_activities',
  columns: {
    key: 'text',
    id: 'bigint',
    last_seq: 'bigint',
    events: 'integer',
    at: 'timestamptz',
    ended_at: 'timestamptz',
    actor_id: 'bigint',
    api_key_id: 'bigint',
    source_type: 'text',
    correlation_id: 'text',
    job_id: 'bigint',
    job: 'jsonb',
    purge_id: 'bigint',
    verb: 'text',
    subject_type: 'text',
    subject_id: 'bigint',
    subjects: 'text[]',
    user_ids: 'bigint[]',
    group_ids: 'bigint[]',
    role_ids: 'bigint[]',
    data_set_ids: 'bigint[]',
    rows: 'integer',
    created: 'integer',
    changed: 'integer',
    removed: 'integer',
    decided: 'integer',
    only_row: 'jsonb',
    status_before: 'text',
    status_after: 'text',
    comment: 'text',
    facts: 'jsonb',
    undoes: 'text',
    valid_from: 'bigint',
  },
  key: ['key'],
  lookups: ['(job_id) WHERE job_id IS NOT NULL', '(purge_id) WHERE purge_id IS NOT NULL'],
  indexes: ['(id)', 'USING gin (subjects)', '(actor_id, id)'],
  touchedKeys: (event) => [[keyOf(event)]],
  fold: foldOne((row, event) => foldActivity(row, event, keyOf(event))),
});

/**
 * Returns a lookup of the activity keys of purge runs. The key is the id of the command of the first step. `PurgeEnded`
 * has this key only if the purge ran.
 */
async function readPurgeKeys(
  { client, schema }: WriteContext,
  events: readonly NumberedEvent[],
): Promise<(event: NumberedEvent) => string | undefined> {
  const purgeEvents = events.filter(({ type }) => PURGE_RUN.has(type) || type === 'PurgeEnded');
  if (purgeEvents.length === 0) return () => undefined;
  const { rows } = await client.query<{ purge_id: number; key: string }>(
    `SELECT purge_id, key FROM ${schema}.audit_activities WHERE purge_id = ANY($1::bigint[])`,
    [purgeEvents.map(purgeOf)],
  );
  const keys = new Map(rows.map(({ purge_id, key }) => [Number(purge_id), key]));
  const bySeq = new Map<number, string>();
  for (const event of purgeEvents) {
    const purgeId = purgeOf(event);
    if (purgeId === null) continue;
    if (PURGE_RUN.has(event.type) && !keys.has(purgeId)) keys.set(purgeId, event.metadata.$causationId);
    const key = keys.get(purgeId);
    if (key !== undefined) bySeq.set(event.seq, key);
  }
  return ({ seq }) => bySeq.get(seq);
}

/** Returns a lookup of the activity keys of events. A job has the key of its request. */
async function readKeys(
  context: WriteContext,
  events: readonly NumberedEvent[],
): Promise<(event: NumberedEvent) => string> {
  const { client, schema } = context;
  const purgeKeyOf = await readPurgeKeys(context, events);
  const keysByJob = new Map<number, string>();
  const jobsBySeq = new Map<number, number>();
  for (const event of events) {
    const jobId = auditedJob(event.stream, dataOf(event));
    if (jobId === null) continue;
    jobsBySeq.set(event.seq, jobId);
    if (isRequest(event)) keysByJob.set(jobId, event.metadata.$causationId);
  }
  const jobsWithoutKey = [...new Set(jobsBySeq.values())].filter((jobId) => !keysByJob.has(jobId));
  if (jobsWithoutKey.length > 0) {
    const { rows } = await client.query<{ job_id: number; key: string }>({
      name: `activities of jobs ${schema}`,
      text: `SELECT job_id, key FROM ${schema}.audit_activities WHERE job_id = ANY($1::bigint[])`,
      values: [jobsWithoutKey],
    });
    for (const { job_id, key } of rows) keysByJob.set(Number(job_id), key);
  }
  return (event) => purgeKeyOf(event) ?? keysByJob.get(jobsBySeq.get(event.seq) ?? 0) ?? event.metadata.$causationId;
}

export const auditActivities: Projection = {
  name: 'audit_activities',
  version: 4,
  categories: 'all',
  tables: [activityRows(({ metadata }) => metadata.$causationId)],
  async apply(context, events) {
    await foldInto(context, activityRows(await readKeys(context, events)), events);
    return new Map();
  },
};
