/** Translation: what a value of the source is in the target, as approved; unknown values become missing mappings. */
import { authorOf, TranslateValues, type TranslationView } from '@rdm/contracts';
import { type ApiRequest, actorOf, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type CrosswalkHeader, findCrosswalk } from './crosswalks.ts';
import type { Floor } from './floor.ts';
import { type Asked, answer, type Found, type ReadModels } from './read-models.ts';
import { openSightings, type Sightings } from './sightings.ts';
import { sql } from './sql.ts';
import { openTranslationRequests, type TranslationRequests } from './translation-requests.ts';
import { viewerOf } from './viewer.ts';

const Direction = z.object({
  asOf: z.string().max(100).optional(),
  /** From target values to the source values that mean them. */
  reverse: z.enum(['true', 'false']).default('false'),
});
const OneValue = Direction.extend({ value: z.string().min(1, 'value is required').max(4_000) });
const VALUES_BYTES_MAX = 48 * 1024 * 1024;

interface Served {
  value: string;
  other: string;
  mappingId: number;
  confidence: number;
  approvedBy: number | null;
  approvedAt: string | null;
}

/** Served mappings of these values; none while the header itself is not served. */
async function findServed(
  readModels: ReadModels,
  asked: Asked,
  header: CrosswalkHeader,
  values: readonly string[],
  reverse: boolean,
): Promise<Found<Served>> {
  return readModels.read<Served>(asked, (tables) => {
    const [value, other] = reverse
      ? [sql`m.served_target`, sql`m.source_value`]
      : [sql`m.source_value`, sql`m.served_target`];
    return sql`SELECT ${value} AS value, ${other} AS other, m.id AS "mappingId", m.served_confidence AS confidence,
        m.approved_by AS "approvedBy", m.approved_at AS "approvedAt"
      FROM ${tables('crosswalk_mapping_values')} m
      WHERE m.crosswalk_id = ${header.id}::bigint AND ${value} = ANY(${values}::text[])
        AND m.served_target IS NOT NULL AND NOT m.deleted AND ${header.isServed}::boolean
      ORDER BY m.served_confidence DESC, ${other} COLLATE "C", m.id`;
  });
}

/** One view per value asked for, in their order, repetitions included. */
export function views(values: readonly string[], served: readonly Served[]): TranslationView[] {
  const results = new Map<string, TranslationView['results']>();
  for (const { value, other, ...rest } of served) {
    const held = results.get(value) ?? [];
    held.push({ targetValue: other, ...rest });
    results.set(value, held);
  }
  return values.map((value) => ({ value, results: results.get(value) ?? [] }));
}

/** What is told of requests: of values that are known how often, of others that they are not. */
interface Counting {
  sightings: Sightings;
  requests: TranslationRequests;
}

async function translate(
  { readModels }: Floor,
  { sightings, requests }: Counting,
  request: ApiRequest<unknown, z.infer<typeof Direction>>,
  values: readonly string[],
): Promise<{ found: Found<Served>; translations: TranslationView[] }> {
  const header = await findCrosswalk(readModels, request, viewerOf(request), idParam(request), 'translate');
  const reverse = request.query.reverse === 'true';
  const found = await findServed(readModels, request, header, [...new Set(values)], reverse);
  const translations = views(values, found.rows);
  // What is asked of the past, backwards or of an unapproved crosswalk is nobody's to map.
  if (!reverse && !request.query.asOf && header.isServed) {
    const unknown = translations.filter(({ value, results }) => results.length === 0 && value !== '');
    requests.count(
      header.id,
      translations.flatMap(({ value, results }) => (results.length > 0 ? [value] : [])),
    );
    sightings.see(
      unknown.map(({ value }) => ({
        crosswalkId: header.id,
        userId: authorOf(actorOf(request.principal)),
        value,
        context: request.sourceType,
      })),
    );
  }
  return { found, translations };
}

export function translateRoutes(floor: Floor): Route[] {
  const { settings, log, pool } = floor;
  const counting: Counting = {
    sightings: openSightings({
      commandApiUrl: settings.COMMAND_API_URL,
      serviceSecret: settings.SERVICE_SECRET,
      log,
    }),
    requests: openTranslationRequests({ db: pool, log }),
  };
  return [
    route('get', '/api/crosswalks/:id/translate', { level: 'READ' }, { query: OneValue }, async (request) => {
      const { found, translations } = await translate(floor, counting, request, [request.query.value]);
      return answer(found, { ...translations[0], position: found.position });
    }),

    route(
      'post',
      '/api/crosswalks/:id/translate',
      { level: 'READ' },
      { query: Direction, body: TranslateValues, limit: VALUES_BYTES_MAX },
      async (request) => {
        const { found, translations } = await translate(floor, counting, request, request.body.values);
        return answer(found, translations);
      },
    ),
  ];
}
