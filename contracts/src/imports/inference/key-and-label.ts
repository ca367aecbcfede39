/** Chooses the columns that identify the records of a file, and the column that names the records. */
import type { DataType } from '../../text/rows.ts';
import { comparableName, isKeyName, LABEL_WORDS, wordsOfName } from './column-names.ts';
import { dateFits, type InferredType, type NamedColumn, numberFits } from './column-types.ts';
import type { UniquePairs } from './unique-pairs.ts';

/** A field of the target. */
export interface KnownField {
  name: string;
  dataType: DataType;
  isPrimaryKey: boolean;
  retired: boolean;
}

export interface TypedColumn extends NamedColumn {
  type: InferredType;
}

/** The chosen indexes of the key columns, or the chosen index of the label column, with the reason of the choice. */
export interface Choice<Value> {
  value: Value;
  reason: string;
}

const DISTINCT_SHARE = 0.99;
/** A column with the name of a key may repeat this many values, even below `DISTINCT_SHARE`. */
const REPEATED_IN_NAMED_KEY_MAX = 2;
/** The minimum number of values of a key column that is accepted by its name. */
const NAMED_KEY_VALUES_MIN = 20;
const FILLED_SHARE = 0.99;
const LABEL_DISTINCT_SHARE = 0.8;
const KEY_LENGTH_MAX = 20;

const distinctShare = ({ statistics: { distinct, values } }: NamedColumn): number =>
  values === 0 ? 0 : (values - distinct.repeated) / values;
const isFilled = ({ statistics, records }: NamedColumn): boolean => statistics.values === records && records > 0;
/** Whether at most 1% of the records have no value. The user can fix these, so the column can still be the key. */
const isNearlyFilled = ({ statistics, records }: NamedColumn): boolean =>
  records > 0 && statistics.values >= FILLED_SHARE * records;

const isNamedKey = ({ name, statistics: { distinct, values } }: NamedColumn): boolean =>
  isKeyName(name) && values >= NAMED_KEY_VALUES_MIN && distinct.repeated <= REPEATED_IN_NAMED_KEY_MAX;

/** Whether most values are dates: such a column of texts is a poor key or label. */
const hasMostlyDates = ({ statistics }: NamedColumn): boolean => 2 * dateFits(statistics) > statistics.values;
const hasMostlyNumbers = ({ statistics }: NamedColumn): boolean => 2 * numberFits(statistics) > statistics.values;
/**
 * Whether a column has amounts: numbers with decimals, also as texts. Texts with leading zeros, such as "01.11", and
 * texts in a column with the name of a key are codes.
 */
const hasAmounts = (column: TypedColumn): boolean =>
  column.statistics.hasDecimals &&
  (column.type.dataType === 'number' ||
    (hasMostlyNumbers(column) && column.statistics.losses.of('leadingZero') === 0 && !isKeyName(column.name)));

/**
 * Whether a column has the name of a key, few values, and at most two empty or repeated values, which are at most half
 * of its records. `chooseKey` then chooses no single column without the name of a key.
 */
const isDoubtfulKey = ({ name, statistics: { distinct, values }, records }: NamedColumn): boolean =>
  isKeyName(name) &&
  values < NAMED_KEY_VALUES_MIN &&
  records - values + distinct.repeated <= Math.min(REPEATED_IN_NAMED_KEY_MAX, records / 2);

/** Finds the columns that are named like the key fields of the target; null if a key field has no such column. */
export function targetKey(columns: readonly NamedColumn[], fields: readonly KnownField[]): Choice<number[] | null> {
  const keys = fields.filter(({ isPrimaryKey, retired }) => isPrimaryKey && !retired);
  const keyColumns = keys.map(({ name }) =>
    columns.find((column) => comparableName(column.name) === comparableName(name)),
  );
  const missing = keys.filter((_, index) => keyColumns[index] === undefined);
  const names = (each: readonly { name: string }[]) => each.map(({ name }) => `"${name}"`).join(' and ');
  return missing.length === 0
    ? {
        value: keyColumns.flatMap((column) => column?.index ?? []),
        reason: `The key of the target is ${names(keys)}.`,
      }
    : { value: null, reason: `No column is named like the key ${names(missing)} of the target.` };
}

