/** Profiles the columns of a file in one pass over its records: types, formats, key, label and open questions. */
import { DATA_TYPE_WORDS } from '../../text/data-type-words.ts';
import type { DataType } from '../../text/rows.ts';
import type { ColumnFormat } from '../column-formats.ts';
import type { ColumnProfile, FileProfile } from '../file-profile.ts';
import type { Question } from '../problems.ts';
import { comparableName, isKeyName } from './column-names.ts';
import { BOOLEAN_PAIRS, ColumnStatistics } from './column-statistics.ts';
import { booleanType, dateFits, type InferredType, inferType, numberFits } from './column-types.ts';
import { type DateOrder, hasBothDateOrders, type InferredDates, inferDates, provedOrder } from './date-formats.ts';
import { chooseKey, chooseLabel, type KnownField, namedKey, type TypedColumn, targetKey } from './key-and-label.ts';
import { bestSeparators, inferNumbers, numberEvidence, numberFormat, onlyProof } from './number-formats.ts';
import type { CellKind } from './read-cell-value.ts';
import { UniquePairs } from './unique-pairs.ts';

/** The maximum number of exactly counted distinct values in each of the first `COLUMNS_COUNTED` columns. */
const DISTINCT_MAX = 100_000;
const COLUMNS_COUNTED = 40;
/** The maximum number of exactly counted distinct values in each further column. */
const DISTINCT_MAX_BEYOND = 2_000;

export type InferredColumns = Pick<
  FileProfile,
  'records' | 'columns' | 'key' | 'keyReason' | 'label' | 'labelReason' | 'questions'
>;

export interface Profiler {
  /** Adds a record. `kinds` is set for formats with typed cells. */
  add(cells: readonly string[], kinds?: readonly (CellKind | undefined)[]): void;
  /** Sets the name of a column. A column can be found or named after the first records. */
  setName(index: number, name: string): void;
  /**
   * `codeLengths` has, by column, the minimum number of digits that a cell format like 00000 shows. `givenKey` has the
   * names of the key columns of a new type, if the format of the file determines them.
   */
  finish(options?: {
    knownFields?: readonly KnownField[] | undefined;
    codeLengths?: ReadonlyMap<number, number> | undefined;
    givenKey?: readonly string[] | undefined;
  }): InferredColumns;
}

export function createProfiler(columnNames: readonly string[]): Profiler {
  const names = [...columnNames];
  const columns: ColumnStatistics[] = [];
  const pairs = new UniquePairs();
  let records = 0;
  const addColumn = () =>
    columns.push(new ColumnStatistics(columns.length < COLUMNS_COUNTED ? DISTINCT_MAX : DISTINCT_MAX_BEYOND));
  for (const _ of names) addColumn();

  return {
    add(cells, kinds) {
      records += 1;
      const isTyped = kinds !== undefined;
      const count = Math.min(columns.length, cells.length);
      for (let index = 0; index < count; index++) {
        pairs.keep(index, (columns[index] as ColumnStatistics).add(cells[index] as string, kinds?.[index], isTyped));
      }
      pairs.endRecord();
    },
    setName(index, name) {
      names[index] = name;
      while (columns.length <= index) addColumn();
    },
    finish({ knownFields = [], codeLengths, givenKey } = {}) {
      for (const [index, length] of codeLengths ?? []) if (columns[index]) columns[index].shownLength = length;
      const fieldByName = new Map(
        knownFields.filter(({ retired }) => !retired).map((field) => [comparableName(field.name), field]),
      );
      const typedColumns = columns.map((statistics, index): TypedColumn & { fieldType: DataType | undefined } => {
        const name = names[index] ?? `Column ${index + 1}`;
        const column = { index, name, statistics, records };
        const dataType = fieldByName.get(comparableName(name))?.dataType;
        return { ...column, fieldType: dataType, type: dataType ? knownType(column, dataType) : inferType(column) };
      });
      const hasKey = knownFields.some(({ isPrimaryKey, retired }) => isPrimaryKey && !retired);
      const key = hasKey
        ? targetKey(typedColumns, knownFields)
        : (namedKey(typedColumns, givenKey) ?? chooseKey(typedColumns, pairs));
      for (const column of typedColumns) {
        if (column.fieldType || column.type.dataType !== 'number' || !key.value?.includes(column.index)) continue;
        column.type = { dataType: 'string', fits: column.statistics.values, cause: 'keys are strings' };
      }
      const label = chooseLabel(typedColumns, key.value);
      const profiles = profileColumns(typedColumns);
      const questions = profiles.flatMap(({ question }) => question ?? []);
      if (key.value === null && !hasKey && records > 0) questions.push(keyQuestion(typedColumns));
      return {
        records,
        columns: profiles.map(({ profile }) => profile),
        key: key.value,
        keyReason: key.reason,
        label: label.value,
        labelReason: label.reason,
        questions,
      };
    },
  };
}

/** The type of an existing field, with the number of values that match it. */
function knownType(column: Omit<TypedColumn, 'type'>, dataType: DataType): InferredType {
  switch (dataType) {
    case 'string':
      return { dataType, fits: column.statistics.values };
    case 'boolean':
      return booleanType(column);
    case 'date':
      return { dataType, fits: dateFits(column.statistics) };
    case 'number':
      return { dataType, fits: numberFits(column.statistics) };
  }
}

interface InferredFormat {
  format: Partial<ColumnFormat>;
  fits: number;
  /** The end of the sentence "All values are …", with the reason for the format. */
  explanation: string;
  question?: Question;
}

/** The order of dates that a column of the file proves. */
interface ProvedOrder {
  proof: 'DMY' | 'MDY';
  name: string;
}

