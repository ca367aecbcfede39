/** The validation phase: reads the file once, stages valid rows and logs rejected rows. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  BUCKETS,
  type CellKind,
  type CellValue,
  csvScanner,
  type FileProfile,
  type ImportCounts,
  isDate,
  noCounts,
  type RejectedCell,
  type StagedFileView,
  streams,
} from '@rdm/contracts';
import { type Encoding, findDraft, type Pool, transaction } from '@rdm/platform';
import { HAS_LEASE, LostLease } from '../../bulk/job-lease.ts';
import { storeRejectedRows, toByteString } from '../../file-imports/rejected-rows.ts';
import { readHeader, readRecords } from '../../file-imports/sources/read-records.ts';
import type { RecordBatch, SourceRecord } from '../../file-imports/sources/source.ts';
import { isOwnEncoding } from '../../file-imports/sources/text-transcoder.ts';
import { readStaged } from '../../file-imports/staged-files.ts';
import { storableText, utf8Transcoder } from '../../file-imports/text-encoding.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { cellsOf, insertRows, mergeRows, type StagedRow, type StagedRows } from '../decider.ts';
import { bucketKeys } from '../validation/bucket-keys.ts';
import { rejectedByDataSet } from '../validation/data-set-refusals.ts';
import { deleteKeptKeys, KeptKeys } from '../validation/kept-keys.ts';
import { checkRecord, isRejected, type RejectedRow, rejectedLater, repeatedKey } from '../validation/row-validation.ts';
import { RowStaging, stagedRows } from '../validation/staged-rows.ts';
import { logRejected } from './job-logs.ts';
import type { Run } from './run.ts';

/** After this time, reading yields to the event loop. */
const SLICE_MS = 8;
/** Scanning few characters at once is faster, because the garbage collector copies the records that are in memory. */
const SLICE_CHARACTERS = 8 * 1024;
const ROWS_PER_LOG = 500;
const BYTES_PER_LOG = 2 * 1024 * 1024;
const CONCURRENT_BUCKETS = 4;

/** In an import that replaces rows, the number of the last step of each bucket: the removal of missing rows. */
export const REMOVAL = 2_147_483_647;

/**
 * A piece of a bucket, or the removal of missing rows (`REMOVAL`). `repeated` lists the lines that are left out because
 * another row of the file has the same key.
 */
interface Step {
  bucket: number;
  number: number;
  repeated: number[];
}

/** Validates the whole file; discards the results of earlier attempts. */
export async function validateFile(run: Run): Promise<ImportCounts> {
  const { lease, claimed, context } = run;
  lease.phase = 'VALIDATION';
  await deleteEarlierAttempts(run);
  const staging = new RowStaging(context.pool, { ...claimed, keyAt: run.plan.keyAt }, run.job.request.mode);
  const counts = await readFile(run, staging);
  const steps = await checkAcrossRows(run, staging, counts);
  lease.validation.total = counts.total;
  lease.validation.counts = { ...counts };
  await storeValidation(run, staging, steps, counts);
  return counts;
}

async function deleteEarlierAttempts({ context, claimed }: Run): Promise<void> {
  if (claimed.attempt === 1) return;
  await context.pool.query('DELETE FROM command.staged_rows WHERE job_id = $1 AND attempt < $2', [
    claimed.jobId,
    claimed.attempt,
  ]);
  await deleteKeptKeys(context.pool, claimed.jobId, claimed.attempt);
  await context.pool.query('DELETE FROM jobs.logs WHERE job_id IN ($1, $2)', [
    claimed.validationJobId,
    claimed.importJobId,
  ]);
  await context.pool.query('DELETE FROM jobs.rejected_rows WHERE job_id = $1', [claimed.jobId]);
}

/** The records of a file. A file with a draft is read with the read options of its profile. */
const recordsOf = (pool: Pool, file: StagedFileView, profile?: FileProfile): AsyncGenerator<RecordBatch> =>
  profile ? readRecords(pool, file, profile) : csvRecords(pool, file);

/** The records of a file, its header included; yields to the event loop regularly. */
async function* csvRecords(pool: Pool, file: StagedFileView): AsyncGenerator<RecordBatch> {
  const transcode = utf8Transcoder(file.encoding as Encoding);
  const scanner = csvScanner(file.delimiter);
  let bytes = 0;
  let sliceStart = performance.now();
  for await (const piece of readStaged(pool, file.id, file.size)) {
    bytes += piece.length;
    const text = transcode(piece).toString('latin1');
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS)
      yield { records: scanner.push(text.slice(at, at + SLICE_CHARACTERS)), bytes };
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await yieldToEventLoop();
    sliceStart = performance.now();
  }
  yield { records: scanner.push(transcode(Buffer.alloc(0), true).toString('latin1'), true), bytes };
}

