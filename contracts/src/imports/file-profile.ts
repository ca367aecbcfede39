/** The profile of a file: its format, its read options, and a profile of each column. */
import { z } from 'zod';
import { DATA_TYPES } from '../text/rows.ts';
import { ColumnFormat } from './column-formats.ts';
import { Question } from './problems.ts';

export const FILE_FORMATS = ['text', 'xlsx', 'json', 'ndjson', 'parquet', 'fhir', 'turtle', 'rdfxml'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/**
 * How a file is read. Omitted options are detected. Without `firstRecord` and `lastRecord`, all records are read.
 * Records are numbered by line of a text, by row of a sheet or Parquet file, and by position in a JSON array.
 */
export const ReadOptions = z.object({
  sheet: z.string().max(255).optional(),
  headerRow: z.number().int().min(0).optional().describe('The record that names the columns; 0 for none.'),
  delimiter: z.string().length(1).optional(),
  encoding: z.string().max(40).optional(),
  firstRecord: z.number().int().min(1).optional(),
  lastRecord: z.number().int().min(1).optional(),
});
export type ReadOptions = z.infer<typeof ReadOptions>;

/** The profile of one column over all records of the file. */
export const ColumnProfile = z.object({
  index: z.number().int(),
  name: z.string(),
  records: z.number().int(),
  empty: z.number().int(),
  isDistinct: z.boolean().describe('Whether no value occurs twice.'),
  distinct: z.number().int().describe('The number of distinct values; an estimate beyond 100,000.'),
  samples: z.array(z.string()),
  codeLength: z
    .number()
    .int()
    .nullable()
    .describe('The length of codes with leading zeros; null without leading zeros or without a common length.'),
  dataType: z.enum(DATA_TYPES).describe('The proposed data type.'),
  format: ColumnFormat,
  reason: z.string().describe('Why this type and format are proposed, as a sentence.'),
  misfits: z.number().int().describe('The number of values that are not of the proposed type.'),
  isTyped: z
    .literal(true)
    .optional()
    .describe('Set if the file stores no value of the column as a text, so that the format has no effect.'),
  hasBothDateOrders: z
    .literal(true)
    .optional()
    .describe('Set if some dates of the column can only begin with the day, and others only with the month.'),
  asNumber: z
    .object({ format: ColumnFormat, misfits: z.number().int() })
    .optional()
    .describe('If the proposed type is not number: the format with which most values are numbers.'),
  asDate: z
    .object({ format: ColumnFormat, misfits: z.number().int() })
    .optional()
    .describe('If the proposed type is not date: the format with which most values are dates.'),
});
export type ColumnProfile = z.infer<typeof ColumnProfile>;

/** The profile of a file. The same bytes and options give the same profile. */
export const FileProfile = z.object({
  format: z.enum(FILE_FORMATS),
  read: ReadOptions.describe('The options with which the file is read, given or detected.'),
  sheets: z.array(z.object({ name: z.string(), isHidden: z.boolean() })),
  records: z.number().int(),
  columns: z.array(ColumnProfile),
  /**
   * The indexes of the columns that identify a record; null if none were found. `label` is the index of the column that
   * names the record.
   */
  key: z.array(z.number().int()).nullable(),
  keyReason: z.string(),
  label: z.number().int().nullable(),
  labelReason: z.string(),
  questions: z.array(Question),
  preview: z.array(z.object({ record: z.number().int(), place: z.string(), cells: z.array(z.string()) })),
  /** The index of the first column that is read. Set to 1 if a sheet begins with the reasons of rejected rows. */
  firstColumn: z.number().int().optional(),
  notes: z.array(z.string()).describe('Remarks about the file, such as "Macros are ignored."'),
});
export type FileProfile = z.infer<typeof FileProfile>;
