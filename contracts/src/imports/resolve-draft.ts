/** Combines the profile of a file with the settings of the draft's owner. */
import { type ImportMode, importDescription } from '../jobs/jobs.ts';
import type { DataType } from '../text/rows.ts';
import { ColumnFormat } from './column-formats.ts';
import type { DraftSettings, DraftTarget } from './drafts.ts';
import type { ColumnProfile, FileProfile } from './file-profile.ts';
import { comparableName } from './inference/column-names.ts';
import type { Fix, Question } from './problems.ts';

/** A column of the file, with the field and the format with which it is imported. */
export interface ResolvedColumn {
  index: number;
  name: string;
  /** A field of the target's type, a new field, or null if the column is ignored. */
  field: { fieldId: number; name: string } | { fieldId: null; name: string } | null;
  dataType: DataType;
  format: ColumnFormat;
  isKey: boolean;
  isLabel: boolean;
  /** Set for the added column of record numbers, which is not in the file. */
  isRecordNumber?: true;
}

export interface ResolvedDraft {
  target: DraftTarget;
  columns: ResolvedColumn[];
  questions: Question[];
  /** The decisions that the user must make before the rows can be checked, as sentences. */
  open: string[];
  mode: ImportMode;
  allOrNothing: boolean;
  description: string;
  fixes: readonly Fix[];
  /** Whether the number of each record is added to its row, as the key. */
  hasRecordNumbers: boolean;
}

/** A field of an existing type. */
export interface TargetField {
  fieldId: number;
  name: string;
  dataType: DataType;
}

/** The fields of the target's type, and the key of its rows. */
export interface TargetFields {
  fields: readonly TargetField[];
  keyFieldIds: readonly number[];
}

