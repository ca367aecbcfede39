/** Runs the dry run of a draft: checks its records and counts the outcomes of an import, without changing a row. */
import {
  BUCKETS,
  type CellValue,
  type DraftCheck,
  type DraftOutcome,
  type InstanceBucket,
  type ProblemRule,
  type ResolvedColumn,
  streams,
  warningOf,
} from '@rdm/contracts';
import type { CheckResult, Pool, StoredDraft } from '@rdm/platform';
import { emptyCheck } from '@rdm/platform';
import { readRecords } from '../../file-imports/sources/read-records.ts';
import type { SourceRecord } from '../../file-imports/sources/source.ts';
import { placeOf } from '../../file-imports/sources/source-places.ts';
import { storableText } from '../../file-imports/text-encoding.ts';
import { loadRowReferences } from '../../invariants/row-references.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import type { Streams } from '../../runtime/streams.ts';
import { cellsOf, insertRows, mergeRows, type RemovalCriteria, type StagedRow, splitMissing } from '../decider.ts';
import { bucketKeys } from '../validation/bucket-keys.ts';
import { rejectedByDataSet } from '../validation/data-set-refusals.ts';
import { deleteKeptKeys, KeptKeys, keysOfFile } from '../validation/kept-keys.ts';
import { checkRecord, type FlawedRow, isRejected, rejectedLater, repeatedKey } from '../validation/row-validation.ts';
import { RowStaging, type Staged, stagedRows } from '../validation/staged-rows.ts';
import { loadTarget, type ReadyDraft, requireReadyDraft } from './draft-target.ts';
import { planFixes } from './fixes.ts';
import { ProblemCollector } from './problem-collector.ts';

const ROWS_SHOWN = 50;
const CONCURRENT_BUCKETS = 4;

export interface DryRunContext {
  pool: Pool;
  streams: Streams;
  /** The cache of bucket states that contain only the keys of the rows (bucket-keys.ts). */
  keyStates: Streams;
}

export interface DryRunProgress {
  processed: number;
  total: number;
}

export async function runCheck(
  context: DryRunContext,
  draft: StoredDraft & { checkJobId: number; attempt: number },
  progress: DryRunProgress,
  signal: AbortSignal,
): Promise<CheckResult> {
  const ready = requireReadyDraft(draft, await loadTarget(context.streams, draft.settings.target));
  const removal =
    ready.resolved.mode === 'replace' && ready.dataSet
      ? { isReferenced: await loadRowReferences(context.streams, ready.dataSet) }
      : undefined;
  const run = new DryRun(context, draft, ready, progress, signal, removal);
  await deleteStagedRows(context.pool, draft.checkJobId);
  await context.pool.query('DELETE FROM command.import_problems WHERE draft_id = $1', [draft.id]);
  try {
    return await run.check();
  } finally {
    await deleteStagedRows(context.pool, draft.checkJobId);
  }
}

async function deleteStagedRows(pool: Pool, jobId: number): Promise<void> {
  await pool.query('DELETE FROM command.staged_rows WHERE job_id = $1', [jobId]);
  await deleteKeptKeys(pool, jobId);
}

type ExampleRow = DraftCheck['rows'][DraftOutcome][number];

class DryRun {
  readonly #context: DryRunContext;
  readonly #draft: StoredDraft & { checkJobId: number; attempt: number };
  readonly #ready: ReadyDraft;
  readonly #progress: DryRunProgress;
  readonly #signal: AbortSignal;
  readonly #problems: ProblemCollector;
  readonly #result: CheckResult;
  /** Set if the file replaces the rows of a data set; rows that other data refers to stay in the data set. */
  readonly #removal: Pick<RemovalCriteria, 'isReferenced'> | undefined;
  readonly #keptKeys: KeptKeys | undefined;

