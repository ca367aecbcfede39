/** Decides how the relationship values of a file change a bucket; previews use the same decision. */
import {
  type CellValue,
  displayedCell,
  type ImportProblem,
  type Pair,
  REVIEW_REFUSALS,
  type RelationshipAttribute,
  type RelationshipValue,
  type RelationshipValueBucket,
  type RelationshipValueContent,
  type RelationshipValueEvent,
  type Reviewer,
  type ReviewRefusal,
  readCell,
  refusal,
  relationshipValueKey,
  rowId,
  type ValueFormat,
} from '@rdm/contracts';
import type { Decision } from '../runtime/decision.ts';
import type { ImportedRowOutcome } from '../runtime/job-pieces.ts';
import {
  isFull,
  isSameValue,
  missingAttribute,
  PairIndex,
  pairOf,
  TOO_MANY,
  type ValueOutcome,
  type ValueRules,
  withoutNulls,
} from './values.ts';

/** A value of the file whose two rows exist, with its attribute cells by the id of the attribute. */
export interface FileValue extends Pair {
  line: number;
  /** Determines the id of a new value. */
  sequence: number;
  sourceKey: string;
  targetKey: string;
  cells: Readonly<Record<string, unknown>>;
  /** The line of an earlier value with the same pair. */
  repeats?: number;
}

export interface ImportOptions {
  rules: ValueRules;
  /** The current attributes; cells of other attributes are refused. */
  attributes: readonly RelationshipAttribute[];
  format: ValueFormat;
  submit: boolean;
  by: Reviewer;
}

/** The outcome of a value of the file, with the previous attributes if the import changes it. */
export interface ImportedPair extends ImportedRowOutcome, Pick<ValueOutcome, 'conflict'> {
  before?: Readonly<Record<string, CellValue>>;
}

/** How the user can resolve a refusal. */
const FIXES: Partial<Record<string, string>> = {
  PENDING: 'Recall it, or wait until it is decided',
  LEVEL: 'Ask an administrator of the collection for WRITE permission',
  SELF: 'Name two rows, or leave the row out',
  CARDINALITY: 'Choose another row for the existing value, delete that value, or leave this row out',
  TOO_MANY: 'Leave the row out',
};

/**
 * Decides each row of the file, with an outcome for each. All values that the cardinality compares are in one bucket.
 */
export function importValues(
  bucket: RelationshipValueBucket,
  rows: readonly FileValue[],
  { rules, attributes, format, submit, by }: ImportOptions,
): Decision<RelationshipValueEvent, ImportedPair[]> {
  const pairs = new PairIndex(bucket, rules);
  const drafted: ({ id: number } & RelationshipValueContent)[] = [];
  const edited: ({ id: number } & RelationshipValueContent)[] = [];
  const outcomes = rows.map((row): ImportedPair => {
    const { line, sequence, cells, repeats, ...keys } = row;
    const pair = pairOf(row);
    const common = { line, data: dataOf(row, attributes), problems: [] };
    const refused = (id: number, code: string, ...problems: ImportProblem[]): ImportedPair => {
      const message = problems.map(({ column, rule }) => (column === '' ? rule : `${column}: ${rule}`)).join('; ');
      const key = `${keys.sourceKey} → ${keys.targetKey}`;
      return { ...common, id, outcome: 'refused', code, message, key, problems };
    };
    const wrong = (id: number, code: string, rule: string, fix: string) =>
      refused(id, code, { column: '', value: '', rule, fix });
    if (repeats !== undefined) {
      return wrong(line, 'REPEATED', `This pair is in row ${repeats} already`, 'Leave one of the two out');
    }
    const read = readAttributes(cells, attributes, format);
    if (read.problems.length > 0) return refused(line, 'INVALID', ...read.problems);
    const existing = holderOf(bucket, pair);
    const own = withoutNulls({ ...existing?.value.attributes, ...read.attributes });
    const value = { ...pair, attributes: own };
    // The pair is served, although its row now drafts another pair.
    if (existing && (!isPair(existing.value, pair) || isSameValue(existing.value, value))) {
      return { ...common, id: existing.id, outcome: 'done', became: 'unchanged', revision: existing.revision };
    }
    const missing = missingAttribute(rules, own);
    if (missing !== undefined)
      return wrong(existing?.id ?? line, 'INVALID', missing, 'Fill it in, or leave the row out');
    if (existing) {
      const why = refusal('edit', existing, by);
      if (why) return wrong(existing.id, why, REVIEW_REFUSALS[why], fixOf(why));
      edited.push({ id: existing.id, ...value });
      const revision = existing.revision + (submit ? 2 : 1);
      return {
        ...common,
        id: existing.id,
        outcome: 'done',
        became: 'changed',
        revision,
        before: existing.value.attributes,
      };
    }
    const why = pairs.refusal(pair, undefined, line);
    if (why) {
      const { code = 'INVALID', message = '', conflict } = why;
      return { ...wrong(line, code, message, fixOf(code)), ...(conflict ? { conflict } : {}) };
    }
    if (isFull(bucket, drafted.length, rules)) return wrong(line, 'TOO_MANY', TOO_MANY, fixOf('TOO_MANY'));
    const id = rowId(sequence, relationshipValueKey(rules.cardinality, pair));
    pairs.set(id, [pair]);
    drafted.push({ id, ...value });
    return { ...common, id, outcome: 'done', became: 'created', revision: submit ? 2 : 1 };
  });
  const events: RelationshipValueEvent[] = [];
  if (drafted.length > 0) events.push({ type: 'RelationshipValuesDrafted', data: { rows: drafted } });
  if (edited.length > 0) events.push({ type: 'RelationshipValuesEdited', data: { rows: edited } });
  const writtenIds = [...drafted, ...edited].map(({ id }) => id);
  if (submit && writtenIds.length > 0) events.push({ type: 'RelationshipValuesSubmitted', data: { ids: writtenIds } });
  return { events, result: outcomes };
}

