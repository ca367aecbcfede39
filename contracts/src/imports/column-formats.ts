/** How the texts of a column are read as values: date order, decimal and thousands separators, words for booleans. */
import { z } from 'zod';

export const DATE_ORDERS = ['YMD', 'DMY', 'MDY'] as const;

/** An omitted property has the format of the product's exports: ISO dates, a decimal point, true and false. */
export const ColumnFormat = z.object({
  date: z.enum(DATE_ORDERS).optional(),
  decimal: z.enum(['.', ',']).optional(),
  /** The separator of thousands; a blank represents any white space, and `'` also represents `’`. */
  group: z.string().max(1).optional(),
  yes: z.array(z.string().max(100)).max(20).optional(),
  no: z.array(z.string().max(100)).max(20).optional(),
  /** Whether a cell of blanks is an empty cell or a text. */
  blank: z.enum(['empty', 'keep']).default('empty'),
});
export type ColumnFormat = z.infer<typeof ColumnFormat>;
