/** Validation test: checks rows by the rules of an import and stores nothing. */

/** Bytes of the rows of one test. */
export const VALIDATED_BYTES_MAX = 10 * 1024 * 1024;
/** Problems of each rule that an answer lists, and how many of them serve as examples. */
export const VALIDATION_PROBLEMS_MAX = 200;
export const VALIDATION_EXAMPLES = 3;

/** The rules of a test in display order, with their names. */
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

/** One problem of one row, or of the header line. */
export interface ValidationProblem {
  rule: ValidationRule;
  /** Line of a CSV text, starting at 1; in JSON the index of the row, starting at 1; null for a field name in JSON. */
  line: number | null;
  /** Null for a problem of the whole row. */
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
  /** All problems; the answer lists the first `VALIDATION_PROBLEMS_MAX`. */
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
  /** The first problems of each rule, by line. */
  problems: ValidationProblem[];
  /** Problems that are not listed. */
  moreProblems: number;
}