/** Finds the columns that are the key in the format of the file (`names`); undefined if the file has none of them. */
export function namedKey(columns: readonly NamedColumn[], names: readonly string[] = []): Choice<number[]> | undefined {
  const keyColumns = columns.filter(({ name }) => names.includes(name));
  if (keyColumns.length === 0) return undefined;
  const columnNames = keyColumns.map(({ name }) => `"${name}"`).join(' and ');
  const reason = `The format of the file has ${columnNames} as its key.`;
  return { value: keyColumns.map(({ index }) => index), reason };
}

/**
 * Chooses the key of a new type: the candidate with the most points or, without candidates, the shortest unique pair.
 * The value is null if there is no such pair, or if a doubtful key needs the user's decision.
 */
export function chooseKey(columns: readonly TypedColumn[], pairs: UniquePairs): Choice<number[] | null> {
  const filled = columns.filter(isFilled);
  const canIdentify = (column: TypedColumn) => column.type.dataType !== 'boolean' && !hasAmounts(column);
  const candidates = columns
    .filter((column) => isNearlyFilled(column) && canIdentify(column) && column.type.dataType !== 'date')
    .filter((column) => !hasMostlyDates(column))
    .filter((column) => distinctShare(column) >= DISTINCT_SHARE || isNamedKey(column));
  let best: { column: TypedColumn; points: number; reasons: string[] } | undefined;
  for (const column of candidates) {
    const reasons = keyReasons(column);
    const points = reasons.reduce((sum, [each]) => sum + each, 0);
    if (!best || points > best.points) best = { column, points, reasons: reasons.map(([, reason]) => reason) };
  }
  if (best) {
    const doubtful = isKeyName(best.column.name) ? undefined : columns.find(isDoubtfulKey);
    if (doubtful) {
      const reason = `"${doubtful.name}" has the name of a key, but some of its values are empty or repeated.`;
      return { value: null, reason };
    }
    const filledRecords = isFilled(best.column) ? 'every record' : 'nearly every record';
    const reasons = [`"${best.column.name}" has a value in ${filledRecords}`, ...best.reasons];
    return { value: [best.column.index], reason: `${reasons.join(', ')}.` };
  }
  const pair = pairs.shortest(filled.filter(canIdentify));
  if (!pair) return { value: null, reason: 'No column or pair of columns has a different value in each record.' };
  const [one, other] = pair.map((index) => `"${columns.find((column) => column.index === index)?.name}"`);
  return { value: pair, reason: `${one} and ${other} together have a different value in each record.` };
}

function keyReasons({ name, statistics }: NamedColumn): [points: number, reason: string][] {
  const reasons: [number, string][] = [];
  if (isKeyName(name)) reasons.push([3, 'the name of a key']);
  if (statistics.distinct.repeated === 0) reasons.push([2, 'no value twice']);
  if (statistics.losses.of('leadingZero') > 0) reasons.push([2, 'leading zeros']);
  if (!statistics.hasBlanks) reasons.push([1, 'no blanks']);
  if (statistics.medianLength <= KEY_LENGTH_MAX) reasons.push([1, 'short values']);
  return reasons;
}

/**
 * Chooses the label: a text column with a usual name, else the text column with the most words per value, else the
 * first key column.
 */
export function chooseLabel(columns: readonly TypedColumn[], key: readonly number[] | null): Choice<number | null> {
  const texts = columns.filter(({ index, type }) => type.dataType === 'string' && !key?.includes(index));
  for (const matches of [
    (name: string, word: string) => comparableName(name) === word,
    (name: string, word: string) => wordsOfName(name).includes(word),
  ]) {
    for (const word of LABEL_WORDS) {
      const label = texts.find(({ name, statistics }) => statistics.values > 0 && matches(name, word));
      if (label) return { value: label.index, reason: `"${label.name}" is a usual name of a label.` };
    }
  }
  const wordsPerValue = ({ statistics }: NamedColumn) => statistics.words / statistics.values;
  const [label] = texts
    .filter((column) => !hasMostlyDates(column) && !hasMostlyNumbers(column))
    .filter((column) => distinctShare(column) >= LABEL_DISTINCT_SHARE)
    .sort((one, other) => wordsPerValue(other) - wordsPerValue(one) || one.index - other.index);
  if (label) return { value: label.index, reason: `"${label.name}" has the most words.` };
  return { value: key?.[0] ?? null, reason: 'No other text column names the records: the label is the key, if any.' };
}
