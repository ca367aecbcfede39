/** Stores uploaded files in the database in pieces, so that every instance can read them. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { DRAFT_DAYS, IMPORTED_FILE_BYTES_MAX, Refusal, type StagedFileView, type StagedRowsView } from '@rdm/contracts';
import { type Pool, type Queryable, transaction } from '@rdm/platform';
import { ASYNC_COMMIT } from '../runtime/async-commit.ts';
import { readBytes } from '../runtime/read-bytes.ts';

/** The view of a draft's file. The target is in the settings of the draft, not in the view. */
export interface StagedDraft {
  id: string;
  dataSetId: null;
  fileName: string;
  size: number;
  hash: string;
  encoding: string;
}

/** The stored view of an uploaded file: a file for a data set, for reviewed rows, or without a target. */
export type StagedView = StagedFileView | StagedRowsView | StagedDraft;

export interface StagedFile<View extends StagedView> {
  ownerId: number;
  view: View;
}

export async function beginStaging(pool: Pool, fileId: string, ownerId: number, fileName: string): Promise<void> {
  await pool.query('INSERT INTO command.staged_files (id, owner_id, file_name) VALUES ($1, $2, $3)', [
    fileId,
    ownerId,
    fileName,
  ]);
}

export async function stagePiece(pool: Pool, fileId: string, number: number, content: Buffer): Promise<void> {
  await pool.query({
    name: 'stage-piece',
    text: `INSERT INTO command.staged_chunks (file_id, number, content) SELECT $1, $2, $3 FROM ${ASYNC_COMMIT}`,
    values: [fileId, number, content],
  });
}

/**
 * Completes an uploaded file. If a complete file has the same upload key, deletes the new file and returns the view of
 * the earlier one. Throws `UNAVAILABLE` if pieces were lost.
 */
export async function completeStaging<View extends StagedView>(
  pool: Pool,
  uploadKey: string,
  view: View,
): Promise<View> {
  try {
    return await completeOnce(pool, uploadKey, view);
  } catch (error) {
    // A concurrent request completed the same upload: the second attempt finds that file.
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    return completeOnce(pool, uploadKey, view);
  }
}

const UNIQUE_VIOLATION = '23505';

function completeOnce<View extends StagedView>(pool: Pool, uploadKey: string, view: View): Promise<View> {
  return transaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE command.staged_files
          SET complete = true, upload_key = $2, data_set_id = $3, size = $4, hash = $5, view = $6
        WHERE id = $1 AND NOT EXISTS (SELECT FROM command.staged_files WHERE upload_key = $2)`,
      [view.id, uploadKey, view.dataSetId, view.size, view.hash, JSON.stringify(view)],
    );
    if (rowCount === 1) {
      await requireAllPieces(client, view);
      return view;
    }
    await client.query('DELETE FROM command.staged_files WHERE id = $1', [view.id]);
    const { rows } = await client.query<{ view: View }>('SELECT view FROM command.staged_files WHERE upload_key = $1', [
      uploadKey,
    ]);
    return rows[0]?.view ?? view;
  });
}

async function requireAllPieces(db: Queryable, { id, size }: StagedView): Promise<void> {
  const { rows } = await db.query<{ bytes: number }>(
    'SELECT coalesce(sum(octet_length(content)), 0) AS bytes FROM command.staged_chunks WHERE file_id = $1',
    [id],
  );
  if (rows[0]?.bytes === size) return;
  throw new Refusal(
    'UNAVAILABLE',
    'The database failed while it stored the file. Please upload it again.',
    undefined,
    1,
  );
}

/** SQL condition: no job of the file `f` is stored. Ended bulk jobs are deleted; ended imports into data sets are not. */
const HAS_NO_JOB = `NOT EXISTS (SELECT FROM command.imports i WHERE i.file_id = f.id)
  AND NOT EXISTS (SELECT FROM command.bulk_decisions b WHERE b.file_id = f.id)`;

/** SQL condition: a job that uses the file `f` has not ended. */
const HAS_RUNNING_JOB = `(
  EXISTS (SELECT FROM command.imports i JOIN jobs.progress p ON p.job_id = i.job_id
           WHERE i.file_id = f.id AND p.ended_at IS NULL)
  OR EXISTS (SELECT FROM command.bulk_decisions b WHERE b.file_id = f.id))`;

/**
 * The bytes of a user's complete files that are not imported yet, without the file `replaced`. A file of reviewed rows
 * counts until it is deleted, because no row of its job remains when the job ends.
 */
export async function bytesNotImported(pool: Pool, ownerId: number, replaced?: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT coalesce(sum(size), 0)::bigint AS bytes FROM command.staged_files f
      WHERE owner_id = $1 AND id IS DISTINCT FROM $2 AND (${HAS_NO_JOB} OR ${HAS_RUNNING_JOB})`,
    [ownerId, replaced ?? null],
  );
  return rows[0]?.bytes ?? 0;
}

/** Deletes a user's file that another upload replaces, unless a job of the file is stored (`HAS_NO_JOB`). */
export async function discardReplaced(pool: Pool, ownerId: number, fileId: string): Promise<void> {
  await pool.query(`DELETE FROM command.staged_files f WHERE id = $1 AND owner_id = $2 AND ${HAS_NO_JOB}`, [
    fileId,
    ownerId,
  ]);
}

export async function discardStaged(pool: Pool, fileId: string): Promise<void> {
  await pool.query('DELETE FROM command.staged_files WHERE id = $1', [fileId]);
}

