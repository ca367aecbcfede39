/** Reads mappings from CSV: columns by their names, or by their places where the first line is a mapping already. */
import { CROSSWALK_CONFIDENCE_DEFAULT, csvScanner, Refusal, withoutMark } from '@rdm/contracts';
import { type ReadMapping, type ReadMappings, readConfidence, valueProblem } from './exchanged.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;

const folded = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
const NAMES = {
  source: ['sourcevalue', 'source', 'from'],
  target: ['targetvalue', 'target', 'to'],
  confidence: ['confidence'],
} as const;
/** Columns of an export that say how a mapping stood there: here it begins anew. */
const LEFT = new Set(
  'id revision status servedvalue servedconfidence deletionrequested createdby submittedby submittedat approvedby approvedat rejectedby rejectedat rejectionreason sourcelabel targetlabel'.split(
    ' ',
  ),
);

/** The delimiter that takes the first line apart into most fields. */
function delimiterOf(text: string): string {
  const end = text.indexOf('\n', 2_000);
  const head = end < 0 ? text : text.slice(0, end);
  const width = (delimiter: string) => csvScanner(delimiter).push(head, true)[0]?.fields.length ?? 0;
  return DELIMITERS.reduce((best, each) => (width(each) > width(best) ? each : best));
}

const SHARES =
  'No confidence is above 1, and some are fractions: they are read as parts of 100. Multiply them by 100 if they are shares of 1';

/** Whether the confidences of a file look like shares of 1; those it leaves out are 100. */
const looksLikeShares = (mappings: readonly ReadMapping[]): boolean => {
  const told = mappings.filter(({ confidence }) => confidence !== CROSSWALK_CONFIDENCE_DEFAULT);
  return (
    told.every(({ confidence }) => confidence <= 1) && told.some(({ confidence }) => !Number.isInteger(confidence))
  );
};

export function readCsv(text: string): ReadMappings {
  const records = csvScanner(delimiterOf(text)).push(text, true);
  const first = records[0];
  if (!first) throw new Refusal('INVALID', 'The file has no rows');
  const names = first.fields.map(folded);
  const place = (side: keyof typeof NAMES) =>
    names.findIndex((name) => (NAMES[side] as readonly string[]).includes(name));
  const named = { source: place('source'), target: place('target'), confidence: place('confidence') };
  const isNamed = named.source >= 0 && named.target >= 0;
  if (!isNamed && (named.source >= 0 || named.target >= 0)) {
    const missing = named.source < 0 ? 'sourceValue' : 'targetValue';
    throw new Refusal('INVALID', `The file has no column ${missing}: name one in its first line`);
  }
  if (!isNamed && first.fields.length < 2) {
    throw new Refusal('INVALID', 'A row needs two columns at least: sourceValue and targetValue');
  }
  const at = isNamed ? named : { source: 0, target: 1, confidence: 2 };
  const columns = isNamed ? first.fields.map((name) => name.trim()) : ['sourceValue', 'targetValue', 'confidence'];
  const mappings = (isNamed ? records.slice(1) : records).map(({ line, fields, malformed }): ReadMapping => {
    const cell = (column: number) => withoutMark(fields[column] ?? '');
    const [source, target, written] = [cell(at.source), cell(at.target), cell(at.confidence)];
    const column = (index: number) => columns[index] ?? '';
    const read = written.trim() === '' ? undefined : readConfidence(column(at.confidence), written, 100);
    const problems = [
      malformed === null
        ? undefined
        : { column: '', value: '', rule: `In this row ${malformed}`, fix: 'Double the quotation marks inside a field' },
      valueProblem(column(at.source), source, 'source'),
      valueProblem(column(at.target), target, 'target'),
      read && 'problem' in read ? read.problem : undefined,
    ].filter((problem) => problem !== undefined);
    const confidence = read && 'confidence' in read ? read.confidence : CROSSWALK_CONFIDENCE_DEFAULT;
    return { row: line, source: { value: source }, target: { value: target }, confidence, problems, remarks: [] };
  });
  const used = new Set(Object.values(at));
  const unread = isNamed ? columns.filter((name, index) => !used.has(index) && name !== '') : [];
  const unknown = unread.filter((name) => !LEFT.has(folded(name)));
  return {
    mappings,
    remarks: [
      ...(isNamed ? [] : ['The first line names no columns: read as source value, target value and confidence']),
      ...(looksLikeShares(mappings) ? [SHARES] : []),
      ...(unknown.length > 0 ? [`Columns that are not read: ${unknown.join(', ')}`] : []),
    ],
  };
}
