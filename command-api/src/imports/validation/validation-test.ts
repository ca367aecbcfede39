/** Validates rows by the rules of an import, without storing anything. */
import { isUtf8 } from 'node:buffer';
import {
  activeFields,
  type BrokenRule,
  type CellValue,
  csvScanner,
  isObject,
  parseJson,
  type ReferenceType,
  Refusal,
  shortened,
  VALIDATION_EXAMPLES,
  VALIDATION_PROBLEMS_MAX,
  VALIDATION_RULES,
  type ValidationProblem,
  type ValidationRule,
  type ValidationTestView,
} from '@rdm/contracts';
import { InexactNumber, inexactNumber } from '@rdm/platform';
import type { RowsToValidate } from '../../file-imports/file-process.ts';
import { inSlices } from '../../file-imports/row-import.ts';
import { encodingOf, utf8Transcoder } from '../../file-imports/text-encoding.ts';
import { detect, requireNotTooManyColumns, suggest } from '../upload/detection.ts';
import { HEAD_BYTES } from '../upload/upload.ts';
import { planImport } from './plan.ts';
import {
  checkRecord,
  checkTypedRow,
  type Flaw,
  type FlawedRow,
  type ImportPlan,
  isRejected,
  repeatedKey,
  type ValidRow,
} from './row-validation.ts';

/** A parsed text: its columns, their fields and its rows. */
interface ParsedText {
  format: ValidationTestView['format'];
  /** The line of the column names; null if each row names its columns. */
  headerLine: number | null;
  columns: readonly string[];
  mapping: Record<string, number>;
  rows: (plan: ImportPlan) => Iterable<ValidRow | FlawedRow>;
}

export async function validateRows({ type, keyFieldIds, content }: RowsToValidate): Promise<ValidationTestView> {
  const encoding = encodingOf(content);
  const utf8 = utf8Transcoder(encoding)(content, true);
  const firstChar = utf8.toString('latin1').trimStart()[0];
  if (firstChar === undefined) throw new Refusal('INVALID', 'There are no rows to validate: send them as CSV or JSON');
  const parsed = firstChar === '[' || firstChar === '{' ? parseJsonRows(utf8, type) : parseCsvRows(utf8, type);
  const isFilled = (fieldId: number) => Object.values(parsed.mapping).includes(fieldId);
  const missingKeyFieldIds = keyFieldIds.filter((fieldId) => !isFilled(fieldId));
  const plan = planImport(parsed.columns, parsed.mapping, keyFieldIds.filter(isFilled), type);
  const hasKey = missingKeyFieldIds.length === 0 && keyFieldIds.length > 0;

  const problems = new ProblemsByRule();
  const firstLines = new Map<string, number>();
  let rows = 0;
  let invalidRows = 0;
  for await (const row of inSlices(parsed.rows(plan))) {
    rows += 1;
    const flaws: Flaw[] = isRejected(row) ? [...row.flaws] : [];
    const firstLine = hasKey && row.key !== undefined ? firstLines.get(row.key) : undefined;
    if (firstLine !== undefined) {
      const where = parsed.format === 'json' ? `in row ${firstLine}` : `on line ${firstLine}`;
      flaws.push(repeatedKey(plan, JSON.parse(row.key as string) as CellValue[], where));
    } else if (!isRejected(row)) firstLines.set(row.key, row.line);
    if (flaws.length > 0) invalidRows += 1;
    problems.addRow(flaws.map((flaw) => ({ ...flaw, rule: flaw.rule as ValidationRule, line: row.line })));
  }
  for (const problem of headerProblems(parsed, missingKeyFieldIds, type)) {
    problems.add(problem);
    if (problem.rule === 'MISSING_KEY_COLUMN') problems.setRows(problem.rule, rows);
  }
  // An import refuses all rows if a key field has no column.
  if (missingKeyFieldIds.length > 0) invalidRows = rows;
  return { format: parsed.format, rows, validRows: rows - invalidRows, invalidRows, ...problems.view() };
}

/** The number of characters that are scanned at a time. Their records are in memory together. */
const PIECE_CHARACTERS = 256 * 1024;

function parseCsvRows(utf8: Buffer, type: ReferenceType): ParsedText {
  const bytes = utf8.toString('latin1');
  const head = bytes.slice(0, HEAD_BYTES);
  const detected = detect(head, head.length === bytes.length, activeFields(type), {});
  const { delimiter, hasHeader, columns, suggestedColumns: mapping } = detected;
  function* rows(plan: ImportPlan) {
    const scanner = csvScanner(delimiter);
    let isHeader = hasHeader;
    for (let at = 0; at < bytes.length; at += PIECE_CHARACTERS) {
      const end = at + PIECE_CHARACTERS;
      for (const record of scanner.push(bytes.slice(at, end), end >= bytes.length)) {
        if (!isHeader) yield checkRecord(plan, record);
        isHeader = false;
      }
    }
  }
  return { format: 'csv', headerLine: 1, columns, mapping, rows };
}

