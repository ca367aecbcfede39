/** Keeps the rows of a file that its job rejected as the file has them: they are given back to be mended and sent again. */
import { neutralisedRecord, type RawRow, type TableHead } from '@rdm/contracts';
import type { Encoding, Pool } from '@rdm/platform';
import { restoreBytes } from './text-encoding.ts';

/** Rows written at once, and their bytes. */
const ROWS_PER_INSERT = 500;
const BYTES_PER_INSERT = 4 * 1024 * 1024;
/** Lines of the log that are read at once. */
const LINES_PER_QUERY = 10_000;

export interface FileRows {
  encoding: Encoding;
  /** The table that the rows are of; asked for once there are rows. */
  head: () => TableHead | undefined;
  /** All rows in the order of the file; their texts, and the head's, are UTF-8 read one character a byte. */
  rows: AsyncIterable<readonly (RawRow & { line: number })[]>;
}

/** Reads a file again for the rows that the log of a job rejects; does nothing where it rejects none, or has them all. */
export async function storeRejectedRows(pool: Pool, jobId: number, open: () => FileRows): Promise<void> {
  const rejected = rejectedLines(pool, jobId);
  let next = await rejected.next();
  if (next.done) return;
  const { encoding, head, rows } = open();
  const restoreRecord = (text: string, delimiter: string) =>
    restoreBytes(text, encoding, (given) => neutralisedRecord(given, delimiter));
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
      delimiter ??= await storeTable(pool, jobId, encoding, head());
      // A document has no rows that could be given back as they stand.
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

/** Answers the delimiter. */
async function storeTable(
  pool: Pool,
  jobId: number,
  encoding: Encoding,
  head: TableHead | undefined,
): Promise<string | undefined> {
  if (!head) return undefined;
  const { delimiter, metadata, header } = head;
  await pool.query(
    `INSERT INTO jobs.rejected_tables (job_id, encoding, delimiter, metadata, header) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [
      jobId,
      encoding,
      delimiter,
      restoreBytes(metadata, encoding),
      restoreBytes(header, encoding, (given) => neutralisedRecord(given, delimiter)),
    ],
  );
  return delimiter;
}

/** Lines that the log of a job, or of one of its phases, rejects and that are not kept yet, ascending. */
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

/** Text as UTF-8 read one character a byte. */
export const toByteString = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
