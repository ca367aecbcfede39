/** Stores drafts of imports: their settings, the profiles of their files, and their dry runs. */
import {
  type ChangeDraft,
  type ColumnSetting,
  changedSettings,
  type DraftSettings,
  Refusal,
  type ResolvedColumn,
  WORDS,
} from '@rdm/contracts';
import {
  type CheckResult,
  draftView,
  emptyCheck,
  findDraft,
  type Pool,
  type Queryable,
  type StoredDraft,
  transaction,
} from '@rdm/platform';
import { type StagedView, setStagedView } from '../../file-imports/staged-files.ts';

/** Returns the draft if the user owns it; otherwise throws NOT_FOUND. */
export async function requireDraft(db: Queryable, id: string, ownerId: number): Promise<StoredDraft> {
  const draft = await findDraft(db, id);
  if (draft?.ownerId === ownerId) return draft;
  throw new Refusal('NOT_FOUND', WORDS.uploadGone);
}

/** A user may have at most this many files that are being read or wait to be read. */
const READING_MAX = 3;
/** The seconds after which a client may retry a refused upload. */
const RETRY_AFTER = 10;

/** Throws if too many files of the user are being read. `except` has ids and upload keys of drafts not to count. */
export async function requireFewReading(db: Queryable, ownerId: number, except: readonly string[] = []): Promise<void> {
  const { rows } = await db.query<{ reading: number }>(
    `SELECT count(*) AS reading FROM command.import_drafts d JOIN command.staged_files f ON f.id = d.id
      WHERE d.owner_id = $1 AND d.state = 'READING'
        AND d.id <> ALL($2::uuid[]) AND (f.upload_key = ANY($2::uuid[])) IS NOT TRUE`,
    [ownerId, except],
  );
  if ((rows[0]?.reading ?? 0) < READING_MAX) return;
  throw new Refusal(
    'TOO_MANY_REQUESTS',
    `${READING_MAX} of your files are being read already. Wait until one of them has been read, or delete one of your drafts, then upload this file again.`,
    undefined,
    RETRY_AFTER,
  );
}

/** Makes an uploaded file a draft; throws if too many files of the user are being read. */
export async function createDraft(
  pool: Pool,
  id: string,
  ownerId: number,
  settings: DraftSettings = {},
): Promise<void> {
  await transaction(pool, async (client) => {
    // The lock serialises uploads of a user that end at the same time, so that each upload is counted.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('import drafts of ' || $1::bigint))`, [ownerId]);
    await requireFewReading(client, ownerId, [id]);
    await client.query(
      'INSERT INTO command.import_drafts (id, owner_id, settings) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [id, ownerId, JSON.stringify(settings)],
    );
  });
}

/** The settings that affect rows. */
const CHECKED_PARTS: readonly (keyof ChangeDraft)[] = [
  'read',
  'target',
  'columns',
  'key',
  'label',
  'answers',
  'fixes',
  'mode',
];

/**
 * Replaces the settings that `change` contains; throws STALE if the draft has another revision than expected. Replaces
 * the view of the file in the same transaction, so that an import that another window starts sees both changes or none.
 * After a change of the read options, the file is read again. Only a change that affects rows makes the last dry run
 * outdated.
 */
