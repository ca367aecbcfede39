/** Opens an XLSX workbook: its sheets, shared texts and number formats. */
import { type FileProfile, REASON_COLUMN, type ReadOptions, Refusal } from '@rdm/contracts';
import type { Entry } from 'yauzl';
import { showBytes } from '../../text-encoding.ts';
import { type FileBytes, HEAD_RECORDS, type RecordBatch, type Source, type SourceRecord } from '../source.ts';
import { digitsShown, formatCodeToWrite, meaningOf, type NumberMeaning } from './cell-formats.ts';
import { type HeadRows, headerCells, headerNames } from './header-names.ts';
import { SharedStrings, unescapeText } from './shared-strings.ts';
import { isUnpackingError, type Merge, type SheetContext, sheetRecords } from './sheet-reader.ts';
import { XmlError, type XmlHandlers, xmlReader } from './xml-reader.ts';
import { openParts, type ZipParts } from './zip-parts.ts';

const FILE_BYTES_MAX = 128 * 1024 * 1024;
/** The maximum number of unpacked bytes of a part without rows. */
const PART_BYTES_MAX = 64 * 1024 * 1024;
/** The maximum number of unpacked bytes of the part with the shared texts. */
const STRINGS_BYTES_MAX = 1024 * 1024 * 1024;
/**
 * The number of first rows that stay in memory, because the header is one of these rows. If the options name a later
 * header row, the rows up to that row stay in memory, but none after row `HEAD_RECORDS`.
 */
const HEAD_ROWS = 40;

interface Sheet {
  name: string;
  isHidden: boolean;
  part: Entry;
}

/** The meaning of numbers, their minimum number of digits and their format codes, by the index of their style. */
interface Styles {
  meanings: NumberMeaning[];
  digits: number[];
  formats: (string | undefined)[];
}

interface Workbook {
  parts: ZipParts;
  sheets: Sheet[];
  is1904: boolean;
  strings: SharedStrings;
  styles: Styles;
  notes: string[];
}

/** Opens the sheet that the options name. By default, opens the first sheet; visible sheets come before hidden ones. */
export async function openWorkbook(file: FileBytes, options: ReadOptions): Promise<Source> {
  if (file.size > FILE_BYTES_MAX) throw new Refusal('TOO_LARGE', 'A workbook may have at most 128 MiB.');
  const workbook = await readWorkbook(file);
  const sheet =
    options.sheet === undefined ? workbook.sheets[0] : workbook.sheets.find(({ name }) => name === options.sheet);
  if (!sheet && options.sheet !== undefined) {
    throw new Refusal('INVALID', `The workbook has no sheet "${options.sheet}": choose another one.`);
  }
  if (!sheet) throw new Refusal('INVALID', 'The workbook has no sheet with cells.');
  return sheetSource(file, workbook, sheet, options, []);
}

/** A first pass finds `knownMerges`, the merged cells, because a sheet lists its merged cells after its rows. */
function sheetSource(
  file: FileBytes,
  workbook: Workbook,
  sheet: Sheet,
  options: ReadOptions,
  knownMerges: readonly Merge[],
): Source {
  const foundMerges: Merge[] = [];
  const digitsOf = new Map<number, number>();
  const head = new Map<number, readonly string[]>();
  const headRows = Math.min(Math.max(HEAD_ROWS, options.headerRow ?? 0), HEAD_RECORDS);
  let hasReasons: boolean | undefined;
  return {
    format: 'xlsx',
    read: { ...options, sheet: sheet.name },
    sheets: workbook.sheets.map(({ name, isHidden }): FileProfile['sheets'][number] => ({ name, isHidden })),
    questions: [],
    notes: workbook.notes,
    isTyped: true,
    get codeLengths() {
      return hasReasons ? new Map([...digitsOf].map(([column, digits]) => [column - 1, digits])) : digitsOf;
    },
    get firstColumn() {
      return hasReasons ? 1 : undefined;
    },
    headerCells: (record) =>
      head.has(record.line) ? headerCells(head as HeadRows, knownMerges, record.line) : record.fields.map(showBytes),
    headerNames: (record) => headerNames(head as HeadRows, knownMerges, record.line),
    async *records(): AsyncGenerator<RecordBatch> {
      const { parts, strings, styles, is1904 } = workbook;
      const context: SheetContext = {
        name: sheet.name,
        strings,
        ...styles,
        is1904,
        onMerge: (merge) => foundMerges.push(merge),
        onDigits: (column, digits) => digitsOf.set(column, digits),
      };
      const total = Math.max(1, sheet.part.uncompressedSize);
      for await (const { records: read, unpacked } of sheetRecords(await parts.read(sheet.part), context)) {
        // In a file of rejected rows the first column has the reasons: it is left out.
        hasReasons ??= read[0] && read[0].fields[0] === REASON_COLUMN;
        const records = hasReasons ? read.map(withoutFirst) : read;
        for (const { line, fields } of records) {
          // In a sheet with gaps, even the first rows can have large row numbers.
          if (head.size < HEAD_ROWS || line <= headRows) head.set(line, fields.map(showBytes));
        }
        yield { records, bytes: Math.min(file.size, Math.ceil((file.size * unpacked) / total)) };
      }
    },
    async reopen() {
      return knownMerges.length === 0 && foundMerges.length > 0
        ? sheetSource(file, workbook, sheet, options, foundMerges)
        : undefined;
    },
  };
}

const withoutFirst = ({ fields, kinds = [], formats, ...record }: SourceRecord): SourceRecord => ({
  ...record,
  fields: fields.slice(1),
  kinds: kinds.slice(1),
  ...(formats && { formats: formats.slice(1) }),
});

