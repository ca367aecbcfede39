/** Suggestions: candidate targets for unmapped source values, with a confidence and a reason. */
import { ListQuery, type MappingView, type Page, pageOf, Refusal, SuggestionView, WORDS } from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { type CrosswalkRecord, type Side, sideColumn } from '../entities/crosswalks.ts';
import { listRows, whereClause } from '../list/list.ts';
import { orderByClause } from '../list/list-statement.ts';
import type { Candidate } from '../matching/candidates.ts';
import { type Answer, Progress } from '../matching/matching.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadPosition, type ReadRequest } from '../read-models/read-models.ts';
import { all, type Sql, sql, toStatement } from '../read-models/sql.ts';
import { type UnmappedValue, unmappedValues, withoutMapping } from './crosswalk-rows.ts';
import { findCrosswalk } from './crosswalks.ts';
import {
  findCandidates,
  percent,
  prepareInputs,
  type SuggestionContext,
  sourceRows,
  targetRows,
  toLabelledValue,
  versionOfSide,
} from './suggestion-candidates.ts';

/** Maximum number of suggestions in one response for bulk acceptance. */
const BULK_SIZE = 10_000;
const PREVIEW_SIZE = 20;

const SuggestionsQuery = ListQuery.extend({
  threshold: z.coerce
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('The minimum similarity, from 0 to 1. By default the threshold of the crosswalk.'),
  minConfidence: z.coerce
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'Returns one page of up to 10,000 unambiguous suggestions with at least this confidence. Of the other query parameters, only `q` and `filter` apply.',
    ),
});
type SuggestionsRequest = ApiRequest<unknown, z.infer<typeof SuggestionsQuery>>;

const PreviewQuery = z.object({
  sourceSystemId: z.coerce.number().int().positive().describe('The id of the source data set.'),
  targetSystemId: z.coerce.number().int().positive().describe('The id of the target data set.'),
  sourceAttribute: z.string().min(1).max(500).describe('The name of the field of the source data set to map.'),
  targetAttribute: z.string().min(1).max(500).describe('The name of the field of the target data set to map to.'),
  sourceLabelField: z.string().max(500).optional().describe('The name of the field with the labels of the source.'),
  targetLabelField: z.string().max(500).optional().describe('The name of the field with the labels of the target.'),
  threshold: z.coerce.number().min(0).max(1).default(0.4).describe('The minimum similarity, from 0 to 1.'),
});

/** Returns a page of unmapped values with their candidates; a value may have no candidates. */
async function suggestionsPage(
  context: SuggestionContext,
  request: SuggestionsRequest,
  crosswalk: CrosswalkRecord,
): Promise<ApiAnswer> {
  const { readModels } = context;
  const listed = await listRows<UnmappedValue>(
    readModels,
    request,
    (tables) => unmappedValues(tables, crosswalk),
    (row) => row,
  );
  const page = listed.body as Page<UnmappedValue>;
  const threshold = percent(request.query.threshold ?? crosswalk.similarityThreshold);
  const candidates = await findCandidates(
    context,
    request,
    viewerOf(request),
    crosswalk,
    page.items.map(toLabelledValue),
    threshold,
  );
  const items: SuggestionView[] = page.items.map(({ sourceValue, sourceLabel }, place) => ({
    sourceValue,
    sourceLabel,
    candidates: candidates[place] ?? [],
  }));
  return { ...listed, body: { ...page, items } };
}

interface ListOptions {
  minConfidence: number;
  excludesAmbiguous: boolean;
  page: number;
  pageSize: number;
  listQuery: Pick<ListQuery, 'filter' | 'q' | 'sort' | 'order'>;
}

/**
 * Returns a page of the unmapped values with a candidate of at least `minConfidence`. Omits values that were not
 * compared yet.
 */