const fixOf = (code: ReviewRefusal | string): string => FIXES[code] ?? 'Leave the row out';

const isPair = (a: Pair, b: Pair): boolean =>
  a.sourceInstanceId === b.sourceInstanceId && a.targetInstanceId === b.targetInstanceId;

/** Returns the row that has the pair. If one row has it as its working value and another one as its served value, returns the row with the working value. */
function holderOf({ rows, bySource, byTarget }: RelationshipValueBucket, pair: Pair): RelationshipValue | undefined {
  const [sources, targets] = [bySource.get(pair.sourceInstanceId), byTarget.get(pair.targetInstanceId)];
  if (!sources || !targets) return undefined;
  let serving: RelationshipValue | undefined;
  for (const id of sources.size < targets.size ? sources : targets) {
    const row = rows.get(id);
    if (row && isPair(row.value, pair)) return row;
    if (row?.served && isPair(row.served, pair)) serving = row;
  }
  return serving;
}

/** Reads attribute cells by id; returns the attributes and the problems of invalid cells. */
export function readAttributes(
  cells: FileValue['cells'],
  known: readonly RelationshipAttribute[],
  format: ValueFormat,
): { attributes: Record<string, CellValue>; problems: ImportProblem[] } {
  const attributes: Record<string, CellValue> = {};
  const problems: ImportProblem[] = [];
  for (const [id, cell] of Object.entries(cells)) {
    const attribute = known.find(({ attributeId }) => String(attributeId) === id);
    if (!attribute) {
      const rule = 'The attribute was removed meanwhile';
      problems.push({ column: '', value: displayedCell(cell), rule, fix: 'Import the file again' });
      continue;
    }
    const read = readCell(cell, attribute, format);
    if (read.ok) attributes[id] = read.value;
    else problems.push(read.problem);
  }
  return { attributes, problems };
}

/** The row's cells by the column names that an import recognises. */
export function dataOf(
  { sourceKey, targetKey, cells }: Pick<FileValue, 'sourceKey' | 'targetKey' | 'cells'>,
  attributes: readonly Pick<RelationshipAttribute, 'attributeId' | 'name'>[],
): Record<string, string> {
  const own = attributes.flatMap(({ attributeId, name }) =>
    cells[attributeId] === undefined ? [] : [[name, displayedCell(cells[attributeId])] as const],
  );
  return { ...Object.fromEntries(own), sourceKey, targetKey };
}

/** Marks pairs that repeat an earlier row. */
export function markRepeats<Row extends Pair & { line: number }>(rows: readonly Row[]): (Row & { repeats?: number })[] {
  const firstLines = new Map<string, number>();
  return rows.map((row) => {
    const pair = `${row.sourceInstanceId} ${row.targetInstanceId}`;
    const repeats = firstLines.get(pair);
    if (repeats === undefined) firstLines.set(pair, row.line);
    return repeats === undefined ? row : { ...row, repeats };
  });
}
