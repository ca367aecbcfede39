/** Problems of a file before its import: groups of problems with fixes, and questions that inference cannot answer. */
import { z } from 'zod';
import { DATA_TYPES } from '../text/rows.ts';
import { ColumnFormat } from './column-formats.ts';

export const PROBLEM_RULES = [
  'MALFORMED',
  'FIELD_COUNT',
  'ENCODING',
  'CONTROL_CHARACTER',
  'WRONG_TYPE',
  'TOO_LONG',
  'MISSING_KEY',
  'DUPLICATE_IN_FILE',
  'DUPLICATE_KEY',
  'NOT_FOUND',
  'DIGITS_LOST',
  'FORMULA_ERROR',
  'NO_CACHED_VALUE',
  'TIME_IN_DATE',
  'REFERENCED',
  'SPACES',
  'SCIENTIFIC',
  'ZEROS_LOST',
  'EMPTY_LABEL',
  'DATE_ORDER',
] as const;
export type ProblemRule = (typeof PROBLEM_RULES)[number];

const Column = z.number().int().min(0).describe('The index of the column in the file, from 0.');
const Group = z.string().max(500).describe('The id of the group whose records the fix changes.');

/**
 * A correction that applies after the records of a file are read and before they are checked. It changes or skips
 * records, or changes the format or the data type of a column. The file itself is not changed.
 */
export const Fix = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('setCell'), record: z.number().int(), column: Column, value: z.string().max(100_000) }),
  z.object({ kind: z.literal('mapValue'), group: Group, from: z.string(), to: z.string().max(100_000) }),
  z.object({ kind: z.literal('fill'), group: Group, value: z.string().max(100_000) }),
  z.object({
    kind: z.literal('change'),
    group: Group,
    by: z.enum(['trim', 'dropTime', 'dropUnit', 'padZeros']),
    length: z.number().int().min(1).max(100).optional(),
  }),
  z.object({ kind: z.literal('format'), column: Column, format: ColumnFormat }),
  z.object({ kind: z.literal('type'), column: Column, dataType: z.enum(DATA_TYPES) }),
  z.object({ kind: z.literal('skip'), group: Group }),
  z.object({ kind: z.literal('keep'), group: Group, which: z.enum(['first', 'last']) }),
  z.object({ kind: z.literal('joinSurplus'), group: Group, column: Column }),
]);
export type Fix = z.infer<typeof Fix>;

export const Problem = z.object({
  record: z
    .number()
    .int()
    .describe('The line of the file or the row of the sheet on which the record begins, or its position in JSON.'),
  place: z.string().describe('The place of the problem, such as "line 17" or "Data!C17".'),
  column: Column.nullable(),
  value: z.string(),
  rule: z.enum(PROBLEM_RULES),
});
export type Problem = z.infer<typeof Problem>;

/** Problems with the same rule, column and shape of the value (each run of digits becomes 9, each letter a). */
export const ProblemGroup = z.object({
  id: z.string(),
  rule: z.enum(PROBLEM_RULES),
  column: Column.nullable(),
  shape: z.string(),
  severity: z.enum(['error', 'warning']),
  count: z.number().int(),
  message: z.string(),
  values: z.array(z.object({ value: z.string(), count: z.number().int() })).describe('The 50 most frequent values.'),
  fixes: z.array(Fix).describe('Fixes, the best first.'),
});
export type ProblemGroup = z.infer<typeof ProblemGroup>;

export const QUESTION_KINDS = [
  'encoding',
  'delimiter',
  'header',
  'dateOrder',
  'numberFormat',
  'key',
  'target',
] as const;

export const Question = z.object({
  id: z.string(),
  kind: z.enum(QUESTION_KINDS),
  column: Column.nullable(),
  text: z.string().describe('The question as a sentence.'),
  options: z.array(
    z.object({
      value: z.string(),
      label: z.string(),
      examples: z.array(z.string()),
      count: z.number().int().optional(),
    }),
  ),
  answer: z.string().nullable(),
});
export type Question = z.infer<typeof Question>;