function parseJsonRows(utf8: Buffer, type: ReferenceType): ParsedText {
  if (!isUtf8(utf8)) throw new Refusal('INVALID', 'The file has bytes that are not UTF-8: save it as UTF-8 text');
  const document = parseJson(utf8.toString());
  const inexact = inexactNumber(utf8);
  if (inexact !== undefined) throw new Refusal('INVALID', new InexactNumber(inexact).message);
  const list = isObject(document) ? (document['rows'] ?? document['items']) : document;
  if (!Array.isArray(list)) {
    throw new Refusal(
      'INVALID',
      'The file holds no list of rows: write [{ "field": "value" }], one object for each row',
    );
  }
  const names = new Set<string>();
  for (const record of list) if (isObject(record)) for (const name of Object.keys(record)) names.add(name);
  requireNotTooManyColumns(names.size);
  const columns = [...names];
  function* rows(plan: ImportPlan) {
    for (const [index, record] of (list as unknown[]).entries()) {
      yield isObject(record) ? checkTypedRow(plan, index + 1, record) : notAnObject(index + 1, record);
    }
  }
  return { format: 'json', headerLine: null, columns, mapping: suggest(columns, true, activeFields(type)), rows };
}

const notAnObject = (line: number, record: unknown): FlawedRow => ({
  line,
  flaws: [
    {
      rule: 'MALFORMED',
      column: null,
      value: shortened(JSON.stringify(record)),
      reason: 'This row is not an object',
      fix: 'Write an object with the name and the value of each field: { "field": "value" }.',
    },
  ],
});

function* headerProblems(
  { headerLine, columns, mapping, format }: ParsedText,
  missingKeyFieldIds: readonly number[],
  type: ReferenceType,
): Generator<ValidationProblem> {
  const name = format === 'json' ? 'member' : 'column';
  for (const fieldId of missingKeyFieldIds) {
    const field = type.fields.find((each) => each.fieldId === fieldId)?.name ?? String(fieldId);
    yield {
      rule: 'MISSING_KEY_COLUMN',
      line: headerLine,
      column: field,
      value: null,
      reason: `No ${name} fills the key field "${field}"`,
      fix: format === 'json' ? `Add "${field}" to each row.` : `Name a column "${field}" in the first line.`,
    };
  }
  for (const column of columns.filter((each) => !Object.hasOwn(mapping, each))) {
    yield {
      rule: 'UNKNOWN_COLUMN',
      line: headerLine,
      column: shortened(column),
      value: null,
      reason: `"${type.name}" has no field of this name, or another ${name} fills it: this ${name} is ignored`,
      fix: `Rename the ${name} after a field, or remove it.`,
    };
  }
}

/** Counts problems by rule and keeps the first problems of each rule. */
class ProblemsByRule {
  readonly #rules = new Map<ValidationRule, BrokenRule & { first: ValidationProblem[] }>();

  addRow(problems: readonly ValidationProblem[]): void {
    for (const problem of problems) this.add(problem);
    for (const rule of new Set(problems.map((problem) => problem.rule))) this.#of(rule).rows += 1;
  }

  add(problem: ValidationProblem): void {
    const { rule } = problem;
    const broken = this.#of(rule);
    broken.problems += 1;
    if (broken.first.length < VALIDATION_PROBLEMS_MAX) broken.first.push(problem);
  }

  setRows(rule: ValidationRule, rows: number): void {
    this.#of(rule).rows = rows;
  }

  view(): Pick<ValidationTestView, 'rules' | 'problems' | 'moreProblems'> {
    const broken = (Object.keys(VALIDATION_RULES) as ValidationRule[]).flatMap((rule) => this.#rules.get(rule) ?? []);
    const problems = broken.flatMap(({ first }) => first).sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    const count = broken.reduce((sum, rule) => sum + rule.problems, 0);
    const rules = broken.map(({ first, ...rule }) => ({ ...rule, examples: first.slice(0, VALIDATION_EXAMPLES) }));
    return { rules, problems, moreProblems: count - problems.length };
  }

  #of(rule: ValidationRule) {
    const existing = this.#rules.get(rule);
    if (existing) return existing;
    const name = VALIDATION_RULES[rule];
    const broken = { rule, name, rows: 0, problems: 0, examples: [], first: [] };
    this.#rules.set(rule, broken);
    return broken;
  }
}