const RELATIONSHIPS = 'xl/_rels/workbook.xml.rels';

async function readWorkbook(file: FileBytes): Promise<Workbook> {
  const parts = await openParts(file);
  const main = requireWorkbook(parts, await readMainPath(parts));
  const base = main.fileName.replaceAll('\\', '/').replace(/[^/]*$/, '');
  const relations = new Map<string, { target: string; type: string }>();
  const relationsPart =
    parts.find(`${base}_rels/${main.fileName.replaceAll('\\', '/').slice(base.length)}.rels`) ??
    parts.find(RELATIONSHIPS);
  if (relationsPart) {
    await readPart(parts, relationsPart, {
      open(name, { Id = '', Target = '', Type = '' }) {
        if (name === 'Relationship') relations.set(Id, { target: Target, type: Type.slice(Type.lastIndexOf('/') + 1) });
      },
    });
  }
  const partOf = (target: string) => parts.find(target.startsWith('/') ? target : resolvePath(base + target));
  const partOfType = (type: string) => {
    const target = [...relations.values()].find((relation) => relation.type === type)?.target;
    return target === undefined ? undefined : partOf(target);
  };
  const sheets: Sheet[] = [];
  let is1904 = false;
  await readPart(parts, main, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      const relation = relations.get(id);
      const part = relation?.type === 'worksheet' ? partOf(relation.target) : undefined;
      const isHidden = ['hidden', 'veryHidden'].includes(attributes['state'] ?? '');
      if (part) sheets.push({ name: attributes['name'] ?? '', isHidden, part });
    },
  });
  return {
    parts,
    sheets: [...sheets.filter(({ isHidden }) => !isHidden), ...sheets.filter(({ isHidden }) => isHidden)],
    is1904,
    strings: await readStrings(parts, partOfType('sharedStrings')),
    styles: await readStyles(parts, partOfType('styles')),
    notes: parts.hasEnding('vbaproject.bin') ? ['Macros are ignored.'] : [],
  };
}

async function readMainPath(parts: ZipParts): Promise<string> {
  let path = 'xl/workbook.xml';
  const relations = parts.find('_rels/.rels');
  if (!relations) return path;
  await readPart(parts, relations, {
    open(name, { Type = '', Target = '' }) {
      if (name === 'Relationship' && Type.endsWith('/officeDocument')) path = Target;
    },
  });
  return path;
}

function requireWorkbook(parts: ZipParts, path: string): Entry {
  const otherFormat = (extension: string) =>
    new Refusal('UNSUPPORTED_MEDIA', `This is an ${extension} file: save it as .xlsx.`);
  if (parts.find('xl/workbook.bin')) throw otherFormat('.xlsb');
  if (parts.find('mimetype') && parts.find('content.xml')) throw otherFormat('.ods');
  const main = parts.find(path);
  if (main && /\.xml$/i.test(path) && !/word|ppt/i.test(path)) return main;
  throw new Refusal('UNSUPPORTED_MEDIA', 'This ZIP file contains no workbook.');
}

/** Resolves `.` and `..` in a path. */
function resolvePath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

/** Parses a part whose content has no rows. */
async function readPart(
  parts: ZipParts,
  part: Entry,
  handlers: XmlHandlers,
  bytesMax: number = PART_BYTES_MAX,
): Promise<void> {
  const name = part.fileName.slice(part.fileName.lastIndexOf('/') + 1);
  const read = xmlReader(handlers);
  let unpacked = 0;
  try {
    for await (const piece of await parts.read(part)) {
      unpacked += piece.length;
      if (unpacked > bytesMax) {
        throw new Refusal('TOO_LARGE', `${name} unpacks to more than ${bytesMax / 1024 / 1024} MiB.`);
      }
      read(piece);
    }
    read(undefined);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof XmlError && error.reason !== 'damage') {
      throw new Refusal('INVALID', `${name} ${error.message}.`);
    }
    if (error instanceof XmlError || isUnpackingError(error)) {
      throw new Refusal('INVALID', `${name} of the workbook is damaged: save it again in a spreadsheet program.`);
    }
    throw error;
  }
}

async function readStrings(parts: ZipParts, part: Entry | undefined): Promise<SharedStrings> {
  const strings = new SharedStrings();
  if (!part) return strings;
  let text = '';
  let isCollecting = false;
  let isPhonetic = false;
  await readPart(
    parts,
    part,
    {
      open(name) {
        if (name === 'si') text = '';
        else if (name === 'rPh') isPhonetic = true;
        else if (name === 't') isCollecting = !isPhonetic;
      },
      text(content) {
        if (isCollecting) text += content;
      },
      close(name) {
        if (name === 'si') strings.add(unescapeText(text));
        else if (name === 'rPh') isPhonetic = false;
        else if (name === 't') isCollecting = false;
      },
    },
    STRINGS_BYTES_MAX,
  );
  return strings;
}

async function readStyles(parts: ZipParts, part: Entry | undefined): Promise<Styles> {
  const codes = new Map<number, string>();
  const styles: Styles = { meanings: [], digits: [], formats: [] };
  if (!part) return styles;
  let isInCellFormats = false;
  await readPart(parts, part, {
    open(name, attributes) {
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') codes.set(id, attributes['formatCode'] ?? '');
      else if (name === 'cellXfs') isInCellFormats = true;
      else if (name === 'xf' && isInCellFormats) {
        styles.meanings.push(meaningOf(id, codes.get(id)));
        styles.digits.push(digitsShown(codes.get(id)));
        styles.formats.push(formatCodeToWrite(id, codes.get(id)));
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return styles;
}