function profileColumns(columns: readonly (TypedColumn & { fieldType: DataType | undefined })[]) {
  const ofType = (dataType: DataType) => columns.filter(({ type }) => type.dataType === dataType);
  const order = onlyProofIn(ofType('date'), ({ statistics }) => provedOrder(statistics));
  const decimal = onlyProofIn(ofType('number'), ({ statistics }) => onlyProof(numberEvidence(statistics)));
  return columns.map((column) => {
    const { format, fits, explanation, question } = inferFormat(column, order, decimal);
    const { index, name, statistics, records, type, fieldType } = column;
    const profile: ColumnProfile = {
      index,
      name,
      records,
      empty: records - statistics.values,
      isDistinct: statistics.distinct.repeated === 0,
      distinct: statistics.distinct.count,
      samples: statistics.samples,
      codeLength: statistics.codeLength,
      dataType: type.dataType,
      format: { ...format, blank: 'empty' },
      reason: reasonOf(column, fits, explanation, fieldType !== undefined),
      misfits: statistics.values - fits,
      ...(statistics.values > 0 && statistics.texts === 0 ? { isTyped: true } : {}),
      ...(hasBothDateOrders(statistics) ? { hasBothDateOrders: true } : {}),
      ...(type.dataType === 'number' || statistics.values === 0 ? {} : { asNumber: asNumber(statistics) }),
      ...(type.dataType === 'date' || statistics.values === 0 ? {} : { asDate: asDate(column, order) }),
    };
    return { profile, question };
  });
}

/** The format and the misfits of a column if it is read as numbers, for a user who chooses this type. */
function asNumber(statistics: ColumnStatistics): NonNullable<ColumnProfile['asNumber']> {
  return {
    format: { ...numberFormat(bestSeparators(statistics)), blank: 'empty' },
    misfits: statistics.values - numberFits(statistics),
  };
}

/** The format and the misfits of a column if it is read as dates, for a user who chooses this type. */
function asDate(column: TypedColumn, order: ProvedOrder | undefined): NonNullable<ColumnProfile['asDate']> {
  const { date, fits } = datesOf(column, order);
  return { format: { ...dateFormat(date), blank: 'empty' }, misfits: column.statistics.values - fits };
}

/**
 * Returns the first proof with the name of its column; undefined if two columns prove different formats, or if no
 * column proves one.
 */
function onlyProofIn<Proof>(columns: readonly TypedColumn[], proofOf: (column: TypedColumn) => Proof | undefined) {
  const proofs = columns.flatMap((column) => {
    const proof = proofOf(column);
    return proof === undefined ? [] : [{ proof, name: column.name }];
  });
  return proofs.every(({ proof }) => proof === proofs[0]?.proof) ? proofs[0] : undefined;
}

function inferFormat(
  column: TypedColumn,
  order: ProvedOrder | undefined,
  decimal: { proof: '.' | ','; name: string } | undefined,
): InferredFormat {
  const { type, statistics } = column;
  switch (type.dataType) {
    case 'string':
      return { format: {}, fits: statistics.values, explanation: type.cause ? `: ${type.cause}` : '' };
    case 'boolean':
      return { format: booleanFormat(type.pair), fits: type.fits, explanation: '' };
    case 'date': {
      const { date, ...dates } = datesOf(column, order);
      return { ...dates, format: dateFormat(date) };
    }
    case 'number': {
      const numbers = inferNumbers(column, decimal && { decimal: decimal.proof, name: decimal.name });
      return { ...numbers, fits: numbers.fits + statistics.typed.number };
    }
  }
}

const datesOf = (column: TypedColumn, order: ProvedOrder | undefined): InferredDates =>
  inferDates(column, order && { order: order.proof, name: order.name });

/** The column format with an order of dates; the default order is left out. */
const dateFormat = (date: DateOrder): Partial<ColumnFormat> => (date === 'YMD' ? {} : { date });

/** The column format with the words of a boolean; the default words are left out. */
function booleanFormat([yes, no]: readonly [string, string] = BOOLEAN_PAIRS[0]): Partial<ColumnFormat> {
  return ['true', 'yes', '1'].includes(yes) ? {} : { yes: [yes], no: [no] };
}

function reasonOf(
  { name, statistics, type }: TypedColumn,
  fits: number,
  explanation: string,
  isKnown: boolean,
): string {
  const { values } = statistics;
  if (values === 0) return isKnown ? `The field "${name}" has this type; the column is empty.` : 'The column is empty.';
  const count =
    fits === values ? 'All values' : `${fits.toLocaleString('en')} of ${values.toLocaleString('en')} values`;
  const sentence = `${count} are ${DATA_TYPE_WORDS[type.dataType].many}${explanation}.`;
  return isKnown ? `The field "${name}" has this type. ${sentence}` : sentence;
}

/**
 * The question about the key. The options are up to five columns and the number of the record. Columns with the name
 * of a key come first, then those with the most distinct values.
 */
function keyQuestion(columns: readonly TypedColumn[]): Question {
  const OPTIONS_MAX = 5;
  const best = [...columns].sort(
    (one, other) =>
      Number(isKeyName(other.name)) - Number(isKeyName(one.name)) ||
      other.statistics.distinct.count - one.statistics.distinct.count ||
      one.index - other.index,
  );
  return {
    id: 'key',
    kind: 'key',
    column: null,
    text: 'Which column identifies a record?',
    options: [
      ...best.slice(0, OPTIONS_MAX).map(({ index, name, statistics }) => ({
        value: String(index),
        label: name,
        examples: [...statistics.samples],
        count: statistics.distinct.count,
      })),
      { value: 'row', label: 'The number of the record', examples: ['1', '2', '3'] },
    ],
    answer: null,
  };
}
