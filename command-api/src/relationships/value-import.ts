/** Relationship values of a file: what each becomes beside those that are there, decided bucket by bucket; a preview asks the same. */
import {
  type CellValue,
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
  shownCell,
  type ValueFormat,
} from '@rdm/contracts';
import type { Decision } from '../runtime/decision.ts';
import type { ImportedRowOutcome } from '../runtime/job-pieces.ts';
import {
  holdsNoMore,
  missingAttribute,
  pairOf,
  Standing,
  saysTheSame,
  TOO_MANY,
  type ValueOutcome,
  type ValueRules,
  withoutNulls,
} from './values.ts';

/** A value of the file whose rows are there; its attributes as the file has them, by their ids. */
export interface WantedValue extends Pair {
  line: number;
  /** What the id of a new one is made of. */
  sequence: number;
  sourceKey: string;
  targetKey: string;
  cells: Readonly<Record<string, unknown>>;
  /** The line that has the same pair before it. */
  repeats?: number;
}

export interface ImportingValues {
  rules: ValueRules;
  /** Attributes as they are now: what is said of one that is none any more is refused. */
  attributes: readonly RelationshipAttribute[];
  format: ValueFormat;
  submit: boolean;
  by: Reviewer;
}

/** What became of a value of the file, and what it said before where that is changed. */
export interface ImportedPair extends ImportedRowOutcome, Pick<ValueOutcome, 'conflict'> {
  before?: Readonly<Record<string, CellValue>>;
}

/** What a refused row may have done about it. */
const FIXES: Partial<Record<string, string>> = {
  PENDING: 'Recall it, or wait until it is decided',
  LEVEL: 'Ask an administrator of the collection for WRITE permission',
  SELF: 'Name two rows, or leave the row out',
  CARDINALITY: 'Lead the value that is there to another row, delete it, or leave this row out',
  TOO_MANY: 'Leave the row out',
};

/** Each row of the file decided for itself, none of them twice; all that the cardinality compares are of one bucket. */
export function importValues(
  bucket: RelationshipValueBucket,
  wanted: readonly WantedValue[],
  { rules, attributes, format, submit, by }: ImportingValues,
): Decision<RelationshipValueEvent, ImportedPair[]> {
  const standing = new Standing(bucket, rules);
  const drafted: ({ id: number } & RelationshipValueContent)[] = [];
  const edited: ({ id: number } & RelationshipValueContent)[] = [];
  const outcomes = wanted.map((row): ImportedPair => {
    const { line, sequence, cells, repeats, ...keys } = row;
    const pair = pairOf(row);
    const told = { line, data: dataOf(row, attributes), problems: [] };
    const refused = (id: number, code: string, ...problems: ImportProblem[]): ImportedPair => {
      const message = problems.map(({ column, rule }) => (column === '' ? rule : `${column}: ${rule}`)).join('; ');
      const key = `${keys.sourceKey} → ${keys.targetKey}`;
      return { ...told, id, outcome: 'refused', code, message, key, problems };
    };
    const wrong = (id: number, code: string, rule: string, fix: string) =>
      refused(id, code, { column: '', value: '', rule, fix });
    if (repeats !== undefined) {
      return wrong(line, 'REPEATED', `This pair is in row ${repeats} already`, 'Leave one of the two out');
    }
    const said = readAttributes(cells, attributes, format);
    if (said.problems.length > 0) return refused(line, 'INVALID', ...said.problems);
    const held = holderOf(bucket, pair);
    const own = withoutNulls({ ...held?.value.attributes, ...said.attributes });
    const value = { ...pair, attributes: own };
    // Where a row serves the pair while another is drafted under it: the pair is there.
    if (held && (!isPair(held.value, pair) || saysTheSame(held.value, value))) {
      return { ...told, id: held.id, outcome: 'done', became: 'unchanged', revision: held.revision };
    }
    const missing = missingAttribute(rules, own);
    if (missing !== undefined) return wrong(held?.id ?? line, 'INVALID', missing, 'Fill it in, or leave the row out');
    if (held) {
      const why = refusal('edit', held, by);
      if (why) return wrong(held.id, why, REVIEW_REFUSALS[why], fixOf(why));
      edited.push({ id: held.id, ...value });
      const revision = held.revision + (submit ? 2 : 1);
      return { ...told, id: held.id, outcome: 'done', became: 'changed', revision, before: held.value.attributes };
    }
    const why = standing.refusal(pair, undefined, line);
    if (why) {
      const { code = 'INVALID', message = '', conflict } = why;
      return { ...wrong(line, code, message, fixOf(code)), ...(conflict ? { conflict } : {}) };
    }
    if (holdsNoMore(bucket, drafted.length, rules)) return wrong(line, 'TOO_MANY', TOO_MANY, fixOf('TOO_MANY'));
    const id = rowId(sequence, relationshipValueKey(rules.cardinality, pair));
    standing.take(id, [pair]);
    drafted.push({ id, ...value });
    return { ...told, id, outcome: 'done', became: 'created', revision: submit ? 2 : 1 };
  });
  const events: RelationshipValueEvent[] = [];
  if (drafted.length > 0) events.push({ type: 'RelationshipValuesDrafted', data: { rows: drafted } });
  if (edited.length > 0) events.push({ type: 'RelationshipValuesEdited', data: { rows: edited } });
  const written = [...drafted, ...edited].map(({ id }) => id);
  if (submit && written.length > 0) events.push({ type: 'RelationshipValuesSubmitted', data: { ids: written } });
  return { events, result: outcomes };
}