async function findSuggested(
  { readModels, matching }: SuggestionContext,
  readRequest: ReadRequest,
  viewer: Viewer,
  crosswalk: CrosswalkRecord,
  { minConfidence, excludesAmbiguous, page, pageSize, listQuery }: ListOptions,
): Promise<Answer<'all'> & { readPosition: ReadPosition }> {
  const { targets, sources, priorMappings, dismissed, mappings, readPosition } = await prepareInputs(
    readModels,
    readRequest,
    viewer,
    crosswalk,
  );
  const isSortedByConfidence = listQuery.sort === 'confidence';
  const order = isSortedByConfidence ? {} : { sort: listQuery.sort, order: listQuery.order };
  let list: Sql | undefined;
  // This read only builds the statement of the list. The matching thread runs the statement.
  await readModels.read({ minPosition: readRequest.minPosition }, (tables) => {
    const unmapped = unmappedValues(tables, crosswalk);
    const where = all([unmapped.where, whereClause(listQuery, unmapped) ?? sql`true`]);
    list = sql`SELECT u.id, u.value AS "sourceValue", u.label AS "sourceLabel"
      FROM ${unmapped.from} WHERE ${where} ${orderByClause({ ...order, order: order.order ?? 'ASC' }, unmapped)}`;
    return sql`SELECT 1 FROM ${tables('crosswalk_mappings')} LIMIT 0`;
  });
  const statement = toStatement(list as Sql);
  const threshold = Math.min(percent(crosswalk.similarityThreshold), Math.ceil(minConfidence));
  const suggested = await matching.answer({
    targets,
    priorMappings,
    dismissed,
    threshold,
    about: {
      kind: 'all',
      subject: `${crosswalk.id} ${threshold}`,
      sources,
      list: { key: JSON.stringify([mappings, sources.key, statement]), statement },
      minConfidence,
      excludesAmbiguous,
      isSortedByConfidence,
      page,
      pageSize,
    },
  });
  return { ...suggested, readPosition };
}

/** The additional fields of a response to GET …?minConfidence=. */
export const ConfidenceFields = z.object({
  ambiguous: z
    .object({ total: z.number(), examples: z.array(z.string()) })
    .describe('Values with several candidates of the same confidence: a user has to choose.'),
  bounded: z.boolean().describe('Whether some values were not compared: then there may be more suggestions.'),
  progress: Progress.nullable().describe('Progress of the comparison; null once it is done.'),
});
const ConfidentSuggestions = pageOf(SuggestionView).extend(ConfidenceFields.shape);
export type ConfidentSuggestions = z.infer<typeof ConfidentSuggestions>;

async function confidentSuggestions(
  context: SuggestionContext,
  request: SuggestionsRequest,
  crosswalk: CrosswalkRecord,
  minConfidence: number,
): Promise<ApiAnswer> {
  const { filter, q } = request.query;
  const listing = {
    minConfidence,
    excludesAmbiguous: true,
    page: 1,
    pageSize: BULK_SIZE,
    listQuery: { filter, q, order: 'ASC' },
  };
  const { items, total, ambiguous, bounded, progress, readPosition } = await findSuggested(
    context,
    request,
    viewerOf(request),
    crosswalk,
    listing as ListOptions,
  );
  const body: ConfidentSuggestions = {
    items: items.map(({ sourceValue, sourceLabel, candidates }) => ({ sourceValue, sourceLabel, candidates })),
    page: 1,
    pageSize: BULK_SIZE,
    total,
    ambiguous,
    bounded,
    progress,
    position: readPosition.position,
  };
  return answer(readPosition, body);
}

/** Returns a page of the tab Suggested: unmapped values with a candidate, in the shape of mappings with revision 0. */
export async function suggestedPage(
  context: SuggestionContext,
  request: ApiRequest<unknown, ListQuery>,
  crosswalk: CrosswalkRecord,
): Promise<ApiAnswer> {
  const { page, pageSize, asOf } = request.query;
  if (asOf) throw new Refusal('INVALID', WORDS.noPast);
  const suggested = await findSuggested(context, request, viewerOf(request), crosswalk, {
    minConfidence: percent(crosswalk.similarityThreshold),
    excludesAmbiguous: false,
    page,
    pageSize,
    listQuery: request.query,
  });
  const { total, bounded, progress, readPosition } = suggested;
  const items = suggested.items.map(({ candidates, ...value }) => {
    const { targetValue, targetLabel, confidence, reason } = candidates[0] as Candidate;
    return { ...withoutMapping(crosswalk.id, value), targetValue, targetLabel, confidence, reason };
  });
  const body: Page<MappingView & { reason: string }> & Pick<ConfidentSuggestions, 'bounded' | 'progress'> = {
    items,
    page,
    pageSize,
    total,
    position: readPosition.position,
    bounded,
    progress,
  };
  return answer(readPosition, body);
}

/** Counts the values of the tab Suggested. Values that were not compared yet are not counted. */
export async function countSuggested(
  context: SuggestionContext,
  readRequest: ReadRequest,
  viewer: Viewer,
  crosswalk: CrosswalkRecord,
): Promise<{ total: number; progress: Progress | null }> {
  const minConfidence = percent(crosswalk.similarityThreshold);
  const listQuery = { order: 'ASC' as const };
  return findSuggested(context, readRequest, viewer, crosswalk, {
    minConfidence,
    excludesAmbiguous: false,
    page: 1,
    pageSize: 0,
    listQuery,
  } as ListOptions);
}

/**
 * Returns a data set as a side of a crosswalk, by the names of the fields. Refuses an unknown attribute, and a data set
 * that the viewer may not read. Ignores an unknown label field.
 */
