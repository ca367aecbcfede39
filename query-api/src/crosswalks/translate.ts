/** Translates values by served mappings, and reports unknown source values as missing mappings. */
import {
  AsOf,
  atMost,
  authorOf,
  MAPPED_CHARACTERS_MAX,
  normaliseText,
  Refusal,
  RequestContext,
  SAMPLE_DATA_CORRELATION_ID,
  TranslateValues,
  TranslationView,
  type Unmapped,
} from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, actorOf, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import type { CrosswalkRecord } from '../entities/crosswalks.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, answerJson, type ReadModels, type ReadRequest, type ReadResult } from '../read-models/read-models.ts';
import { oneOfIndexedTexts, sql } from '../read-models/sql.ts';
import { findCrosswalk } from './crosswalks.ts';
import { type FirstTranslations, openFirstTranslations } from './first-translations.ts';
import { type MissingMappingCounters, openMissingMappingCounters } from './missing-mapping-counters.ts';
import { openAnswer, withSpelling } from './served-mappings.ts';
import { openTranslationCache, type TranslatedCrosswalk, type TranslationCache } from './translation-cache.ts';
import { openTranslationRequestCounters, type TranslationRequestCounters } from './translation-request-counters.ts';

const TranslateQuery = z.object({
  asOf: AsOf,
  reverse: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to translate target values to their source values.'),
  record: z
    .enum(['true', 'false'])
    .default('true')
    .describe(
      'Whether to count the request: its unknown values as missing mappings, and the requests for its known values.',
    ),
});
const TranslateOneQuery = TranslateQuery.extend({
  context: RequestContext,
  value: z
    .string({ error: 'value is required' })
    .min(1, 'value is required')
    .max(MAPPED_CHARACTERS_MAX, atMost(MAPPED_CHARACTERS_MAX))
    .describe('The value to translate.'),
});
const VALUES_BYTES_MAX = 48 * 1024 * 1024;

type Result = TranslationView['results'][number];
type ServedMapping = Omit<Result, 'targetValue'> & { value: string; other: string };
type TranslateRequest = ApiRequest<unknown, z.infer<typeof TranslateQuery>>;

/** Finds the served mappings of these values. A crosswalk that is not served has none. */
async function findServed(
  readModels: ReadModels,
  readRequest: ReadRequest,
  crosswalk: CrosswalkRecord,
  values: readonly string[],
  reverse: boolean,
): Promise<ReadResult<ServedMapping>> {
  return readModels.read<ServedMapping>(readRequest, (tables) => {
    const [value, other, isRequested] = reverse
      ? [sql`m.served_target`, sql`m.source_value`, sql`m.served_target = ANY(${values}::text[])`]
      : [sql`m.source_value`, sql`m.served_target`, oneOfIndexedTexts(sql`m.source_value`, values)];
    return sql`SELECT ${value} AS value, ${other} AS other, m.id AS "mappingId", m.served_confidence AS confidence,
        m.approved_by AS "approvedBy", m.approved_at AS "approvedAt", m.served_event AS "approvedEventId",
        m.served_seq AS "approvedSeq"
      FROM ${tables('crosswalk_mapping_values')} m
      WHERE m.crosswalk_id = ${crosswalk.id}::bigint AND ${isRequested}
        AND m.served_target IS NOT NULL AND NOT m.deleted AND ${crosswalk.isServed}::boolean
      ORDER BY m.served_confidence DESC, ${other} COLLATE "C", m.id`;
  });
}

/** Returns one view per requested value, in the requested order and spelling, including duplicates. */
export function translationViews(values: readonly string[], served: readonly ServedMapping[]): TranslationView[] {
  const results = new Map<string, Result[]>();
  for (const { value, other, ...rest } of served) {
    const list = results.get(value) ?? [];
    list.push({ targetValue: other, ...rest });
    results.set(value, list);
  }
  return values.map((value) => ({ value, results: results.get(normaliseText(value)) ?? [] }));
}

/** Returns the fallback for an unmapped value. Reverse translations and empty values have no fallback. */
function fallbackOf(value: string, unmapped: Unmapped | null, reverse: boolean): TranslationView['fallback'] {
  if (reverse || value === '' || !unmapped || unmapped.yields === 'NOTHING') return undefined;
  const { yields } = unmapped;
  return { targetValue: yields === 'FIXED' ? unmapped.value : value, yields };
}

/**
 * The counters that a translation request updates: `requests` counts known values, `missingMappings` counts unknown
 * values, and `firstTranslations` stores the first translation of each user.
 */
interface RequestCounters {
  missingMappings: MissingMappingCounters;
  requests: TranslationRequestCounters;
  firstTranslations: FirstTranslations;
}

/** The requested values and the purpose of the request. */
interface RequestedValues {
  values: readonly string[];
  context: string | undefined;
}

/**
 * Stores the user's first translation and counts the values. Tests (`record=false`), reverse translations, reads of the
 * past and crosswalks that are not served are not counted, because they show no need for a mapping.
 */
function countRequests(
  { missingMappings, requests, firstTranslations }: RequestCounters,
  request: TranslateRequest,
  context: string | undefined,
  crosswalk: { id: number; isServed: boolean },
  known: readonly string[],
  unknown: readonly string[],
): void {
  const userId = authorOf(actorOf(request.principal));
  if (known.length > 0 && request.correlationId !== SAMPLE_DATA_CORRELATION_ID) firstTranslations.note(userId);
  const { record, reverse, asOf } = request.query;
  if (record === 'false' || reverse === 'true' || asOf || !crosswalk.isServed) return;
  requests.count(crosswalk.id, known);
  if (unknown.length === 0) return;
  const apiKeyId = request.principal.apiKey?.apiKeyId;
  const source = { crosswalkId: crosswalk.id, userId, apiKeyId, context: context ?? request.sourceType };
  missingMappings.count(
    unknown
      // Normalising can make a value too long to be mapped.
      .filter((value) => value !== '' && value.length <= MAPPED_CHARACTERS_MAX)
      .map((value) => ({ ...source, value })),
  );
}

