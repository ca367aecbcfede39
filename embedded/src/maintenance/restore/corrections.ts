/**
 * Corrects the restored tables, because their snapshot is a little later than the cut. Deletes rows without events in
 * the log. Jobs that were running at the cut process their pieces again.
 */
import { type AccessState, noCounts, streams } from '@rdm/contracts';
import { type Client, UNKNOWN_BODY_HASH } from '@rdm/platform';
import type { LogFindings } from './log-findings.ts';
import { appendAsSystem, type NewLog } from './new-log.ts';

/** Returns the ids of the commands without an answer at the cut. A position after the cut belongs to a later answer. */
export async function commandsWithoutAnswer(db: Pick<Client, 'query'>, cut: string | null): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    'SELECT command_id AS id FROM command.commands WHERE status IS NULL OR position::numeric > $1::numeric',
    [cut ?? -1],
  );
  return new Set(rows.map(({ id }) => id));
}

export interface Correction {
  /** The result of `commandsWithoutAnswer`. */
  unanswered: ReadonlySet<string>;
  findings: LogFindings;
  access: AccessState;
  log: NewLog;
  /** The time of the backup (ISO instant). */
  madeAt: string;
  /** Whether this installation has the same session secret as the installation that made the backup. */
  hasSameSecret: boolean;
  /** The correlation id of the events of the restore. */
  cause: string;
}

export async function correctTables(client: Client, correction: Correction): Promise<void> {
  await correctCommands(client, correction);
  // Facts that were appended after the cut must be appended again. The outbox relay skips facts that the log contains.
  await client.query(`UPDATE identity.outbox SET sent_at = NULL WHERE sent_at > $1::timestamptz - interval '1 day'`, [
    correction.madeAt,
  ]);
  await deleteUnknownUsers(client, correction.access);
  await correctJobs(client, correction);
}

/**
 * Corrects the commands without an answer at the cut. A command with an event in the log or a fact in the outbox
 * becomes unanswered, and recovery finishes the command. A command with neither is deleted, so that a repeated
 * request runs as a new command.
 */
async function correctCommands(client: Client, { unanswered, findings, hasSameSecret }: Correction): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT DISTINCT metadata ->> '$causationId' AS id FROM identity.outbox WHERE metadata ->> '$causationId' = ANY($1)`,
    [[...unanswered]],
  );
  const effective = new Set([...findings.commands, ...rows.map(({ id }) => id)]);
  const ineffective = [...unanswered].filter((id) => !effective.has(id));
  await client.query('DELETE FROM command.decided_steps WHERE command_id = ANY($1)', [ineffective]);
  await client.query('DELETE FROM command.commands WHERE command_id = ANY($1)', [ineffective]);
  await client.query(
    `UPDATE command.commands SET status = NULL, answer = NULL, answered_at = NULL, leased_until = now()
      WHERE command_id = ANY($1)`,
    [[...effective]],
  );
  // The positions refer to the old log. They are not needed, because the new log contains the events of all answers.
  await client.query('UPDATE command.commands SET position = NULL');
  // The hashes depend on the session secret.
  if (!hasSameSecret) await client.query('UPDATE command.commands SET body_hash = $1', [UNKNOWN_BODY_HASH]);
}

/** Deletes the users that the log lacks: they were created after the cut. */
async function deleteUnknownUsers(client: Client, { users }: AccessState): Promise<void> {
  const { rows } = await client.query<{ id: number }>('SELECT id FROM identity.users WHERE id <> ALL($1)', [
    [...users.keys()],
  ]);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'identity'::regnamespace AND c.relkind = 'r' AND a.attname = 'user_id'`,
  );
  for (const { name } of tables) await client.query(`DELETE FROM ${name} WHERE user_id = ANY($1)`, [ids]);
  await client.query('DELETE FROM identity.outbox WHERE stream = ANY($1)', [ids.map(streams.user)]);
  await client.query('DELETE FROM identity.users WHERE id = ANY($1)', [ids]);
}

const LOST =
  'The backup was made while this job ended, so the backup lacks the rows that the job had not processed yet. Start the job again';

/**
 * Deletes jobs that the log does not contain. A job that had not ended at the cut processes all its pieces again,
 * because the stored outcomes may be later than the cut. A piece whose events are in the log changes nothing. If such
 * a job is missing or ended in the tables, the rows that it had not processed are lost, and the job fails.
 */
async function correctJobs(client: Client, { findings: { jobs, openJobs }, log, cause }: Correction): Promise<void> {
  const jobIdsOfLog = [[...jobs]];
  await client.query(
    `WITH imports AS (DELETE FROM command.imports WHERE job_id <> ALL($1) RETURNING job_id, validation_job_id, import_job_id),
          bulk AS (DELETE FROM command.bulk_decisions WHERE job_id <> ALL($1) RETURNING job_id)
     DELETE FROM jobs.progress WHERE job_id IN (
       SELECT unnest(ARRAY[job_id, validation_job_id, import_job_id]) FROM imports UNION ALL SELECT job_id FROM bulk)`,
    jobIdsOfLog,
  );
  for (const [jobId, category] of openJobs) {
    const { rows } = await client.query<{ ended: boolean }>(
      `SELECT status NOT IN ('PENDING', 'IN_PROGRESS') AS ended FROM jobs.progress WHERE job_id = $1`,
      [jobId],
    );
    const isLost = rows[0]?.ended ?? true;
    if (category === 'importJob') await correctImport(client, jobId, isLost);
    else if (!isLost) await client.query('DELETE FROM command.bulk_pieces WHERE job_id = $1', [jobId]);
    else {
      const data = { reason: LOST, counts: noCounts() };
      await appendAsSystem(log, streams.bulkDecision(jobId), [{ type: 'BulkDecisionFailed', data }], cause);
      await client.query('DELETE FROM command.bulk_decisions WHERE job_id = $1', [jobId]);
      await client.query(`UPDATE jobs.progress SET status = 'FAILED' WHERE job_id = $1`, [jobId]);
      await client.query(`INSERT INTO jobs.logs (job_id, level, message) VALUES ($1, 'ERROR', $2)`, [jobId, LOST]);
    }
  }
}

/** Corrects an import. If rows are lost, the worker of imports ends the job and unlocks the data set. */
async function correctImport(client: Client, jobId: number, isLost: boolean): Promise<void> {
  await client.query('UPDATE command.import_steps SET counts = NULL WHERE job_id = $1', [jobId]);
  if (!isLost) return;
  const ending = JSON.stringify({ status: 'FAILED', reason: LOST });
  await client.query('UPDATE command.imports SET ending = $2 WHERE job_id = $1', [jobId, ending]);
  await client.query(
    `UPDATE jobs.progress SET status = 'IN_PROGRESS', ended_at = NULL, leased_until = NULL, leased_by = NULL
      WHERE job_id = $1`,
    [jobId],
  );
}
