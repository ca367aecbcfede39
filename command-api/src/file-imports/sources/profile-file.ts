/** Profiles a file: its format, read options, columns and first records. */
import {
  createProfiler,
  type FileProfile,
  findHeader,
  type KnownField,
  type LeadingRow,
  type Profiler,
  type Question,
  type ReadOptions,
  Refusal,
  shortened,
  withoutApostrophe,
} from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { storableText } from '../text-encoding.ts';
import { uniqueNames } from './column-names.ts';
import { noObjectsRefusal } from './json/json-splitter.ts';
import { openSource } from './open-file.ts';
import {
  COLUMNS_MAX,
  type FileBytes,
  HEAD_RECORDS,
  requireFewColumns,
  requireFewRecords,
  type Source,
  type SourceRecord,
} from './source.ts';
import { placeOf } from './source-places.ts';
import { stagedBytes } from './staged-bytes.ts';

/** The head of a file ends after this many characters or `HEAD_RECORDS` records, whichever comes first. */
const HEAD_CHARACTERS = 1024 * 1024;
const PREVIEW_RECORDS = 50;

/** Profiles a staged file. Throws if its content cannot be read as a table. */
export const profileFile = (
  pool: Pool,
  file: { id: string; size: number },
  options: ReadOptions,
  knownFields?: readonly KnownField[],
): Promise<FileProfile> => profileBytes(stagedBytes(pool, file), options, knownFields);

export async function profileBytes(
  file: FileBytes,
  options: ReadOptions,
  knownFields?: readonly KnownField[],
): Promise<FileProfile> {
  let source = await openSource(file, options);
  for (;;) {
    const profile = await profileSource(source, knownFields);
    // The file is read again if its end changes the read options or contains the merged cells of the sheet.
    const reopened = await source.reopen?.();
    if (!reopened) return profile;
    source = reopened;
  }
}

interface Header {
  row: number;
  names: string[];
  question?: Question;
}

/** Reads the records of a source once, up to the last record in the read options. */
async function profileSource(source: Source, knownFields?: readonly KnownField[]): Promise<FileProfile> {
  const { firstRecord = 1, lastRecord = Number.POSITIVE_INFINITY } = source.read;
  let head: SourceRecord[] | undefined = [];
  let headCharacters = 0;
  let header: Header | undefined;
  let profiler: Profiler | undefined;
  let records = 0;
  const preview: FileProfile['preview'] = [];

  const begin = (first: SourceRecord[]) => {
    header = headerOf(source, first, knownFields);
    profiler = createProfiler(header.names);
    for (const record of first) add(record, header, profiler);
  };
  const add = (record: SourceRecord, { row, names }: Header, to: Profiler) => {
    if (record.line <= row || record.line < firstRecord || record.line > lastRecord) return;
    records += 1;
    requireFewRecords(records);
    const propertyNames = source.propertyNames ?? names;
    if (source.isTyped) {
      requireFewColumns(source.format, record.line, record.fields.length);
      while (names.length < Math.max(propertyNames.length, record.fields.length)) {
        names.push(propertyNames[names.length] ?? `Column ${names.length + 1}`);
        to.setName(names.length - 1, names.at(-1) as string);
      }
    }
    const cells = cellsOf(record, source);
    if (preview.length < PREVIEW_RECORDS) {
      const place = placeOf(source, record.line, null);
      preview.push({ record: record.line, place, cells: cells.map(shortened) });
    }
    // A record with another number of fields than the header is not profiled: its cells may be in wrong columns.
    if (record.malformed === null && (source.isTyped || cells.length === names.length)) to.add(cells, record.kinds);
  };

  reading: for await (const batch of source.records()) {
    for (const record of batch.records) {
      if (record.line > lastRecord) break reading;
      if (header && profiler) {
        add(record, header, profiler);
        continue;
      }
      head?.push(record);
      headCharacters += record.fields.reduce((sum, field) => sum + field.length, 0);
      if (head && (head.length >= HEAD_RECORDS || headCharacters >= HEAD_CHARACTERS)) {
        begin(head);
        head = undefined;
      }
    }
  }
  if (head) begin(head);
  const { names, row, question } = header as unknown as Header;
  if (names.length === 0) throw records > 0 ? noObjectsRefusal() : emptyFileRefusal();
  const inferred = (profiler as unknown as Profiler).finish({
    ...{ knownFields, codeLengths: source.codeLengths, givenKey: source.keyColumns },
  });
  if (row === 0 && !source.propertyNames && inferred.columns.every((column) => column.empty === column.records))
    throw emptyFileRefusal();
  if (records === 0 && !question) {
    throw new Refusal('INVALID', `The file has names of columns in row ${row}, but no record below them.`);
  }
  return {
    ...inferred,
    format: source.format,
    read: { ...source.read, headerRow: row },
    sheets: source.sheets,
    records,
    questions: [...source.questions, ...(question ? [question] : []), ...inferred.questions],
    preview,
    notes: source.notes,
    ...(source.firstColumn === undefined ? {} : { firstColumn: source.firstColumn }),
  };
}