export async function changeDraft(
  pool: Pool,
  draft: StoredDraft,
  change: ChangeDraft,
  expectedRevision: number | undefined,
  view?: StagedView,
): Promise<StoredDraft> {
  requireNotStarted(draft);
  const settings = changedSettings(draft.settings, change);
  const isReadAgain = 'read' in change && JSON.stringify(settings.read) !== JSON.stringify(draft.settings.read);
  const isCheckOutdated = CHECKED_PARTS.some((part) => part in change);
  const isChanged = await transaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE command.import_drafts SET settings = $3, revision = revision + 1, changed_at = now(),
       state = CASE WHEN $4 THEN 'READING' ELSE state END,
       refusal = CASE WHEN $4 THEN NULL ELSE refusal END,
       attempt = CASE WHEN $4 OR $5 THEN 0 ELSE attempt END,
       failures = CASE WHEN $4 OR $5 THEN 0 ELSE failures END,
       check_status = CASE WHEN $5 THEN NULL ELSE check_status END,
       check_result = CASE WHEN NOT $5 AND check_result ->> 'revision' = revision::text
         THEN jsonb_set(check_result, '{revision}', to_jsonb(revision + 1)) ELSE check_result END,
       leased_by = CASE WHEN $4 OR $5 THEN NULL ELSE leased_by END,
       leased_until = CASE WHEN $4 OR $5 THEN NULL ELSE leased_until END
     WHERE id = $1 AND revision = $2 AND job_id IS NULL`,
      [draft.id, expectedRevision ?? draft.revision, JSON.stringify(settings), isReadAgain, isCheckOutdated],
    );
    if (rowCount === 1 && view) await setStagedView(client, view);
    return rowCount === 1;
  });
  const current = await requireDraft(pool, draft.id, draft.ownerId);
  if (isChanged) return current;
  requireNotStarted(current);
  throw new Refusal('STALE', 'This draft was changed in another window meanwhile', { current: draftView(current) });
}

/** Throws if the import of the draft has started, except as the job `jobId`. */
export function requireNotStarted(draft: Pick<StoredDraft, 'jobId'>, jobId?: number): void {
  if (draft.jobId === null || draft.jobId === jobId) return;
  throw new Refusal('CONFLICT', 'This import has started already: upload the file again to import it once more');
}

/** Requests a dry run of the current revision from the draft worker. */
export async function requestCheck(pool: Pool, draft: StoredDraft, jobId: number): Promise<void> {
  const result: CheckResult = { ...emptyCheck(), revision: draft.revision };
  const { rowCount } = await pool.query(
    `UPDATE command.import_drafts SET check_job_id = $3, check_status = 'PENDING', check_result = $4, attempt = 0, failures = 0,
       check_requested_at = now(), check_ended_at = NULL, leased_by = NULL, leased_until = NULL, changed_at = now()
     WHERE id = $1 AND revision = $2 AND state = 'READY'`,
    [draft.id, draft.revision, jobId, JSON.stringify(result)],
  );
  if (rowCount !== 1) throw new Refusal('STALE', 'This draft was changed meanwhile: check it again');
}

/**
 * Stores the job that imports a draft; throws CONFLICT if the draft has another job or its state is not in `states`. A
 * READY draft becomes STARTED at once, a READING draft after its file was read.
 */
export async function markStarted(
  db: Queryable,
  id: string,
  jobId: number,
  states: readonly StoredDraft['state'][],
): Promise<void> {
  const { rowCount } = await db.query(
    `UPDATE command.import_drafts
        SET state = CASE state WHEN 'READY' THEN 'STARTED' ELSE state END, job_id = $2, changed_at = now(),
            leased_by = CASE state WHEN 'READING' THEN leased_by END
      WHERE id = $1 AND (job_id = $2 OR (job_id IS NULL AND state = ANY($3)))`,
    [id, jobId, states],
  );
  if (rowCount === 1) return;
  throw new Refusal('CONFLICT', 'This draft was changed or started meanwhile: upload the file again');
}

/** Deletes a draft and its file; throws CONFLICT if the import has started. */
export async function deleteDraft(pool: Pool, draft: StoredDraft): Promise<void> {
  requireNotStarted(draft);
  await pool.query('DELETE FROM command.staged_files WHERE id = $1', [draft.id]);
}

/** Returns the column settings of the last file with these headers that was imported into the data set. */
export async function rememberedColumns(
  db: Queryable,
  dataSetId: number,
  names: readonly string[],
): Promise<DraftSettings['columns']> {
  const { rows } = await db.query<{ columns: Record<string, ColumnSetting> }>(
    'SELECT columns FROM command.import_memories WHERE data_set_id = $1 AND headers = $2',
    [dataSetId, JSON.stringify(names)],
  );
  const remembered = rows[0]?.columns;
  if (!remembered) return undefined;
  return Object.fromEntries(names.flatMap((name, index) => (remembered[name] ? [[index, remembered[name]]] : [])));
}

/** Stores the column settings for the next file with the same headers. */
export async function rememberColumns(
  db: Queryable,
  dataSetId: number,
  columns: readonly ResolvedColumn[],
): Promise<void> {
  const settings = Object.fromEntries(
    columns.map(({ name, field, format }): [string, ColumnSetting] => [
      name,
      { field: field?.fieldId == null ? null : { fieldId: field.fieldId }, format },
    ]),
  );
  await db.query(
    `INSERT INTO command.import_memories (data_set_id, headers, columns) VALUES ($1, $2, $3)
     ON CONFLICT (data_set_id, headers) DO UPDATE SET columns = excluded.columns, used_at = now()`,
    [dataSetId, JSON.stringify(columns.map(({ name }) => name)), JSON.stringify(settings)],
  );
}
