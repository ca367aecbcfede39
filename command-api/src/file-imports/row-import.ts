/** Steps that imports of mappings and imports of relationship values share. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  CELL_CHARACTERS_MAX,
  csvScanner,
  type ImportProblem,
  type JobType,
  type RawRow,
  Refusal,
  type RowOutcome,
  type StagedRowsView,
  type TableHead,
  WORDS,
  withoutApostrophe,
} from '@rdm/contracts';
import { type Encoding, findDraft, type Pool } from '@rdm/platform';
import { jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { startJob } from '../bulk/start.ts';
import type { CommandAnswer } from '../runtime/command-answer.ts';
import type { Execution } from '../runtime/execution.ts';
import type { ImportedRowOutcome } from '../runtime/job-pieces.ts';
import { storeRejectedRows, toByteString } from './rejected-rows.ts';
import { sheetText } from './sheet-text.ts';
import { readRecords } from './sources/read-records.ts';
import { findStagedRows, readStaged } from './staged-files.ts';
import { utf8Transcoder } from './text-encoding.ts';

/** Returns the user's own file that was uploaded for this crosswalk or relationship; otherwise throws NOT_FOUND. */
export async function requireStagedRows(
  x: Execution,
  fileId: string,
  into: { crosswalkId: number } | { relationshipId: number },
): Promise<StagedRowsView> {
  const staged = await findStagedRows(x.pool, fileId);
  const isForTarget =
    staged && Object.entries(into).every(([name, id]) => staged.view[name as keyof StagedRowsView] === id);
  if (!isForTarget || staged.ownerId !== x.ownerId) {
    throw new Refusal('NOT_FOUND', WORDS.uploadGone);
  }
  return staged.view;
}

/** Starts the import job. Users with WRITE on the source data set can cancel this job. */
export const startImportJob = async (
  x: Execution,
  { id }: StagedRowsView,
  jobType: JobType,
  description: string,
  governedBy: number[],
): Promise<CommandAnswer> => {
  const answer = await startJob(x, {
    input: { fileId: id },
    jobType,
    description,
    dataSetIds: governedBy.slice(0, 1),
    governedBy,
    verbText: 'Import',
    total: null,
  });
  // Prevents changes of the draft after the start of the import.
  await x.pool.query(`UPDATE command.import_drafts SET state = 'STARTED', job_id = $2 WHERE id = $1`, [
    id,
    answer.body?.['jobId'],
  ]);
  return answer;
};

interface TextPart {
  text: string;
  last: boolean;
}

/** Yields the text of a staged file in parts. A workbook becomes CSV: its draft gives the sheet and the header row. */
export async function* readText(pool: Pool, file: StagedRowsView): AsyncGenerator<TextPart> {
  const draft = await findDraft(pool, file.id);
  if (draft?.profile?.format !== 'xlsx') yield* decodedText(pool, file);
  else {
    if (draft.state === 'READING') throw new Refusal('CONFLICT', 'The file is still being read: wait a moment');
    for await (const text of sheetText(readRecords(pool, file, draft.profile), draft.profile)) {
      yield { text, last: false };
    }
    yield { text: '', last: true };
  }
}

/** Decodes a staged file in parts. Throws for invalid bytes, because replacement characters would change codes. */
async function* decodedText(pool: Pool, { id, size, encoding }: StagedRowsView): AsyncGenerator<TextPart> {
  const transcode = utf8Transcoder(encoding as Encoding);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let read = 0;
  for await (const part of readStaged(pool, id, size)) {
    read += part.length;
    const last = read >= size;
    let text: string;
    try {
      text = decoder.decode(transcode(part, last), { stream: !last });
    } catch {
      throw new Refusal('INVALID', `The file has bytes that are not ${encoding}: save it as UTF-8 text`);
    }
    yield { text, last };
  }
}

const SLICE_ROWS = 2_000;

/** Iterates over many items and yields to the event loop between slices. */
export async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  let remaining = SLICE_ROWS;
  for (const item of items) {
    if (remaining-- === 0) {
      await yieldToEventLoop();
      remaining = SLICE_ROWS;
    }
    yield item;
  }
}

/**
 * Groups the rows of a file by bucket, in chunks that fit one append. `markRepeats` gets all rows of a bucket, and
 * marks rows that repeat an earlier row.
 */