const fixOf = (code: ReviewRefusal | string): string => FIXES[code] ?? 'Leave the row out';

const isPair = (a: Pair, b: Pair): boolean =>
  a.sourceInstanceId === b.sourceInstanceId && a.targetInstanceId === b.targetInstanceId;

/** The row that holds the pair: as its working value before one that only serves it. */
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

/** Attributes by id, and what is wrong with each that cannot be taken. */
export function readAttributes(
  cells: WantedValue['cells'],
  known: readonly RelationshipAttribute[],
  format: ValueFormat,
): { attributes: Record<string, CellValue>; problems: ImportProblem[] } {
  const attributes: Record<string, CellValue> = {};
  const problems: ImportProblem[] = [];
  for (const [id, cell] of Object.entries(cells)) {
    const attribute = known.find(({ attributeId }) => String(attributeId) === id);
    if (!attribute) {
      const rule = 'The attribute was removed meanwhile';
      problems.push({ column: '', value: shownCell(cell), rule, fix: 'Import the file again' });
      continue;
    }
    const read = readCell(cell, attribute, format);
    if (read.ok) attributes[id] = read.value;
    else problems.push(read.problem);
  }
  return { attributes, problems };
}

/** What the row says, by the names under which an import knows it again. */
export function dataOf(
  { sourceKey, targetKey, cells }: Pick<WantedValue, 'sourceKey' | 'targetKey' | 'cells'>,
  attributes: readonly Pick<RelationshipAttribute, 'attributeId' | 'name'>[],
): Record<string, string> {
  const own = attributes.flatMap(({ attributeId, name }) =>
    cells[attributeId] === undefined ? [] : [[name, shownCell(cells[attributeId])] as const],
  );
  return { ...Object.fromEntries(own), sourceKey, targetKey };
}

/** Which pairs of a bucket's rows stand in the file before. */
export function besideEachOther<Row extends Pair & { line: number }>(
  rows: readonly Row[],
): (Row & { repeats?: number })[] {
  const firstOf = new Map<string, number>();
  return rows.map((row) => {
    const pair = `${row.sourceInstanceId} ${row.targetInstanceId}`;
    const repeats = firstOf.get(pair);
    if (repeats === undefined) firstOf.set(pair, row.line);
    return repeats === undefined ? row : { ...row, repeats };
  });
}