/**
 * Stores the rejected rows of a job: rows of a text file unchanged, rows of a workbook as typed cells, other records as
 * CSV.
 */
export async function storeRejected({
  context,
  claimed,
  file,
}: Pick<Run, 'context' | 'claimed' | 'file'>): Promise<void> {
  const profile = (await findDraft(context.pool, file.id))?.profile ?? undefined;
  // A file without a profile is a text file.
  const documentColumns = profile && profile.format !== 'text' ? file.columns : undefined;
  const isWorkbook = profile?.format === 'xlsx';
  await storeRejectedRows(context.pool, claimed.jobId, () => {
    let header = isWorkbook
      ? toByteString(JSON.stringify(file.columns))
      : documentColumns
        ? csvRecord(documentColumns.map(toByteString))
        : file.delimiter.repeat(file.columns.length - 1);
    async function* rows() {
      if (profile && !documentColumns) header = (await readHeader(context.pool, file, profile)) || header;
      let isHeader = file.hasHeader && !profile;
      for await (const { records } of recordsOf(context.pool, file, profile)) {
        if (isHeader && records[0]) {
          header = records[0].raw;
          isHeader = false;
        }
        yield records.map(({ line, raw, fields, kinds, formats, malformed }) =>
          isWorkbook
            ? { line, text: typedRecord(fields, kinds, formats), isBroken: false }
            : documentColumns
              ? { line, text: csvRecord(malformed === null ? fields : [raw]), isBroken: false }
              : { line, text: raw, isBroken: malformed !== null },
        );
      }
    }
    return {
      isWorkbook,
      // Rows that cannot be written in the encoding of the file are downloaded as UTF-8.
      encoding: !documentColumns && isOwnEncoding(file.encoding) ? file.encoding : 'utf-8',
      head: () => ({ delimiter: file.delimiter, metadata: '', header }),
      rows: rows(),
    };
  });
}

