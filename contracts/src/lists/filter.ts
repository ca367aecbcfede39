/** The filter language of every list: operators, data types and the query of specification §5. */
import { z } from 'zod';
import { FILTER_TEXT_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../constants.ts';
import { defineView } from '../define-view.ts';
import { WORDS } from '../refusal.ts';
import { holdsStorableText } from '../text/text.ts';
import { FILTER_DATA_TYPES, FILTER_OPERATORS, type FilterOperator } from './filter-operators.ts';

export * from './filter-operators.ts';

export interface FilterCondition {
  field: string;
  operator: FilterOperator;
  value?: unknown;
}
export interface FilterGroup {
  logic: 'AND' | 'OR';
  conditions: (FilterCondition | FilterGroup)[];
}

// Unknown members are refused: a condition without effect would select too many rows, for example for a deletion.
const Condition = z.strictObject({
  field: z.string().min(1).max(500),
  operator: z.enum(FILTER_OPERATORS),
  value: z.unknown().optional(),
});
export const FilterGroup: z.ZodType<FilterGroup> = defineView(
  () =>
    z.lazy(() =>
      z.strictObject({
        logic: z.enum(['AND', 'OR']).default('AND'),
        conditions: z.array(z.union([Condition, FilterGroup])).max(200, WORDS.groupTooLong),
      }),
    ) as never,
);

/** The maximum depth of JSON in a filter: more than filters need, and far less than the stack allows. */
const FILTER_LEVELS_MAX = 50;

export const Filter: z.ZodType<FilterGroup> = defineView(() =>
  z
    .unknown()
    .refine((json) => nestsAtMost(json, FILTER_LEVELS_MAX), { error: 'The filter is nested too deeply', abort: true })
    .refine(holdsStorableText, { error: WORDS.unstorableText, abort: true })
    .pipe(FilterGroup as never),
);

function nestsAtMost(json: unknown, levels: number): boolean {
  let level = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return false;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return true;
}

/** The query parameter of reads of the past. */
export const AsOf = z
  .string()
  .max(100)
  .optional()
  .describe(
    'Reads the data as they were at this time: an ISO instant such as `2026-05-01T12:00:00Z`, or `seq:<number>`. If left out, the current data are read.',
  );

/** Query parameters of every list. */
export const ListQuery = z.object({
  page: z.coerce.number().int().min(1).default(1).describe('The page, from 1.'),
  pageSize: z.coerce
    .number()
    .int()
    .min(1)
    .max(PAGE_SIZE_MAX)
    .default(PAGE_SIZE_DEFAULT)
    .describe('The number of items on a page.'),
  sort: z.string().max(500).optional().describe('The field to sort by. If left out, the list has its default order.'),
  order: z.enum(['ASC', 'DESC', 'asc', 'desc']).default('ASC').describe('The direction of `sort`.'),
  q: z.string().max(500).optional().describe('The text to search for.'),
  filter: z
    .string()
    .max(FILTER_TEXT_MAX, WORDS.filterTooLong)
    .optional()
    .describe(
      'A filter as JSON, such as `{"logic":"AND","conditions":[{"field":"name","operator":"contains","value":"euro"}]}`.',
    ),
  fields: z
    .string()
    .max(5_000)
    .optional()
    .describe('The fields that each item has, separated by commas. If left out, items have all fields.'),
  asOf: AsOf,
});
export type ListQuery = z.infer<typeof ListQuery>;

/** The exact number of rows, or a lower bound if counting all rows would cost too much. */
export const Total = defineView(() => z.union([z.number(), z.object({ atLeast: z.number() })]));
export type Total = z.infer<typeof Total>;

/** The schema of one page of a list. */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    items: z.array(row),
    page: z.number(),
    pageSize: z.number(),
    total: Total,
    position: z.string().describe('The position in the log up to which the page has all changes.'),
  });

export interface Page<Row> {
  items: Row[];
  page: number;
  pageSize: number;
  total: Total;
  position: string;
}

/** GET …/history: a page of the versions of one entity, the latest first. */
export const HistoryQuery = ListQuery.pick({ page: true, pageSize: true, asOf: true });
export type HistoryQuery = z.infer<typeof HistoryQuery>;

/** A field by which a list can be filtered and sorted. */
export const FilterField = defineView(() =>
  z.object({
    name: z.string(),
    label: z.string(),
    dataType: z.enum(FILTER_DATA_TYPES),
    operators: z
      .array(z.enum(FILTER_OPERATORS))
      .readonly()
      .exactOptional()
      .describe('The operators that the configuration offers, the default operator first.'),
  }),
);
export type FilterField = z.infer<typeof FilterField>;
