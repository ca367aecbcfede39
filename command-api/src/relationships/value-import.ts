/** Decides how the relationship values of a file change a bucket, for imports and previews. */
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
  missingAttributeMessage,
  PairIndex,
  pairOf,
  TOO_MANY,
  type ValueOutcome,
  type ValueRules,
  withoutNulls,
} from './values.ts';

/** A relationship value of the file. Its source row and its target row exist. */
export interface FileValue extends Pair {
  line: number;
  /** Determines the id of a new value. */
  sequence: number;
  sourceKey: string;
  targetKey: string;
  /** The cells by the id of their attribute. */
  cells: Readonly<Record<string, unknown>>;
  /** The line of the first value with the same pair; undefined for the first value. */
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

/** The outcome of a value of the file. `before` has the previous attributes of a changed value. */
export interface ImportedPair extends ImportedRowOutcome, Pick<ValueOutcome, 'conflict'> {
  before?: Readonly<Record<string, CellValue>>;
}

/** How the user can resolve a refusal. */
const FIXES: Partial<Record<string, string>> = {
  PENDING: 'Recall it, or wait until it is decided',
  LEVEL: 'Ask an administrator of the collection for WRITE permission',
  SELF: 'Enter a target row that differs from the source row, or delete this line from the file',
  CARDINALITY: 'Choose another row for the existing value, delete that value, or delete this line from the file',
};
const FILL_IN = 'Fill it in, or delete this line from the file';

/**
 * Decides the rows of the file that belong to the bucket. Returns the outcomes in the order of the rows. One bucket is
 * sufficient, because the cardinality check compares only values of the same bucket.
 */
export function importValues(
  bucket: RelationshipValueBucket,
  rows: readonly FileValue[],
  { rules, attributes, format, submit, by }: ImportOptions,
): Decision<RelationshipValueEvent, ImportedPair[]> {
  const pairs = new PairIndex(bucket, rules);
  const drafted: ({ id: number } & RelationshipValueContent)[] = [];
  const edited: ({ id: number } & RelationshipValueContent)[] = [];
  // A draft and its submission are two events.
  const newRevisions = submit ? 2 : 1;

  function changeExisting(
    { done, refuse }: RowOutcomes,
    existing: RelationshipValue,
    value: RelationshipValueContent,
  ): ImportedPair {
    const { id, revision } = existing;
    // If the working value has another pair, only the served value has the pair of the file. The row stays unchanged.
    if (!isPair(existing.value, value) || isSameValue(existing.value, value)) return done(id, 'unchanged', revision);
    const missing = missingAttributeMessage(rules, value.attributes);
    if (missing !== undefined) return refuse(id, 'INVALID', missing, FILL_IN);
    const code = refusal('edit', existing, by);
    if (code) return refuse(id, code, REVIEW_REFUSALS[code], fixOf(code));
    edited.push({ id, ...value });
    return { ...done(id, 'changed', revision + newRevisions), before: existing.value.attributes };
  }

  function draftNew(
    { done, refuse }: RowOutcomes,
    { line, sequence }: FileValue,
    value: RelationshipValueContent,
  ): ImportedPair {
    const missing = missingAttributeMessage(rules, value.attributes);
    if (missing !== undefined) return refuse(line, 'INVALID', missing, FILL_IN);
    const pair = pairOf(value);
    const refused = pairs.refusal(pair, undefined, line);
    if (refused) {
      const { code = 'INVALID', message = '', conflict } = refused;
      return { ...refuse(line, code, message, fixOf(code)), ...(conflict ? { conflict } : {}) };
    }
    if (isFull(bucket, drafted.length, rules)) return refuse(line, 'TOO_MANY', TOO_MANY, fixOf('TOO_MANY'));
    const id = rowId(sequence, relationshipValueKey(rules.cardinality, pair));
    pairs.set(id, [pair]);
    drafted.push({ id, ...value });
    return done(id, 'created', newRevisions);
  }

  const outcomes = rows.map((row): ImportedPair => {
    const { line, repeats } = row;
    const answers = outcomesOf(row, attributes);
    if (repeats !== undefined) {
      return answers.refuse(
        line,
        'REPEATED',
        `Line ${repeats} already contains this pair`,
        'Delete one of the two lines',
      );
    }
    const read = readAttributes(row.cells, attributes, format);
    if (read.problems.length > 0) return answers.refuseFor(line, 'INVALID', read.problems);
    const pair = pairOf(row);
    const existing = holderOf(bucket, pair);
    const value = { ...pair, attributes: withoutNulls({ ...existing?.value.attributes, ...read.attributes }) };
    return existing ? changeExisting(answers, existing, value) : draftNew(answers, row, value);
  });
  const events: RelationshipValueEvent[] = [];
  if (drafted.length > 0) events.push({ type: 'RelationshipValuesDrafted', data: { rows: drafted } });
  if (edited.length > 0) events.push({ type: 'RelationshipValuesEdited', data: { rows: edited } });
  const writtenIds = [...drafted, ...edited].map(({ id }) => id);
  if (submit && writtenIds.length > 0) events.push({ type: 'RelationshipValuesSubmitted', data: { ids: writtenIds } });
  return { events, result: outcomes };
}

type RowOutcomes = ReturnType<typeof outcomesOf>;

/** Returns functions that make the outcome of a row of the file. */
function outcomesOf(row: FileValue, attributes: readonly RelationshipAttribute[]) {
  const common = { line: row.line, data: dataOf(row, attributes), problems: [] };
  const refuseFor = (id: number, code: string, problems: ImportProblem[]): ImportedPair => {
    const message = problems.map(({ column, rule }) => (column === '' ? rule : `${column}: ${rule}`)).join('; ');
    const key = `${row.sourceKey} → ${row.targetKey}`;
    return { ...common, id, outcome: 'refused', code, message, key, problems };
  };
  return {
    done: (id: number, became: 'created' | 'changed' | 'unchanged', revision: number): ImportedPair => ({
      ...common,
      id,
      outcome: 'done',
      became,
      revision,
    }),
    refuse: (id: number, code: string, rule: string, fix: string) =>
      refuseFor(id, code, [{ column: '', value: '', rule, fix }]),
    refuseFor,
  };
}

const fixOf = (code: ReviewRefusal | string): string => FIXES[code] ?? 'Delete this line from the file';

const isPair = (a: Pair, b: Pair): boolean =>
  a.sourceInstanceId === b.sourceInstanceId && a.targetInstanceId === b.targetInstanceId;

/** Returns the row whose working value has the pair; without such a row, returns the row that serves the pair. */
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
  currentAttributes: readonly RelationshipAttribute[],
  format: ValueFormat,
): { attributes: Record<string, CellValue>; problems: ImportProblem[] } {
  const attributes: Record<string, CellValue> = {};
  const problems: ImportProblem[] = [];
  for (const [id, cell] of Object.entries(cells)) {
    const attribute = currentAttributes.find(({ attributeId }) => String(attributeId) === id);
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

/** Returns the cells of a row by the column names that an import recognises. */
export function dataOf(
  { sourceKey, targetKey, cells }: Pick<FileValue, 'sourceKey' | 'targetKey' | 'cells'>,
  attributes: readonly Pick<RelationshipAttribute, 'attributeId' | 'name'>[],
): Record<string, string> {
  const own = attributes.flatMap(({ attributeId, name }) =>
    cells[attributeId] === undefined ? [] : [[name, displayedCell(cells[attributeId])] as const],
  );
  return { ...Object.fromEntries(own), sourceKey, targetKey };
}

/** Sets `repeats` of the rows whose pair an earlier row has. */
export function markRepeats<Row extends Pair & { line: number }>(rows: readonly Row[]): (Row & { repeats?: number })[] {
  const firstLines = new Map<string, number>();
  return rows.map((row) => {
    const pair = `${row.sourceInstanceId} ${row.targetInstanceId}`;
    const repeats = firstLines.get(pair);
    if (repeats === undefined) firstLines.set(pair, row.line);
    return repeats === undefined ? row : { ...row, repeats };
  });
}
