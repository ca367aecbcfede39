/** Validation test: checks rows by the rules of an import, and stores nothing. */

/** Bytes of the rows of one test. */
export const VALIDATED_BYTES_MAX = 10 * 1024 * 1024;
/** Problems of each rule that an answer lists, and those of them that stand for the rule. */
export const VALIDATION_PROBLEMS_MAX = 200;
export const VALIDATION_EXAMPLES = 3;

/** The rules that a test reports, in the order in which they are shown, and what breaking one is called. */
export const VALIDATION_RULES = {
  MISSING_KEY_COLUMN: 'Missing key column',
  UNKNOWN_COLUMN: 'Unknown column',
  MALFORMED: 'Unreadable row',
  FIELD_COUNT: 'Too many or too few fields',
  MISSING_KEY: 'Missing key',
  DUPLICATE_IN_FILE: 'Duplicate key',
  WRONG_TYPE: 'Wrong data type',
  TOO_LONG: 'Too long',
  ENCODING: 'Bytes that are not UTF-8',
  CONTROL_CHARACTER: 'Character that cannot be stored',
} as const;
export type ValidationRule = keyof typeof VALIDATION_RULES;

/** One fault of one row, or of the line that names the columns. */
export interface ValidationProblem {
  rule: ValidationRule;
  /** Line of a CSV text, the first is 1; of a JSON text the place of the row, from 1; null for a name in a JSON text. */
  line: number | null;
  /** Null for a fault of the whole row. */
  column: string | null;
  value: string | null;
  reason: string;
  fix: string;
}

/** A rule that is broken. */
export interface BrokenRule {
  rule: ValidationRule;
  name: string;
  /** Rows that break it; 0 for a column that an import leaves out. */
  rows: number;
  /** Problems in all; the answer lists the first `VALIDATION_PROBLEMS_MAX`. */
  problems: number;
  examples: ValidationProblem[];
}

/** Answer of POST /api/validation-test. */
export interface ValidationTestView {
  format: 'csv' | 'json';
  rows: number;
  validRows: number;
  invalidRows: number;
  rules: BrokenRule[];
  /** The first problems of each rule, in the order of their lines. */
  problems: ValidationProblem[];
  /** Problems beyond those. */
  moreProblems: number;
}
