/**
 * Counts and deletes the rows that a purge removes from tables that no projection owns, and finds the commands and jobs
 * that must end before the purge.
 */
import { idsInPlan, type PurgeKind, type PurgePlan } from '@rdm/contracts';
import type { Queryable } from '@rdm/platform';
import { servingTables } from './serving.ts';

export type TargetPlan = Pick<PurgePlan, 'items' | 'dependants' | 'streams' | 'heldUserIds'>;

export interface PurgeTarget {
  kind: PurgeKind;
  before: Date | string;
  plan: TargetPlan;
}

interface Deletion {
  table: string;
  /** A condition on the row `x` with the parameters `p`. */
  where: string;
}

/**
 * Condition: the command wrote to a purged stream or has a purged entity in its input. The command name determines the
 * kind of entity that the `id` of the input identifies.
 */
const commandCondition = (x: string) => `(
  ${x}.command_id::text = ANY(p.command_ids)
  OR EXISTS (SELECT FROM jsonb_object_keys(${x}.steps) step WHERE split_part(step, '#', 1) = ANY(p.streams))
  OR (${x}.name ~ 'Instance|DataSet' AND ${x}.payload -> 'input' ->> 'id' = ANY(p.data_sets::text[]))
  OR (${x}.name ~ 'Crosswalk|Mapping|Suggestion|Missing' AND ${x}.payload -> 'input' ->> 'id' = ANY(p.crosswalks::text[]))
  OR (${x}.name ~ 'Relationship' AND ${x}.payload -> 'input' ->> 'id' = ANY(p.relationships::text[]))
  OR (${x}.name ~ 'Import' AND ${x}.payload -> 'input' ->> 'id' = ANY(p.jobs::text[])))`;

const selectionCondition = (kind: string, parent: string) => `(
  (${kind} = 'instances' AND ${parent} = ANY(p.data_sets))
  OR (${kind} IN ('mappings', 'missing-mappings') AND ${parent} = ANY(p.crosswalks))
  OR (${kind} = 'relationship-values' AND ${parent} = ANY(p.relationships)))`;

const ofJob = 'x.job_id = ANY(p.jobs)';

/** The order matters, because conditions read tables of later deletions. Cascading deletions need no entry. */
const OF_ENTITIES: readonly Deletion[] = [
  {
    table: 'command.decided_steps',
    where: `EXISTS (SELECT FROM command.commands c WHERE c.command_id = x.command_id AND ${commandCondition('c')})`,
  },
  {
    table: 'command.selection_criteria',
    where: `x.command_id = ANY(p.command_ids)
      OR ${selectionCondition(`x.criteria ->> 'kind'`, `(x.criteria ->> 'parentId')::bigint`)}`,
  },
  { table: 'command.commands', where: commandCondition('x') },
  { table: 'command.import_memories', where: 'x.data_set_id = ANY(p.data_sets)' },
  {
    table: 'command.staged_files',
    where: `x.data_set_id = ANY(p.data_sets) OR x.id = ANY(p.files)
      OR EXISTS (SELECT FROM command.imports i WHERE i.file_id = x.id AND i.job_id = ANY(p.jobs))
      OR EXISTS (SELECT FROM command.bulk_decisions b WHERE b.file_id = x.id AND b.job_id = ANY(p.jobs))
      OR EXISTS (SELECT FROM command.import_drafts d WHERE d.id = x.id
           AND (d.job_id = ANY(p.jobs) OR (d.settings -> 'target' ->> 'dataSetId')::bigint = ANY(p.data_sets)))`,
  },
  { table: 'command.imports', where: ofJob },
  { table: 'command.staged_rows', where: ofJob },
  { table: 'command.import_steps', where: ofJob },
  { table: 'command.import_kept_keys', where: ofJob },
  { table: 'command.bulk_decisions', where: ofJob },
  { table: 'jobs.logs', where: ofJob },
  { table: 'jobs.rejected_tables', where: ofJob },
  { table: 'jobs.rejected_rows', where: ofJob },
  { table: 'jobs.progress', where: ofJob },
  { table: 'telemetry.missing_mappings', where: 'x.crosswalk_id = ANY(p.crosswalks)' },
  { table: 'telemetry.translation_requests', where: 'x.crosswalk_id = ANY(p.crosswalks)' },
  { table: 'platform.selections', where: selectionCondition('x.kind', 'x.parent_id') },
  {
    table: 'platform.live_changes',
    where: `x.data_set_ids && p.data_sets
      OR (x.entity IN ('crosswalk', 'mapping', 'missing-mapping') AND x.entity_id = ANY(p.crosswalks))
      OR (x.entity IN ('relationship', 'relationship-value') AND x.entity_id = ANY(p.relationships))`,
  },
  {
    table: 'cache.rows',
    where: 'x.stream_id IN (SELECT s.stream_id FROM cache.streams s WHERE s.stream = ANY(p.streams))',
  },
  { table: 'cache.streams', where: 'x.stream = ANY(p.streams)' },
];