const emptyFileRefusal = () => new Refusal('INVALID', 'The file is empty.');

const cellsOf = (record: SourceRecord, source: Source): string[] =>
  record.fields.map((field) => {
    const text = record.isClean ? field : storableText(field);
    return source.isTyped ? text : withoutApostrophe(text);
  });

/** Finds the header of a file in its first records. */
function headerOf(source: Source, head: readonly SourceRecord[], knownFields: readonly KnownField[] = []): Header {
  if (source.propertyNames) return { row: 0, names: [...source.propertyNames] };
  const rows = head.map((record) => ({
    line: record.line,
    cells: source.headerCells?.(record) ?? cellsOf(record, source),
  }));
  const requestedRow = source.read.headerRow;
  const found =
    requestedRow === undefined
      ? findHeader(
          rows,
          knownFields.map(({ name }) => name),
        )
      : { line: requestedRow, candidates: [] };
  const record = head.find(({ line }) => line === found.line);
  if (record?.malformed) {
    const { rule, fix } = record.malformed;
    throw new Refusal('INVALID', `The names of the columns on line ${record.line} cannot be read: ${rule}. ${fix}.`);
  }
  if (requestedRow !== undefined && requestedRow > 0 && !record && head.length > 0) {
    const text = `Row ${requestedRow} cannot name the columns: choose one of the first ${head.length} rows.`;
    throw new Refusal('INVALID', text);
  }
  const names = record ? (source.headerNames?.(record) ?? cellsOf(record, source)) : [];
  if (!record) names.length = modalWidth(head);
  const widest = record ?? head.find(({ fields }) => fields.length > COLUMNS_MAX);
  if (widest) requireFewColumns(source.format, widest.line, widest.fields.length);
  const header = { row: record ? found.line : 0, names: uniqueNames(Array.from(names, (name) => name ?? '')) };
  if (found.candidates.length === 0 || head.length === 0) return header;
  return { ...header, question: headerQuestion(rows, found.candidates) };
}

/** Returns the most frequent number of fields; the largest of several. */
function modalWidth(records: readonly SourceRecord[]): number {
  const counts = new Map<number, number>();
  for (const { fields } of records) counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1);
  const byCount = [...counts].sort(([widthA, countA], [widthB, countB]) => countB - countA || widthB - widthA);
  return byCount[0]?.[0] ?? 0;
}

function headerQuestion(rows: readonly LeadingRow[], candidates: readonly number[]): Question {
  const CELLS_SHOWN = 5;
  return {
    id: 'header',
    kind: 'header',
    column: null,
    text: 'Which row names the columns?',
    options: [
      ...candidates.map((line) => ({
        value: String(line),
        label: `Row ${line}`,
        examples:
          rows
            .find((row) => row.line === line)
            ?.cells.slice(0, CELLS_SHOWN)
            .map(shortened) ?? [],
      })),
      { value: '0', label: 'No row: the first one is data', examples: [] },
    ],
    answer: null,
  };
}