  constructor(
    context: DryRunContext,
    draft: StoredDraft & { checkJobId: number; attempt: number },
    ready: ReadyDraft,
    progress: DryRunProgress,
    signal: AbortSignal,
    removal: Pick<RemovalCriteria, 'isReferenced'> | undefined,
  ) {
    this.#removal = removal;
    this.#keptKeys = removal && new KeptKeys(context.pool, { jobId: draft.checkJobId, attempt: draft.attempt });
    [this.#context, this.#draft, this.#ready, this.#progress, this.#signal] = [context, draft, ready, progress, signal];
    this.#problems = new ProblemCollector(
      context.pool,
      draft.id,
      draft.checkJobId,
      ready.profile.columns.map((profile, index) => ({ ...profile, ...typeOf(ready.resolved.columns[index]) })),
      ready.resolved.columns.find(({ isLabel }) => isLabel)?.index ?? null,
    );
    this.#result = {
      ...emptyCheck(),
      revision: draft.revision,
      fields: ready.plan.mapped.map(({ field }) => field.name),
    };
  }

  get #staged(): Staged {
    const { checkJobId: jobId, attempt } = this.#draft;
    return { jobId, attempt, keyAt: this.#ready.plan.keyAt };
  }

  async check(): Promise<CheckResult> {
    const staging = new RowStaging(this.#context.pool, this.#staged, this.#ready.resolved.mode);
    await this.#readFile(staging);
    const buckets = this.#removal ? Array(BUCKETS).keys() : staging.pieces.keys();
    await forEachConcurrently(buckets, CONCURRENT_BUCKETS, (bucket) => this.#checkBucket(staging, bucket));
    await this.#problems.flush();
    for (const rows of Object.values(this.#result.rows)) {
      rows.sort((a, b) => a.record - b.record);
      rows.splice(ROWS_SHOWN);
    }
    const { processed: total } = this.#progress;
    return {
      ...this.#result,
      processed: total,
      total,
      groups: this.#problems.groups(),
      invalidRecords: this.#problems.invalidRecords,
    };
  }

  async #readFile(staging: RowStaging): Promise<void> {
    const { profile, plan, resolved } = this.#ready;
    const fixes = planFixes(resolved, profile.read.delimiter);
    this.#progress.total = profile.records;
    for await (const { records } of readRecords(this.#context.pool, this.#draft, profile)) {
      await staging.reserve(records.length);
      for (const each of records) {
        const record = fixes.apply(each);
        const row = checkRecord(plan, record);
        if (isRejected(row)) await this.#keptKeys?.add(row.key);
        if (!isRejected(row)) {
          staging.add(row);
          await this.#warn(record, row.line);
        } else if (fixes.isSkipped(row))
          this.#addOutcome('skipped', { ...this.#at(row.line), after: this.#mappedTexts(record), before: null });
        else await this.#reject(row, textsOf(record), this.#mappedTexts(record));
      }
      await staging.settle();
      this.#progress.processed += records.length;
      this.#signal.throwIfAborted();
    }
    await this.#keptKeys?.flush();
    await staging.end();
  }

  /** Reports the warnings about a valid row, such as an empty label. */
  async #warn(record: SourceRecord, line: number): Promise<void> {
    const { plan, profile, resolved, dataSet } = this.#ready;
    let flaws: FlawedRow['flaws'] | undefined;
    for (const { index, name, field } of plan.mapped) {
      const text = record.fields[index] ?? '';
      const column = {
        dataType: field.dataType,
        codeLength: profile.columns[index]?.codeLength ?? null,
        mixedDates: profile.columns[index]?.hasBothDateOrders && resolved.columns[index]?.format,
        isLabel: dataSet ? field.fieldId === dataSet.labelFieldId : resolved.columns[index]?.isLabel === true,
      };
      const rule = warningOf(text, record.kinds?.[index], column);
      if (!rule) continue;
      const flaw = {
        rule,
        column: name,
        value: storableText(text),
        reason: WARNINGS[rule] ?? '',
        fix: 'Check the value.',
      };
      if (flaws) flaws.push(flaw);
      else flaws = [flaw];
    }
    if (!flaws) return;
    await this.#problems.add({ line, flaws }, this.#placeOf({ line, flaws }), () => textsOf(record), false);
  }

  async #reject(row: FlawedRow, cells: string[], mapped: string[]): Promise<void> {
    this.#addOutcome('invalid', { ...this.#at(row.line), after: mapped, before: null });
    await this.#problems.add(row, this.#placeOf(row), () => cells);
  }

  /** The place of a row's problem: the cell of the only flaw; the row for several flaws or a flaw without a cell. */
  #placeOf({ line, flaws }: FlawedRow): string {
    const [flaw] = flaws;
    const column = flaws.length === 1 && flaw?.column ? this.#ready.plan.columns.indexOf(flaw.column) : null;
    return placeOf(this.#ready.profile, line, column);
  }

  /** Compares the rows of a bucket with each other and with the data set. */
  async #checkBucket(staging: RowStaging, bucket: number): Promise<void> {
    const { pool, streams: states, keyStates } = this.#context;
    const { plan, resolved, dataSet } = this.#ready;
    this.#signal.throwIfAborted();
    const { keep } = planFixes(resolved);
    if (this.#removal && dataSet) await this.#checkMissing(this.#removal, dataSet.id, bucket);
    const repeated = await staging.repeatedLines(bucket, keep);
    const pieces = staging.pieces.get(bucket) ?? 0;
    for (let number = 0; number < pieces; number++) {
      const rows: StagedRow[] = [];
      for (const row of await stagedRows(pool, this.#staged, bucket, number)) {
        const otherLine = repeated.get(number)?.get(row.line);
        if (otherLine === undefined) rows.push(row);
        else if (keep !== undefined)
          this.#addOutcome('skipped', { ...this.#at(row.line), after: textsOfRow(row), before: null });
        else
          await this.#rejectStaged(
            row,
            rejectedLater(plan, row, repeatedKey(plan, this.#keyParts(row), `on line ${otherLine}`)),
          );
      }
      if (!dataSet) {
        for (const row of rows)
          this.#addOutcome('new', { ...this.#at(row.line), after: textsOfRow(row), before: null });
        continue;
      }
      const stream = streams.instances(dataSet.id, bucket);
      if (resolved.mode === 'insert') {
        const { result } = insertRows((await keyStates.load(bucketKeys, stream)).state, this.#pieceOf(rows));
        await this.#countPiece(rows, result, undefined);
      } else {
        const { state } = await states.load(kinds.instances, stream);
        await this.#countPiece(rows, mergeRows(state, this.#pieceOf(rows)).result, state);
      }
    }
  }

  /** Counts the rows of a bucket that are missing in the file. */
  async #checkMissing({ isReferenced }: Pick<RemovalCriteria, 'isReferenced'>, dataSetId: number, bucket: number) {
    const { pool, streams: states } = this.#context;
    const { state } = await states.load(kinds.instances, streams.instances(dataSetId, bucket));
    const keys = await keysOfFile(pool, this.#staged, bucket);
    const { removed, kept } = splitMissing(state, { keys, isReferenced });
    for (const [outcome, rows] of [['removed', removed] as const, ['kept', kept] as const]) {
      for (const { id, values } of rows) {
        const texts = this.#ready.plan.mapped.map(({ field }) => textOfCell(values[field.fieldId] ?? null));
        this.#addOutcome(outcome, { record: id, place: '', after: texts, before: null });
      }
    }
  }

  /** Counts the outcome of each row of a piece. `before` is the current bucket; undefined if rows are only added. */
  async #countPiece(
    rows: readonly StagedRow[],
    { refused, undo }: ReturnType<typeof insertRows>['result'],
    before: InstanceBucket | undefined,
  ): Promise<void> {
    const refusals = new Map(rejectedByDataSet(this.#ready.plan, rows, refused).map((row) => [row.line, row]));
    const added = new Set(undo.added);
    const changed = new Map(undo.changed.map(({ id, values }) => [id, values]));
    for (const row of rows) {
      const at = this.#at(row.line);
      const refusal = refusals.get(row.line);
      const currentId = before?.ids.get(row.key);
      const earlier = currentId === undefined ? undefined : changed.get(currentId);
      if (refusal) await this.#rejectStaged(row, refusal);
      else if (added.has(row.id)) this.#addOutcome('new', { ...at, after: textsOfRow(row), before: null });
      else if (currentId !== undefined && earlier) {
        const current = before?.rows.get(currentId)?.values ?? {};
        this.#addOutcome('changed', {
          ...at,
          after: textsOfRow(row),
          before: this.#ready.plan.mapped.map(({ field }) => textOfCell(current[field.fieldId] ?? null)),
        });
        const cells = cellsOf(row);
        for (const [index, { field }] of this.#ready.plan.mapped.entries()) {
          if ((cells[index] ?? null) === null && (earlier[field.fieldId] ?? null) !== null) this.#result.cleared += 1;
        }
      } else this.#addOutcome('unchanged', { ...at, after: textsOfRow(row), before: null });
    }
  }

  /** Rejects a staged row: only its mapped cells are known, so the other columns are empty. */
  async #rejectStaged(row: StagedRow, rejected: FlawedRow): Promise<void> {
    const texts = textsOfRow(row);
    const cells = this.#ready.plan.columns.map(() => '');
    for (const [at, { index }] of this.#ready.plan.mapped.entries()) cells[index] = texts[at] ?? '';
    await this.#reject(rejected, cells, texts);
  }

  /** Counts a row, and adds it to the example rows of its outcome. */
  #addOutcome(outcome: DraftOutcome, row: ExampleRow): void {
    this.#result.counts[outcome] += 1;
    const rows = this.#result.rows[outcome];
    rows.push(row);
    // Rows arrive by bucket, not in the order of the file: keep the rows that come first in the file.
    if (rows.length >= 20 * ROWS_SHOWN) {
      rows.sort((a, b) => a.record - b.record);
      rows.splice(ROWS_SHOWN);
    }
  }

  #at(record: number): Pick<ExampleRow, 'record' | 'place'> {
    return { record, place: placeOf(this.#ready.profile, record, null) };
  }

  #mappedTexts(record: SourceRecord): string[] {
    return this.#ready.plan.mapped.map(({ index }) => storableText(record.fields[index] ?? ''));
  }

  #keyParts(row: StagedRow): CellValue[] {
    const cells = cellsOf(row);
    return this.#ready.plan.keyAt.map((at) => cells[at] ?? null);
  }

  #pieceOf(rows: readonly StagedRow[]) {
    const { resolved, plan, keyFieldIds, schemaRevision } = this.#ready;
    return {
      jobId: this.#draft.checkJobId,
      mode: resolved.mode,
      schemaRevision,
      keyFieldIds,
      fieldIds: plan.mapped.map(({ field }) => field.fieldId),
      rows,
    };
  }
}

const WARNINGS: Partial<Record<ProblemRule, string>> = {
  SPACES: 'The value begins or ends with blanks',
  SCIENTIFIC: 'A spreadsheet program has cut digits of the number',
  ZEROS_LOST: 'The code is shorter than the others: leading zeros are probably missing',
  EMPTY_LABEL: 'The row has no label',
  DATE_ORDER: 'Some dates of the column begin with the day, others with the month, and this one can be either',
};

const textsOf = (record: SourceRecord): string[] => record.fields.map(storableText);
const textOfCell = (cell: CellValue): string => (cell === null ? '' : String(cell));
const textsOfRow = (row: StagedRow): string[] => cellsOf(row).map(textOfCell);

const typeOf = (column: ResolvedColumn | undefined) =>
  column ? { dataType: column.dataType, format: column.format } : {};