const notHeld = (userId: string) => `(${userId} IS NULL OR NOT ${userId} = ANY(p.held_users))`;

const OF_TELEMETRY: readonly Deletion[] = [
  { table: 'identity.login_attempts', where: `x.attempted_at < p.before AND ${notHeld('x.user_id')}` },
  { table: 'identity.request_contexts', where: `x.at < p.before AND ${notHeld('x.user_id')}` },
  {
    table: 'identity.mail_outbox',
    where: `x.created_at < p.before AND x.status <> 'WAITING' AND ${notHeld('x.user_id')}`,
  },
  {
    table: 'telemetry.api_key_usage',
    where: `x.day < p.before::date AND NOT EXISTS (
      SELECT FROM identity.api_keys k WHERE k.id = x.api_key_id AND k.created_by = ANY(p.held_users))`,
  },
  { table: 'telemetry.translation_requests', where: 'x.last_requested_at < p.before' },
  { table: 'telemetry.errors', where: `x.at < p.before AND ${notHeld('x.actor_id')}` },
  { table: 'telemetry.omitted_errors', where: 'x.minute < p.before' },
];

const deletionsOf = (kind: PurgeKind): readonly Deletion[] => (kind === 'telemetry' ? OF_TELEMETRY : OF_ENTITIES);

/** Returns the tables whose files a purge of this kind rewrites after the deletion. */
export const concernedTables = (kind: PurgeKind): string[] => [
  ...deletionsOf(kind).map(({ table }) => table),
  // ON DELETE CASCADE deletes the rows of these tables.
  ...(kind === 'telemetry'
    ? []
    : ['command.staged_chunks', 'command.import_drafts', 'command.import_problems', 'command.bulk_pieces']),
  'command.purge_plans',
];

const PARAMETERS = `WITH p AS (SELECT $1::bigint[] AS data_sets, $2::bigint[] AS crosswalks, $3::bigint[] AS relationships,
  $4::bigint[] AS jobs, $5::text[] AS streams, $6::text[] AS command_ids, $7::uuid[] AS files, $8::timestamptz AS before,
  $9::bigint[] AS held_users)`;

type EntityKind = 'dataSet' | 'crosswalk' | 'relationship' | 'job';

type Parameters = readonly [
  dataSets: number[],
  crosswalks: number[],
  relationships: number[],
  jobs: number[],
  streams: string[],
  commandIds: string[],
  files: string[],
  before: Date | string,
  heldUsers: readonly number[],
];

/**
 * Returns the values for `PARAMETERS`. Adds child jobs, uploaded files and commands of the purged entities, which the
 * plan does not list.
 */