const findComplete = async <View extends StagedView>(
  pool: Pool,
  fileId: string,
): Promise<StagedFile<View> | undefined> => {
  const { rows } = await pool.query<{ owner_id: number; view: View }>(
    'SELECT owner_id, view FROM command.staged_files WHERE id = $1 AND complete',
    [fileId],
  );
  const row = rows[0];
  return row && { ownerId: row.owner_id, view: row.view };
};

const isRowsView = (view: StagedView): view is StagedRowsView => 'crosswalkId' in view || 'relationshipId' in view;
const isFileView = (view: StagedView): view is StagedFileView => !isRowsView(view) && view.dataSetId !== null;

/** Refuses a file of mappings or relationship values with more bytes than one import reads. */
export function requireReviewedRowsSize(size: number): void {
  if (size <= IMPORTED_FILE_BYTES_MAX) return;
  throw new Refusal('TOO_LARGE', `The file is too large: at most ${IMPORTED_FILE_BYTES_MAX / 1024 / 1024} MiB`);
}

/** Replaces the view of a draft's file. */
export async function setStagedView(db: Queryable, view: StagedView): Promise<void> {
  await db.query('UPDATE command.staged_files SET data_set_id = $2, view = $3 WHERE id = $1', [
    view.id,
    view.dataSetId,
    JSON.stringify(view),
  ]);
}

/** A file that was uploaded for a data set. */
export async function findStaged(pool: Pool, fileId: string): Promise<StagedFile<StagedFileView> | undefined> {
  const staged = await findComplete<StagedFileView>(pool, fileId);
  return staged && isFileView(staged.view) ? staged : undefined;
}

/** A file that was uploaded for a crosswalk or a relationship. */
export async function findStagedRows(pool: Pool, fileId: string): Promise<StagedFile<StagedRowsView> | undefined> {
  const staged = await findComplete<StagedRowsView>(pool, fileId);
  return staged && isRowsView(staged.view) ? staged : undefined;
}

/** The size of the yielded parts: texts of this size become garbage while they are in V8's young generation. */
const PART_BYTES = 64 * 1024;

/** Yields the file's bytes in order, and reads one piece ahead. Throws when a piece is missing. */
export async function* readStaged(pool: Pool, fileId: string, size: number): AsyncGenerator<Buffer> {
  const readPiece = (number: number) => {
    const select = 'SELECT content FROM command.staged_chunks WHERE file_id = $1 AND number = $2';
    const piece = readBytes(pool, select, [fileId, number]);
    piece.catch(() => undefined); // the error is thrown where the piece is awaited
    return piece;
  };
  let nextPiece = readPiece(0);
  for (let [number, read] = [1, 0]; read < size; number++) {
    const [piece] = (await nextPiece) ?? [];
    if (!piece) throw new Error(`The staged file ${fileId} ends after ${read} of ${size} bytes`);
    read += piece.length;
    if (read < size) nextPiece = readPiece(number);
    // The driver sends the query for the next piece in the next turn of the event loop: do not delay that turn.
    await yieldToEventLoop();
    for (let from = 0; from < piece.length; from += PART_BYTES) yield piece.subarray(from, from + PART_BYTES);
  }
}

/** Returns a function that reads a range of a file; a range beyond the end of the file is cut off. */
export function stagedRanges(pool: Pool, fileId: string): (from: number, length: number) => Promise<Buffer> {
  const sizes = pool.query<{ bytes: number }>(
    'SELECT octet_length(content) AS bytes FROM command.staged_chunks WHERE file_id = $1 ORDER BY number',
    [fileId],
  );
  sizes.catch(() => undefined); // the error is thrown where the sizes are awaited
  return async (from, length) => {
    const parts: Buffer[] = [];
    let pieceStart = 0;
    for (const [number, { bytes }] of (await sizes).rows.entries()) {
      const [first, end] = [Math.max(from - pieceStart, 0), Math.min(from + length - pieceStart, bytes)];
      pieceStart += bytes;
      if (first >= end) continue;
      const { rows } = await pool.query<{ part: Buffer }>({
        name: 'read-range',
        text: `SELECT substring(content FROM $3::integer + 1 FOR $4::integer) AS part
                 FROM command.staged_chunks WHERE file_id = $1 AND number = $2`,
        values: [fileId, number, first, end - first],
      });
      if (rows[0]) parts.push(rows[0].part);
    }
    return Buffer.concat(parts);
  };
}

/**
 * Deletes files that are older than a day and no longer needed, and the steps, rows and keys of their imports. The file
 * of a draft is needed for `DRAFT_DAYS` after the last change, until the import starts. The file of an import into a
 * data set is needed for retries until seven days after the end of the job, any other file until the end of the job.
 */
export async function pruneStaged(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM command.staged_files f
      WHERE created_at < now() - interval '1 day'
        AND NOT EXISTS (
          SELECT FROM command.imports i JOIN jobs.progress p ON p.job_id = i.job_id
           WHERE i.file_id = f.id AND (p.ended_at IS NULL OR p.ended_at > now() - interval '7 days'))
        AND NOT EXISTS (SELECT FROM command.import_drafts d
          WHERE d.id = f.id AND d.state <> 'STARTED' AND d.changed_at > now() - $1 * interval '1 day')
        AND NOT EXISTS (SELECT FROM command.bulk_decisions b WHERE b.file_id = f.id)`,
    [DRAFT_DAYS],
  );
  const hasNoFile = `job_id IN (
    SELECT i.job_id FROM command.imports i
     WHERE NOT EXISTS (SELECT FROM command.staged_files f WHERE f.id = i.file_id))`;
  await pool.query(`DELETE FROM command.staged_rows WHERE ${hasNoFile}`);
  await pool.query(`DELETE FROM command.import_steps WHERE ${hasNoFile}`);
  await pool.query(`DELETE FROM command.import_kept_keys WHERE ${hasNoFile}`);
}
