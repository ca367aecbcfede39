/** Reads mappings from CSV. Columns are found by name or, if the file has no header, by position. */
import { CROSSWALK_CONFIDENCE_DEFAULT } from '../../constants.ts';
import { Refusal } from '../../refusal.ts';
import { type CsvRecord, detectingCsvScanner, withoutApostrophe } from '../../text/csv.ts';
import { type MappingReader, type ReadMapping, readConfidence, valueProblem } from './exchanged-mapping.ts';

const foldName = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
const NAMES = {
  source: ['sourcevalue', 'source', 'from'],
  target: ['targetvalue', 'target', 'to'],
  confidence: ['confidence'],
} as const;
/**
 * Columns of an export that an import skips without a remark, because an imported mapping starts as a draft and its
 * labels are those of the rows.
 */
const IGNORED_COLUMNS = new Set(
  'id revision status servedvalue servedconfidence deletionrequested createdby submittedby submittedat approvedby approvedat rejectedby rejectedat rejectionreason sourcelabel targetlabel'.split(
    ' ',
  ),
);

const SHARES_REMARK =
  'No confidence is above 1, and some are fractions. Confidences are read as percentages: multiply shares of 1 by 100';

/** The positions of the columns with source value, target value and confidence, determined from the first record. */
interface Layout {
  at: Record<keyof typeof NAMES, number>;
  columns: readonly string[];
  /** Whether the first line is a header, not a mapping. */
  isNamed: boolean;
  /** The header line, or only the delimiters if columns have no names. */
  header: string;
}

function layoutOf(first: CsvRecord, delimiter: string, width: number): Layout {
  const names = first.fields.map(foldName);
  const positionOf = (side: keyof typeof NAMES) =>
    names.findIndex((name) => (NAMES[side] as readonly string[]).includes(name));
  const positions = {
    source: positionOf('source'),
    target: positionOf('target'),
    confidence: positionOf('confidence'),
  };
  const isNamed = positions.source >= 0 && positions.target >= 0;
  if (!isNamed && (positions.source >= 0 || positions.target >= 0)) {
    const missing = positions.source < 0 ? 'sourceValue' : 'targetValue';
    throw new Refusal('INVALID', `The file has no column ${missing}: write this name in the first line`);
  }
  if (!isNamed && Math.max(first.fields.length, width) < 2) {
    throw new Refusal('INVALID', 'A row needs at least two columns: sourceValue and targetValue');
  }
  return isNamed
    ? { at: positions, columns: first.fields.map((name) => name.trim()), isNamed, header: first.raw }
    : {
        at: { source: 0, target: 1, confidence: 2 },
        columns: ['sourceValue', 'targetValue', 'confidence'],
        isNamed,
        header: delimiter.repeat(Math.max(first.fields.length, width) - 1),
      };
}

function readRecord({ at, columns }: Layout, { line, fields, raw, malformed }: CsvRecord): ReadMapping {
  const cell = (column: number) => withoutApostrophe(fields[column] ?? '');
  const [source, target, written] = [cell(at.source), cell(at.target), cell(at.confidence)];
  const column = (index: number) => columns[index] ?? '';
  const read = written.trim() === '' ? undefined : readConfidence(column(at.confidence), written, 100);
  const problems = [
    malformed === null
      ? undefined
      : { column: '', value: '', rule: `In this row ${malformed.rule}`, fix: malformed.fix },
    valueProblem(column(at.source), source, 'source'),
    valueProblem(column(at.target), target, 'target'),
    read && 'problem' in read ? read.problem : undefined,
  ].filter((problem) => problem !== undefined);
  const confidence = read && 'confidence' in read ? read.confidence : CROSSWALK_CONFIDENCE_DEFAULT;
  return {
    row: line,
    source: { value: source },
    target: { value: target },
    confidence,
    problems,
    remarks: [],
    raw: { text: raw, isBroken: malformed !== null },
  };
}

export function csvReader(): MappingReader {
  const scanner = detectingCsvScanner();
  let layout: Layout | undefined;
  /** Facts for `SHARES_REMARK` about the confidences in the file that differ from the default confidence. */
  const confidences = { above1: false, fractions: false };

  function* read(records: readonly CsvRecord[]): Generator<ReadMapping> {
    for (const record of records) {
      if (!layout) {
        layout = layoutOf(record, scanner.delimiter(), scanner.width());
        if (layout.isNamed) continue;
      }
      const mapping = readRecord(layout, record);
      if (mapping.confidence !== CROSSWALK_CONFIDENCE_DEFAULT) {
        if (mapping.confidence > 1) confidences.above1 = true;
        if (!Number.isInteger(mapping.confidence)) confidences.fractions = true;
      }
      yield mapping;
    }
  }

  return {
    push: (text, last) => read(scanner.push(text, last)),
    head: () => layout && { delimiter: scanner.delimiter(), metadata: '', header: layout.header },
    remarks() {
      if (!layout) throw new Refusal('INVALID', 'The file has no rows');
      const { at, columns, isNamed } = layout;
      const used = new Set(Object.values(at));
      const unread = isNamed ? columns.filter((name, index) => !used.has(index) && name !== '') : [];
      const unknown = unread.filter((name) => !IGNORED_COLUMNS.has(foldName(name)));
      return [
        ...(isNamed
          ? []
          : ['The first line is not a header: the columns are read as source value, target value and confidence']),
        ...(confidences.fractions && !confidences.above1 ? [SHARES_REMARK] : []),
        ...(unknown.length > 0 ? [`Columns that are not read: ${unknown.join(', ')}`] : []),
      ];
    },
  };
}