async function parametersOf(db: Queryable, { before, plan }: PurgeTarget): Promise<Parameters> {
  const ids = (kind: EntityKind) => idsInPlan(plan, kind);
  const streams = plan.streams.map(({ stream }) => stream);
  const serving = await servingTables(db);
  const { rows } = await db.query<{ jobs: number[]; files: string[]; commandIds: string[] }>(
    `SELECT ARRAY(SELECT unnest($1::bigint[])
              UNION SELECT c.job_id FROM jobs.progress c WHERE c.parent_job_id = ANY($1)
              UNION SELECT unnest(ARRAY[i.validation_job_id, i.import_job_id]) FROM command.imports i WHERE i.job_id = ANY($1)
            ) AS jobs,
            ARRAY(SELECT DISTINCT j.file_id FROM ${serving('jobs', 'import_jobs')} j
                   WHERE j.job_id = ANY($1) AND j.file_id IS NOT NULL) AS files,
            ARRAY(SELECT DISTINCT a.causation_id FROM ${serving('audit_log', 'audit_logs')} a
                   WHERE a.stream = ANY($2)) AS "commandIds"`,
    [ids('job'), streams],
  );
  const { jobs = [], files = [], commandIds = [] } = rows[0] ?? {};
  return [
    ids('dataSet'),
    ids('crosswalk'),
    ids('relationship'),
    jobs,
    streams,
    commandIds,
    files,
    before,
    plan.heldUserIds,
  ];
}

/** Returns the number of rows to delete from each table. Omits tables without such rows. */
export async function countRows(db: Queryable, target: PurgeTarget): Promise<{ table: string; rows: number }[]> {
  const parameters = [...(await parametersOf(db, target))];
  const counts: { table: string; rows: number }[] = [];
  for (const { table, where } of deletionsOf(target.kind)) {
    const { rows } = await db.query<{ rows: number }>(
      `${PARAMETERS} SELECT count(*)::integer AS rows FROM ${table} x, p WHERE ${where}`,
      parameters,
    );
    const count = rows[0]?.rows ?? 0;
    if (count > 0) counts.push({ table, rows: count });
  }
  return counts;
}

/** Deletes the rows in the transaction of the client. Can be repeated. */
export async function deleteRows(client: Queryable, target: PurgeTarget): Promise<void> {
  const parameters = [...(await parametersOf(client, target))];
  for (const { table, where } of deletionsOf(target.kind)) {
    await client.query(`${PARAMETERS} DELETE FROM ${table} x USING p WHERE ${where}`, parameters);
  }
}

/** Returns `name (id)` of unanswered commands that began at or before `startedAt`, or that the purge deletes. */
export async function findUnansweredCommands(db: Queryable, target: PurgeTarget, startedAt: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string; commandId: string }>(
    `${PARAMETERS}, open AS (SELECT c.* FROM command.commands c WHERE c.status IS NULL)
     SELECT x.name, x.command_id AS "commandId" FROM open x, p WHERE x.created_at <= $10 OR ${commandCondition('x')}`,
    [...(await parametersOf(db, target)), startedAt],
  );
  return rows.map(({ name, commandId }) => `${name} (${commandId})`);
}

/** Returns the ids of unfinished jobs on purged entities, including purged jobs. Omits the jobs of purges. */
export async function runningJobs(db: Queryable, target: PurgeTarget): Promise<number[]> {
  const serving = await servingTables(db);
  const { rows } = await db.query<{ id: number }>(
    `${PARAMETERS}
     SELECT j.job_id AS id FROM ${serving('jobs', 'import_jobs')} j, p
      WHERE j.status IN ('PENDING', 'IN_PROGRESS') AND j.job_type <> 'DATA_PURGE'
        AND (j.job_id = ANY(p.jobs) OR j.data_set_ids && p.data_sets)
     UNION
     SELECT b.job_id FROM command.bulk_decisions b, p
      WHERE (b.selection ->> 'parent_id')::bigint = ANY(p.crosswalks || p.relationships)
         OR EXISTS (SELECT FROM jsonb_array_elements(coalesce(b.batch -> 'streams', '[]')) s
                     WHERE s ->> 0 = ANY(p.streams))`,
    [...(await parametersOf(db, target))],
  );
  return rows.map(({ id }) => id);
}