export async function chunksByBucket<Read, Row, Marked>(
  read: readonly Read[],
  toRow: (row: Read, index: number) => Row,
  bucketOf: (row: Row) => number,
  markRepeats: (rows: readonly Row[]) => Marked[],
): Promise<Map<number, Marked[][]>> {
  const byBucket = new Map<number, Row[]>();
  let index = 0;
  for await (const each of inSlices(read)) {
    const row = toRow(each, index++);
    const bucket = bucketOf(row);
    const bucketRows = byBucket.get(bucket);
    if (bucketRows) bucketRows.push(row);
    else byBucket.set(bucket, [row]);
  }
  const chunks = new Map<number, Marked[][]>();
  for await (const [bucket, bucketRows] of inSlices(byBucket)) {
    chunks.set(bucket, toChunks(markRepeats(bucketRows), () => bucket, jsonBytes).get(bucket) ?? []);
  }
  return chunks;
}

/** Returns the outcome of a row that is refused before a decision. `key` identifies the row for users. */
export function refusedRow(
  line: number,
  key: string,
  data: Record<string, string>,
  problems: ImportProblem[],
): ImportedRowOutcome {
  const rules = problems.map(({ column, rule }) => (column === '' ? rule : `${column}: ${rule}`));
  // Leaves one character above the limit, so that an import of the rejected rows refuses the value again.
  const cut = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, value.slice(0, CELL_CHARACTERS_MAX + 1)]),
  );
  return { id: line, line, outcome: 'refused', code: 'INVALID', message: rules.join('; '), key, data: cut, problems };
}

/** Reads the rows of a table with their original text. */
export interface RawRows {
  push(text: string, last: boolean): Iterable<{ line: number; raw?: RawRow }>;
  head(): TableHead | undefined;
}

/** Runs an import, and stores the rows that its job rejected, even if the import is refused. */
export async function withRejectedRows<T>(
  x: Execution,
  file: StagedRowsView,
  open: () => RawRows,
  work: () => Promise<T>,
): Promise<T> {
  const answer = await work().catch(async (error: unknown) => {
    if (error instanceof Refusal) await storeRejected(x, file, open);
    throw error;
  });
  await storeRejected(x, file, open);
  return answer;
}

const storeRejected = async (x: Execution, file: StagedRowsView, open: () => RawRows): Promise<void> => {
  if (x.jobId === undefined) return;
  const isWorkbook = (await findDraft(x.pool, file.id))?.profile?.format === 'xlsx';
  await storeRejectedRows(x.pool, x.jobId, () => {
    const reader = open();
    const stored = (text: string) => toByteString(isWorkbook ? JSON.stringify(cellsOf(text)) : text);
    async function* rows() {
      for await (const { text, last } of readText(x.pool, file)) {
        yield Array.from(reader.push(text, last), ({ line, raw }) => ({
          line,
          text: stored(raw?.text ?? ''),
          isBroken: !isWorkbook && (raw?.isBroken ?? false),
        }));
        await yieldToEventLoop();
      }
    }
    const head = (): TableHead | undefined => {
      const tableHead = reader.head();
      if (!tableHead) return undefined;
      return { ...tableHead, metadata: toByteString(tableHead.metadata), header: stored(tableHead.header) };
    };
    return { isWorkbook, encoding: isWorkbook ? 'utf-8' : (file.encoding as Encoding), head, rows: rows() };
  });
};

/** The cells of a record that `sheetText` wrote as CSV. */
const cellsOf = (record: string): string[] =>
  csvScanner(',')
    .push(record, true)
    .flatMap(({ fields }) => fields.map(withoutApostrophe));

const REFUSED_PER_PIECE = 1_000;

/** Counts and logs the rows that are refused before a decision, in pieces of their own. */
export async function reportRefused(x: Execution, refused: readonly ImportedRowOutcome[]): Promise<void> {
  for (let from = 0; from < refused.length; from += REFUSED_PER_PIECE) {
    await x.piece(`unread-${from}`, async () => refused.slice(from, from + REFUSED_PER_PIECE));
  }
}

/** Decides a piece. The job stores the outcomes, because the outcomes of all pieces might not fit in memory. */
export async function decideInJob(x: Execution, stream: string, decide: () => Promise<RowOutcome[]>): Promise<[]> {
  await x.piece(stream, decide);
  return [];
}