const csvRecord = (fields: readonly (string | undefined)[]): string =>
  Array.from(fields, (field = '') => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');

/** Encodes a record of a workbook as a JSON array of typed cells. */
const typedRecord = (
  fields: readonly (string | undefined)[],
  kinds: SourceRecord['kinds'],
  formats: SourceRecord['formats'],
): string => {
  const cells = Array.from(fields, (field = '', at) => typedCell(storableText(field), kinds?.[at], formats?.[at]));
  return toByteString(JSON.stringify(cells));
};

function typedCell(text: string, kind: CellKind | undefined, format: string | undefined): RejectedCell {
  if (kind === 'number') return format === undefined ? Number(text) : { number: Number(text), format };
  if (kind === 'boolean') return text === 'true';
  return kind === 'date' && isDate(text) ? { date: text, ...(format !== undefined && { format }) } : text;
}

/** Reads the file once: stages its valid rows, logs its rejected rows, and returns the counts. */
async function readFile(run: Run, staging: RowStaging): Promise<ImportCounts> {
  const { lease, claimed, context, file, plan, draft } = run;
  const counts = noCounts();
  const keptKeys = run.job.request.mode === 'replace' ? new KeptKeys(context.pool, claimed) : undefined;
  let isHeader = file.hasHeader && !draft;
  let rejected: RejectedRow[] = [];
  let rejectedBytes = 0;

  const addRecords = async (records: readonly SourceRecord[]) => {
    await staging.reserve(records.length);
    for (const record of records) {
      if (isHeader) {
        isHeader = false;
        continue;
      }
      counts.total += 1;
      const row = checkRecord(plan, draft ? draft.fixes.apply(record) : record);
      if (isRejected(row)) await keptKeys?.add(row.key);
      if (isRejected(row) && draft?.fixes.isSkipped(row)) counts.skipped += 1;
      else if (isRejected(row)) {
        counts.failed += 1;
        rejected.push(row);
        rejectedBytes += record.raw.length;
        if (rejected.length >= ROWS_PER_LOG || rejectedBytes >= BYTES_PER_LOG) await logBatch();
      } else staging.add(row);
    }
    await staging.settle();
    lease.validation.processed = counts.total;
  };
  const logBatch = async () => {
    const batch = rejected;
    [rejected, rejectedBytes] = [[], 0];
    await logRejected(context.pool, claimed.validationJobId, batch, run);
  };

  for await (const { records, bytes } of recordsOf(context.pool, file, draft?.profile)) {
    await addRecords(records);
    lease.signal.throwIfAborted();
    lease.validation.total = Math.round((counts.total * file.size) / bytes);
    lease.validation.counts = { ...counts };
  }
  await logBatch();
  await keptKeys?.flush();
  await staging.end();
  lease.signal.throwIfAborted();
  return counts;
}

/**
 * Finds rows with repeated keys and, in all-or-nothing imports, rows that the data set refuses. Returns the steps of
 * the import.
 */
async function checkAcrossRows(run: Run, staging: RowStaging, counts: ImportCounts): Promise<Step[]> {
  const { lease, claimed, context, job } = run;
  const keep = run.draft?.fixes.keep;
  const steps: Step[] = [];
  if (job.request.mode === 'replace') {
    for (let bucket = 0; bucket < BUCKETS; bucket++) steps.push({ bucket, number: REMOVAL, repeated: [] });
  }
  await forEachConcurrently(staging.pieces.keys(), CONCURRENT_BUCKETS, async (bucket) => {
    lease.signal.throwIfAborted();
    const repeatedByPiece = await staging.repeatedLines(bucket, keep);
    const pieces = staging.pieces.get(bucket) ?? 0;
    for (let number = 0; number < pieces; number++) {
      const repeated = repeatedByPiece.get(number) ?? new Map<number, number>();
      steps.push({ bucket, number, repeated: [...repeated.keys()] });
      const refused =
        (repeated.size > 0 && !keep) || job.request.allOrNothing
          ? await refusedRows(run, bucket, number, repeated)
          : [];
      counts.failed += refused.length;
      if (keep) counts.skipped += repeated.size;
      await logRejected(context.pool, claimed.validationJobId, refused, run);
    }
    await yieldToEventLoop();
  });
  return steps;
}

async function refusedRows(
  run: Run,
  bucket: number,
  number: number,
  repeated: ReadonlyMap<number, number>,
): Promise<RejectedRow[]> {
  const { claimed, context, job, plan } = run;
  const rows = await stagedRows(context.pool, { ...claimed, keyAt: plan.keyAt }, bucket, number);
  const refused: RejectedRow[] = [];
  const unique: StagedRow[] = [];
  for (const row of rows) {
    const keptLine = repeated.get(row.line);
    if (keptLine === undefined) unique.push(row);
    else if (!run.draft?.fixes.keep)
      refused.push(rejectedLater(plan, row, repeatedKey(plan, keyParts(run, row), `on line ${keptLine}`)));
  }
  return job.request.allOrNothing ? [...refused, ...(await refusedByDataSet(run, bucket, unique))] : refused;
}

/** Decides as the import will: the data set is locked, so it cannot change before the import. */
async function refusedByDataSet(run: Run, bucket: number, rows: StagedRow[]): Promise<RejectedRow[]> {
  const { context, job } = run;
  const stream = streams.instances(job.dataSetId, bucket);
  const piece = pieceOf(run, rows);
  const { refused } =
    piece.mode === 'insert'
      ? insertRows((await context.keyStates.load(bucketKeys, stream)).state, piece).result
      : mergeRows((await context.streams.load(kinds.instances, stream)).state, piece).result;
  return rejectedByDataSet(run.plan, rows, refused);
}

export const pieceOf = ({ claimed, job, plan, schemaRevision, keyFieldIds }: Run, rows: StagedRows) => ({
  jobId: claimed.jobId,
  mode: job.request.mode,
  schemaRevision,
  keyFieldIds,
  fieldIds: plan.mapped.map(({ field }) => field.fieldId),
  rows,
});

function keyParts({ plan }: Run, row: StagedRow): CellValue[] {
  const cells = cellsOf(row);
  return plan.keyAt.map((at) => cells[at] ?? null);
}

/** Stores the result of the validation. Later runs of the job follow exactly these steps. */
async function storeValidation(
  { context, claimed }: Run,
  staging: RowStaging,
  steps: readonly Step[],
  counts: ImportCounts,
): Promise<void> {
  await transaction(context.pool, async (client) => {
    await staging.requireWhole(client);
    const { rowCount } = await client.query(
      `UPDATE command.imports SET validated_attempt = attempt, validated_counts = $3, failures = 0
        WHERE job_id = $1 AND ${HAS_LEASE}`,
      [claimed.jobId, claimed.leasedBy, JSON.stringify(counts)],
    );
    if (rowCount !== 1) throw new LostLease();
    await client.query('DELETE FROM command.import_steps WHERE job_id = $1', [claimed.jobId]);
    await client.query(
      `INSERT INTO command.import_steps (job_id, bucket, number, repeated)
       SELECT $1, s.bucket, s.number, ARRAY(SELECT jsonb_array_elements_text(s.repeated)::integer)
         FROM jsonb_to_recordset($2::jsonb) AS s(bucket smallint, number integer, repeated jsonb)`,
      [claimed.jobId, JSON.stringify(steps)],
    );
  });
  claimed.validatedAttempt = claimed.attempt;
  claimed.validatedCounts = counts;
}