const mayTranslate = (viewer: Viewer, { source, target }: TranslatedCrosswalk): boolean =>
  (viewer.hasDeclaredLevel(source) && viewer.hasDeclaredLevel(target)) || viewer.mayTranslate(source.id);

/**
 * Returns the answer for each value as JSON without the closing brace; undefined if the cache cannot answer. Throws
 * NOT_FOUND if the crosswalk does not exist or the viewer may not translate.
 */
async function fromCache(
  cache: TranslationCache,
  counters: RequestCounters,
  request: TranslateRequest,
  { values, context }: RequestedValues,
): Promise<{ open: string[]; position: string } | undefined> {
  if (request.query.asOf) return undefined;
  const found = await cache.find(idParam(request), request);
  if (!found) return undefined;
  const { crosswalk, mappings, position } = found;
  if (!crosswalk || !mayTranslate(viewerOf(request), crosswalk)) throw new Refusal('NOT_FOUND', 'Not found');
  const reverse = request.query.reverse === 'true';
  const known: string[] = [];
  const unknown: string[] = [];
  const openAnswers = values.map((requested) => {
    const value = normaliseText(requested);
    const open = !crosswalk.isServed ? undefined : reverse ? mappings.sourcesOf(value) : mappings.targetsOf(value);
    (open === undefined ? unknown : known).push(value);
    if (open !== undefined) return withSpelling(requested, value, open);
    const fallback = fallbackOf(requested, crosswalk.unmapped, reverse);
    return `${openAnswer(requested, [])}${fallback ? `,"fallback":${JSON.stringify(fallback)}` : ''}`;
  });
  countRequests(counters, request, context, crosswalk, known, unknown);
  return { open: openAnswers, position };
}

async function fromReadModels(
  readModels: ReadModels,
  counters: RequestCounters,
  request: TranslateRequest,
  { values, context }: RequestedValues,
): Promise<{ found: ReadResult<ServedMapping>; translations: TranslationView[] }> {
  const crosswalk = await findCrosswalk(readModels, request, viewerOf(request), idParam(request), 'translate');
  const reverse = request.query.reverse === 'true';
  const found = await findServed(readModels, request, crosswalk, [...new Set(values.map(normaliseText))], reverse);
  const translations = translationViews(values, found.rows).map((view): TranslationView => {
    const fallback = view.results.length > 0 ? undefined : fallbackOf(view.value, crosswalk.unmapped, reverse);
    return fallback ? { ...view, fallback } : view;
  });
  const [known, unknown] = [true, false].map((isKnown) =>
    translations.flatMap(({ value, results }) => (results.length > 0 === isKnown ? [normaliseText(value)] : [])),
  ) as [string[], string[]];
  countRequests(counters, request, context, crosswalk, known, unknown);
  return { found, translations };
}

export function translateRoutes(context: QueryContext): Route[] {
  const { settings, log, pool, readModels } = context;
  const counters: RequestCounters = {
    missingMappings: openMissingMappingCounters({
      commandApiUrls: settings.COMMAND_API_URL,
      serviceSecret: settings.SERVICE_SECRET,
      log,
    }),
    requests: openTranslationRequestCounters({ db: pool, log }),
    firstTranslations: openFirstTranslations(pool, log),
  };
  const cache = openTranslationCache({ readModels, pool, log });

  const one = async (request: ApiRequest<unknown, z.infer<typeof TranslateOneQuery>>): Promise<ApiAnswer> => {
    const { value, context } = request.query;
    const requestedValues = { values: [value], context };
    const cached = await fromCache(cache, counters, request, requestedValues);
    if (cached) {
      const { open, position } = cached;
      return { json: `${open[0]},"position":"${position}"}`, position };
    }
    const { found, translations } = await fromReadModels(readModels, counters, request, requestedValues);
    return answer(found, { ...translations[0], position: found.shownPosition });
  };
  const many = async (request: ApiRequest<TranslateValues, z.infer<typeof TranslateQuery>>): Promise<ApiAnswer> => {
    const cached = await fromCache(cache, counters, request, request.body);
    if (cached) {
      const { open, position } = cached;
      return { json: `[${open.join('},')}}]`, position };
    }
    const { found, translations } = await fromReadModels(readModels, counters, request, request.body);
    return answerJson(found, JSON.stringify(translations));
  };

  const path = '/api/crosswalks/:id/translate';
  const limit = VALUES_BYTES_MAX;
  return [
    route(
      'get',
      path,
      { level: 'READ' },
      {
        summary: 'Translate one value',
        answers: { 200: TranslationView.extend({ position: z.string() }) },
        example: { query: { value: 'DE' } },
        query: TranslateOneQuery,
        confirmsSession: true,
      },
      one,
    ),
    route(
      'post',
      path,
      { level: 'READ' },
      {
        summary: 'Translate many values',
        answers: { 200: z.array(TranslationView.extend({ position: z.string().optional() })) },
        example: { body: { values: ['DE', 'FR'] } },
        query: TranslateQuery,
        body: TranslateValues,
        limit,
        confirmsSession: true,
      },
      many,
    ),
  ];
}
