/** Stores rejected rows, invalid bytes included, so that users can download, correct and import them again. */
import { neutralisedRecord, type RawRow, type TableHead } from '@rdm/contracts';
import type { Encoding, Pool } from '@rdm/platform';
import { restoreBytes } from './text-encoding.ts';

/** Rows are inserted in batches of this many rows or this many bytes. */
const ROWS_PER_INSERT = 500;
const BYTES_PER_INSERT = 4 * 1024 * 1024;
/** The number of lines of the file that one query of the log returns. */
const LINES_PER_QUERY = 10_000;

export interface FileRows {
  encoding: Encoding;
  /** Whether the header and each row are stored as a JSON array of typed cells. */
  isWorkbook?: boolean;
  /** Returns the head of the table; it is known once the first rows are read. */
  head: () => TableHead | undefined;
  /** All rows in the order of the file; a text is a string of UTF-8 bytes, with one character for each byte. */
  rows: AsyncIterable<readonly (RawRow & { line: number })[]>;
}

/** Reads a file again and stores the rows that the job's log lists as errors; skips rows that are already stored. */
export async function storeRejectedRows(pool: Pool, jobId: number, open: () => FileRows): Promise<void> {
  const rejected = rejectedLines(pool, jobId);
  let next = await rejected.next();
  if (next.done) return;
  const file = open();
  const { encoding, isWorkbook = false, head, rows } = file;
  const restoreRecord = (text: string, delimiter: string) =>
    isWorkbook
      ? Buffer.from(text, 'latin1')
      : restoreBytes(text, encoding, (decoded) => neutralisedRecord(decoded, delimiter));
  let batch: { line: number; content: Buffer; isBroken: boolean }[] = [];
  let bytes = 0;
  let delimiter: string | undefined;
  const write = async () => {
    await pool.query(
      `INSERT INTO jobs.rejected_rows (job_id, line, content, is_broken)
       SELECT $1, r.* FROM unnest($2::bigint[], $3::bytea[], $4::boolean[]) AS r ON CONFLICT DO NOTHING`,
      [
        jobId,
        batch.map(({ line }) => line),
        batch.map(({ content }) => content),
        batch.map(({ isBroken }) => isBroken),
      ],
    );
    [batch, bytes] = [[], 0];
  };

  for await (const chunk of rows) {
    for (const { line, text, isBroken } of chunk) {
      while (!next.done && next.value < line) next = await rejected.next();
      if (next.done) break;
      if (next.value !== line) continue;
      delimiter ??= await storeTable(pool, jobId, file, head(), restoreRecord);
      // Only a table has a head. The rejected rows of other documents are not stored.
      if (delimiter === undefined) return;
      const content = restoreRecord(text, delimiter);
      batch.push({ line, content, isBroken });
      bytes += content.length;
      if (batch.length >= ROWS_PER_INSERT || bytes >= BYTES_PER_INSERT) await write();
    }
    if (next.done) break;
  }
  if (batch.length > 0) await write();
}

/** Stores the table's head; returns the delimiter, or undefined without a head. */
async function storeTable(
  pool: Pool,
  jobId: number,
  { encoding, isWorkbook = false }: FileRows,
  head: TableHead | undefined,
  restoreRecord: (text: string, delimiter: string) => Buffer,
): Promise<string | undefined> {
  if (!head) return undefined;
  const { delimiter, metadata, header } = head;
  await pool.query(
    `INSERT INTO jobs.rejected_tables (job_id, encoding, delimiter, metadata, header, is_workbook) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT DO NOTHING`,
    [jobId, encoding, delimiter, restoreBytes(metadata, encoding), restoreRecord(header, delimiter), isWorkbook],
  );
  return delimiter;
}

/** Yields in order the lines that the job or its phases logged as errors and that are not stored yet. */
async function* rejectedLines(pool: Pool, jobId: number): AsyncGenerator<number> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query<{ line: number }>(
      `SELECT DISTINCT record_index AS line FROM jobs.logs l
        WHERE job_id IN (SELECT $1::bigint UNION SELECT job_id FROM jobs.progress WHERE parent_job_id = $1)
          AND status = 'ERROR' AND record_index > $2
          AND NOT EXISTS (SELECT FROM jobs.rejected_rows r WHERE r.job_id = $1 AND r.line = l.record_index)
        ORDER BY record_index LIMIT ${LINES_PER_QUERY}`,
      [jobId, after],
    );
    for (const { line } of rows) yield line;
    const last = rows.at(-1);
    if (!last || rows.length < LINES_PER_QUERY) return;
    after = last.line;
  }
}

/** Converts a text to a string of its UTF-8 bytes, with one character for each byte. */
export const toByteString = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
