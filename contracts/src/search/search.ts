/** The search for data sets, definitions, codes and people: GET /api/search. */
import { z } from 'zod';

/** The maximum number of characters of a search text. */
export const SEARCH_TEXT_MAX = 200;
/** The maximum number of results of each kind. */
export const SEARCH_RESULTS_MAX = 8;
/** The maximum number of recently opened data sets that a request may name. */
export const SEARCH_RECENT_MAX = 20;

export const SearchQuery = z.object({
  q: z.string().trim().min(1).max(SEARCH_TEXT_MAX).describe('The code, label or name to search for.'),
  recent: z
    .string()
    .regex(/^\d{1,15}(,\d{1,15})*$/)
    .optional()
    .describe(
      'The ids of the data sets that the user opened last, latest first, separated by commas. Among equally good results, the results of these data sets come first.',
    ),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

const FoundDataSet = z.object({ id: z.number(), name: z.string(), typeName: z.string() });
const FoundDefinition = z.object({
  kind: z.enum(['crosswalk', 'relationship']),
  id: z.number(),
  name: z.string(),
  sourceName: z.string(),
  targetName: z.string(),
});
/** Rows with the same code and label, each in another data set. */
const FoundCode = z.object({
  code: z.string(),
  label: z.string().nullable(),
  places: z.array(z.object({ dataSetId: z.number(), dataSetName: z.string(), instanceId: z.number() })),
});
const FoundPerson = z.object({ id: z.number(), username: z.string(), displayName: z.string().nullable() });

export const SearchAnswer = z.object({
  dataSets: z.array(FoundDataSet),
  definitions: z.array(FoundDefinition),
  codes: z.array(FoundCode),
  /** Always empty if the user is not an administrator. */
  people: z.array(FoundPerson),
  /** False if the time limit was too short to search all rows, or if a data set is not searchable yet. */
  complete: z.boolean(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
export type FoundDataSet = z.infer<typeof FoundDataSet>;
export type FoundDefinition = z.infer<typeof FoundDefinition>;
export type FoundCode = z.infer<typeof FoundCode>;
export type FoundPerson = z.infer<typeof FoundPerson>;