async function findSide(
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  dataSetId: number,
  attribute: string,
  labelField: string | undefined,
): Promise<Side> {
  const sides = await readModels.read<Side & { fieldId: number | null }>(readRequest, (tables) => {
    const fieldIdOf = (
      name: string | null,
    ) => sql`(SELECT (f ->> 'fieldId')::bigint FROM jsonb_array_elements(st.fields) f
      WHERE f ->> 'name' = ${name}::text AND NOT (f ->> 'retired')::boolean LIMIT 1)`;
    return sql`SELECT side.* FROM ${tables('reference_data_sets')} s
      JOIN ${tables('reference_data_types')} st ON st.id = s.type_id
      CROSS JOIN LATERAL (SELECT ${fieldIdOf(attribute)} AS id, ${fieldIdOf(labelField ?? null)} AS label) field
      CROSS JOIN LATERAL json_to_record(${sideColumn(sql`s`, sql`st`, sql`field.id`, sql`field.label`)}) AS side
        ("dataSetId" bigint, name text, "fieldId" bigint, "fieldName" text, "labelFieldId" bigint, "synonymFieldIds" json, "isKey" boolean)
      WHERE s.id = ${dataSetId}::bigint AND ${viewer.hasLevelOnDataSet(sql`s.id`, sql`s.created_by`)}`;
  });
  const side = sides.one();
  if (side.fieldId === null) throw new Refusal('INVALID', `“${side.name}” has no attribute “${attribute}”`);
  return side;
}

/** Returns suggestions for a crosswalk that does not exist yet. Values with an equal target come first. */
async function preview(
  { readModels, matching }: SuggestionContext,
  readRequest: ReadRequest,
  source: Side,
  target: Side,
  threshold: number,
) {
  let [sources, targets]: (Sql | undefined)[] = [];
  const versions = await readModels.read<{ target: number }>({ minPosition: readRequest.minPosition }, (tables) => {
    sources = sourceRows(tables, source);
    targets = targetRows(tables, target);
    return sql`SELECT ${versionOfSide(tables, target)} AS target`;
  });
  const key = JSON.stringify([target, versions.one().target]);
  const previewed = await matching.answer({
    targets: { key, statement: toStatement(targets as unknown as Sql) },
    threshold: percent(threshold),
    about: { kind: 'preview', sources: toStatement(sources as unknown as Sql), maxItems: PREVIEW_SIZE },
  });
  const items: SuggestionView[] = previewed.items.map(({ value, label, candidates }) => ({
    sourceValue: value,
    sourceLabel: label,
    candidates,
  }));
  return { ...previewed, items, readPosition: versions };
}

export const suggestionRoutes = (context: QueryContext): Route[] => [
  route(
    'get',
    '/api/crosswalks/suggestions-preview',
    { level: 'READ' },
    {
      summary: 'Preview the suggestions of a crosswalk before it is created',
      example: { query: { sourceSystemId: 1, targetSystemId: 2, sourceAttribute: 'name', targetAttribute: 'name' } },
      answers: {
        200: z.object({
          items: z.array(SuggestionView),
          suggested: z.number(),
          sourceValues: z.number(),
          position: z.string(),
        }),
      },
      query: PreviewQuery,
    },
    async (request) => {
      const { readModels } = context;
      const viewer = viewerOf(request);
      const query = request.query;
      const find = (id: number, attribute: string, labelField: string | undefined) =>
        findSide(readModels, request, viewer, id, attribute, labelField);
      const source = await find(query.sourceSystemId, query.sourceAttribute, query.sourceLabelField);
      const target = await find(query.targetSystemId, query.targetAttribute, query.targetLabelField);
      const { items, suggested, sourceValues, readPosition } = await preview(
        context,
        request,
        source,
        target,
        query.threshold,
      );
      // `suggested` counts the source values with an equal target; `sourceValues` counts all source values.
      return answer(readPosition, { items, suggested, sourceValues, position: readPosition.position });
    },
  ),

  route(
    'get',
    '/api/crosswalks/:id/suggestions',
    { level: 'READ' },
    {
      summary: 'List suggested targets of source values without a mapping',
      hasPast: false,
      answers: { 200: pageOf(SuggestionView).extend(ConfidenceFields.partial().shape) },
      query: SuggestionsQuery,
    },
    async (request) => {
      const crosswalk = await findCrosswalk(context.readModels, request, viewerOf(request), idParam(request));
      const { minConfidence } = request.query;
      return minConfidence === undefined
        ? suggestionsPage(context, request, crosswalk)
        : confidentSuggestions(context, request, crosswalk, minConfidence);
    },
  ),
];
