/** The validation test, which checks rows by the rules of an import and stores nothing. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The maximum number of bytes of the rows in one test. */
export const VALIDATED_BYTES_MAX = 10 * 1024 * 1024;
/** The maximum number of problems per rule that a response lists. */
export const VALIDATION_PROBLEMS_MAX = 200;
/** The maximum number of examples per broken rule. */
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

/** One problem of one row, or of a column that is missing or unknown. */
export const ValidationProblem = defineView(() =>
  z.object({
    rule: z.enum(Object.keys(VALIDATION_RULES) as ValidationRule[]),
    line: z
      .number()
      .nullable()
      .describe(
        'The line of the CSV text or the number of the JSON row, counted from 1; null for a problem of a field name in JSON.',
      ),
    column: z.string().nullable().describe('Null for a problem of the whole row.'),
    value: z.string().nullable(),
    reason: z.string(),
    fix: z.string(),
  }),
);
export type ValidationProblem = z.infer<typeof ValidationProblem>;

/** A rule that rows or column names break. */
export const BrokenRule = defineView(() =>
  z.object({
    rule: z.enum(Object.keys(VALIDATION_RULES) as ValidationRule[]),
    name: z.string(),
    rows: z
      .number()
      .describe(
        'The number of rows that break the rule; 0 for unknown columns, because an import ignores unknown columns.',
      ),
    problems: z
      .number()
      .describe(`The number of all problems; the response lists the first ${VALIDATION_PROBLEMS_MAX}.`),
    examples: z.array(ValidationProblem),
  }),
);
export type BrokenRule = z.infer<typeof BrokenRule>;

/** The response to POST /api/validation-test. */
export const ValidationTestView = defineView(() =>
  z.object({
    format: z.enum(['csv', 'json']),
    rows: z.number(),
    validRows: z.number(),
    invalidRows: z.number(),
    rules: z.array(BrokenRule),
    problems: z.array(ValidationProblem).describe('The first problems of each rule, by line.'),
    moreProblems: z.number().describe('The number of problems that are not listed.'),
  }),
);
export type ValidationTestView = z.infer<typeof ValidationTestView>;