const VERSION =
  /(?:[\s_.-]+|(?=\())(\(\d+\)|v\d+(\.\d+)*|(19|20)\d{2}([-_.]?(0[1-9]|1[0-2])([-_.]?[0-3]\d)?)?|\d{1,2}[-_.]\d{1,2}[-_.]\d{2,4}|final|copy|export)$/i;

/**
 * Returns a file name without the extension, and without dates, versions and words such as "final" at the end. Returns
 * `Imported data` instead of an empty name.
 */
export function nameOfFile(fileName: string): string {
  let name = fileName.replace(/\.[a-z0-9]{1,8}$/i, '');
  while (VERSION.test(name) && name.replace(VERSION, '') !== '') name = name.replace(VERSION, '');
  const words = name.replace(/[_\s]+/g, ' ').trim();
  return words === '' ? 'Imported data' : words[0]?.toUpperCase() + words.slice(1, 200);
}

type Findings = Pick<FileProfile, 'columns' | 'key' | 'label' | 'questions'>;

/** Resolves a draft. `targetFields` are the fields of the target's type; undefined for a new type. */
export function resolveDraft(
  findings: Findings,
  settings: DraftSettings,
  fileName: string,
  targetFields?: TargetFields,
): ResolvedDraft {
  const target = settings.target ?? { kind: 'newDataSet', name: nameOfFile(fileName) };
  const questions = findings.questions.map((question) => ({
    ...question,
    answer: settings.answers?.[question.id] ?? question.answer,
  }));
  const columns = findings.columns.map((profile) => resolveColumn(profile, settings, questions));
  if (targetFields) {
    matchFields(columns, settings, targetFields);
    for (const [at, column] of columns.entries()) {
      column.format = formatOf(findings.columns[at] as ColumnProfile, column.dataType, settings, questions);
    }
  } else for (const column of columns) column.field = newField(column, settings);
  // An existing type has a key, so the record number is the key only of a new type.
  const createsType = target.kind === 'newDataSet' && target.typeId === undefined;
  const hasRecordNumbers = createsType && settings.key === undefined && keyAnswer(questions) === RECORD_NUMBER;
  // After the import has created the type, `targetFields` contain the field of the record numbers.
  if (hasRecordNumbers && !targetFields) columns.push(recordNumberColumn(columns.length));
  markKey(columns, findings, settings, questions, targetFields);
  const isDate = columns[findings.label ?? -1]?.dataType === 'date';
  const label = settings.label ?? (isDate ? null : findings.label);
  for (const column of columns) column.isLabel = column.index === label && column.field !== null;
  const relevant = relevantQuestions(questions, columns, settings, targetFields !== undefined);
  return {
    target,
    columns,
    questions: relevant,
    open: openPoints(columns, relevant, targetFields),
    mode: settings.mode ?? (target.kind === 'dataSet' ? 'upsert' : 'insert'),
    allOrNothing: settings.allOrNothing ?? false,
    description: settings.description || importDescription(fileName),
    fixes: settings.fixes ?? [],
    hasRecordNumbers,
  };
}

/** The answer to the question about the key that chooses the record number. */
const RECORD_NUMBER = 'row';

const keyAnswer = (questions: readonly Question[]): string | null =>
  questions.find(({ kind }) => kind === 'key')?.answer ?? null;

const recordNumberColumn = (index: number): ResolvedColumn => ({
  ...{ index, name: 'Row number', field: { fieldId: null, name: 'Row number' }, dataType: 'number' },
  ...{ format: { blank: 'empty' }, isKey: true, isLabel: false, isRecordNumber: true },
});

function resolveColumn(
  profile: ColumnProfile,
  settings: DraftSettings,
  questions: readonly Question[],
): ResolvedColumn {
  const setting = settings.columns?.[profile.index];
  let dataType = setting?.dataType ?? profile.dataType;
  for (const fix of settings.fixes ?? []) {
    if (fix.kind === 'type' && fix.column === profile.index) dataType = fix.dataType;
  }
  return {
    index: profile.index,
    name: profile.name,
    field: null,
    dataType,
    format: formatOf(profile, dataType, settings, questions),
    isKey: false,
    isLabel: false,
  };
}

/** Returns the format of a column: the proposal, overridden by answers, then by settings, then by fixes. */
function formatOf(
  profile: ColumnProfile,
  dataType: DataType,
  settings: DraftSettings,
  questions: readonly Question[],
): ColumnFormat {
  let format: ColumnFormat = { ...(readingAs(profile, dataType)?.format ?? profile.format) };
  for (const { kind, column, answer } of questions) {
    if (column !== profile.index || answer === null) continue;
    if (kind === 'dateOrder') format = { ...format, date: answer as NonNullable<ColumnFormat['date']> };
    if (kind === 'numberFormat') format = { ...format, ...numberFormatOf(answer) };
  }
  format = { ...format, ...(settings.columns?.[profile.index]?.format as Partial<ColumnFormat> | undefined) };
  for (const fix of settings.fixes ?? []) {
    if (fix.kind === 'format' && fix.column === profile.index) format = { ...format, ...fix.format };
  }
  return ColumnFormat.parse(format);
}

/** Returns the format and the misfits of a column for a type that was not proposed; undefined if there are none. */
export function readingAs({ asNumber, asDate }: ColumnProfile, dataType: DataType): ColumnProfile['asNumber'] {
  if (dataType === 'number') return asNumber;
  return dataType === 'date' ? asDate : undefined;
}

/** Converts the answer to a question about numbers. The answer is the decimal separator. */
const numberFormatOf = (answer: string): Partial<ColumnFormat> =>
  answer === ',' ? { decimal: ',', group: '.' } : { decimal: '.', group: ',' };

function newField({ index, name }: ResolvedColumn, settings: DraftSettings): ResolvedColumn['field'] {
  const setting = settings.columns?.[index]?.field;
  if (setting === null) return null;
  return { fieldId: null, name: setting !== undefined && 'name' in setting ? setting.name : name.slice(0, 200) };
}

/** Matches columns to fields: first by the settings, then by name. A matched column gets the type of the field. */
function matchFields(columns: ResolvedColumn[], settings: DraftSettings, { fields }: TargetFields): void {
  const byId = new Map(fields.map((field) => [field.fieldId, field]));
  const unfilledFields = new Map(fields.map((field) => [comparableName(field.name), field]));
  for (const column of columns) {
    const setting = settings.columns?.[column.index]?.field;
    if (!setting || !('fieldId' in setting)) continue;
    const field = byId.get(setting.fieldId);
    if (!field) continue;
    fill(column, field);
    unfilledFields.delete(comparableName(field.name));
  }
  for (const column of columns) {
    if (column.field || settings.columns?.[column.index]?.field !== undefined) continue;
    const field = unfilledFields.get(comparableName(column.name));
    if (!field) continue;
    fill(column, field);
    unfilledFields.delete(comparableName(field.name));
  }
}

function fill(column: ResolvedColumn, { fieldId, name, dataType }: TargetFields['fields'][number]): void {
  column.field = { fieldId, name };
  column.dataType = dataType;
}

function markKey(
  columns: ResolvedColumn[],
  findings: Findings,
  settings: DraftSettings,
  questions: readonly Question[],
  targetFields?: TargetFields,
): void {
  if (targetFields) {
    for (const column of columns) {
      column.isKey = column.field?.fieldId != null && targetFields.keyFieldIds.includes(column.field.fieldId);
    }
    return;
  }
  const answer = keyAnswer(questions);
  const key = settings.key ?? (answer ? answer.split(',').map(Number) : findings.key) ?? [];
  for (const column of columns) {
    column.isKey = column.isRecordNumber === true || (column.field !== null && key.includes(column.index));
  }
  // Keys are compared as text, so a key column that was detected as boolean becomes a column of strings. A type in the
  // settings is not changed.
  for (const column of columns) {
    if (column.isKey && settings.columns?.[column.index]?.dataType === undefined && column.dataType === 'boolean') {
      column.dataType = 'string';
    }
  }
}

/**
 * Leaves out questions that settings answer, and questions about ignored columns, other data types or the key of an
 * existing type.
 */
const relevantQuestions = (
  questions: readonly Question[],
  columns: readonly ResolvedColumn[],
  settings: DraftSettings,
  hasType: boolean,
): Question[] =>
  questions.filter(({ kind, column: index }) => {
    if (kind === 'key') return settings.key === undefined && !hasType;
    const column = index === null ? undefined : columns[index];
    if (!column) return true;
    if (column.field === null) return false;
    if (kind === 'dateOrder')
      return column.dataType === 'date' && settings.columns?.[column.index]?.format?.date === undefined;
    if (kind === 'numberFormat') {
      return column.dataType === 'number' && settings.columns?.[column.index]?.format?.decimal === undefined;
    }
    return true;
  });

function openPoints(
  columns: readonly ResolvedColumn[],
  questions: readonly Question[],
  targetFields: TargetFields | undefined,
): string[] {
  const open = questions.filter(({ answer }) => answer === null).map(({ text }) => text);
  const filledBy = new Map<string, string>();
  for (const { field, name } of columns) {
    if (!field) continue;
    const fieldName = comparableName(field.name) || field.name;
    const other = filledBy.get(fieldName);
    if (other !== undefined)
      open.push(`The columns "${other}" and "${name}" both fill the field "${field.name}": ignore one or rename it`);
    else filledBy.set(fieldName, name);
  }
  if (columns.every(({ field }) => field === null))
    open.push('Every column is ignored: choose a field for at least one');
  else if (targetFields) {
    for (const fieldId of targetFields.keyFieldIds) {
      if (columns.some(({ field }) => field?.fieldId === fieldId)) continue;
      const name = targetFields.fields.find((field) => field.fieldId === fieldId)?.name ?? String(fieldId);
      open.push(`No column fills the key field "${name}": choose one`);
    }
  } else if (
    !columns.some(({ isKey }) => isKey) &&
    !questions.some(({ kind, answer }) => kind === 'key' && answer === null)
  ) {
    open.push('Choose the column that identifies a row');
  }
  return open;
}
