/** Suggestions: which target each unmapped source value might mean, with a confidence and the reason. */
import { setImmediate as breathe } from 'node:timers/promises';
import { ListQuery, type MappingView, type Page, Refusal, type SuggestionView } from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { labelsOf, sideRows, type Unmapped, unmappedValues, withoutMapping } from './crosswalk-rows.ts';
import { type CrosswalkHeader, findCrosswalk, type Side, sideColumn } from './crosswalks.ts';
import type { Floor } from './floor.ts';
import { listRows, narrowed } from './list.ts';
import { type Asked, answer, type ReadModels, type Standing } from './read-models.ts';
import { type Candidate, indexTargets, type Named, type TargetIndex } from './similarity.ts';
import { all, sql } from './sql.ts';
import { type Viewer, viewerOf } from './viewer.ts';

/** Rows of each side that are compared at most; a target beyond them is still found by its very value. */
const TARGETS_MAX = 50_000;
const SOURCES_MAX = 100_000;
/** Pairs of source and target whose likeness one answer weighs at most; sources beyond are only looked up. */
const PAIRS_MAX = 30_000_000;
/** Suggestions one answer lists for bulk acceptance. */
const BULK_MAX = 10_000;
const PREVIEW = 20;
/** Sources done between two looks at the event loop: other requests are waiting. */
const AT_ONCE = 50;

const SuggestionsQuery = ListQuery.extend({
  /** Least similarity, 0 to 1; the crosswalk's own where it is not given. */
  threshold: z.coerce.number().min(0).max(1).optional(),
  /** Lists all at or above a confidence, across the whole set. */
  minConfidence: z.coerce.number().min(0).max(100).optional(),
});
type SuggestionsRequest = ApiRequest<unknown, z.infer<typeof SuggestionsQuery>>;

const PreviewQuery = z.object({
  sourceSystemId: z.coerce.number().int().positive(),
  targetSystemId: z.coerce.number().int().positive(),
  sourceAttribute: z.string().min(1).max(500),
  targetAttribute: z.string().min(1).max(500),
  threshold: z.coerce.number().min(0).max(1).default(0.4),
});

/** Suggestions compare what is there today. */
function refuseThePast(query: { asOf?: string | undefined }): void {
  if (query.asOf) throw new Refusal('INVALID', 'Suggestions have no past: leave asOf out');
}

interface Targets {
  index: TargetIndex;
  count: number;
  /** There are more than were compared. */
  bounded: boolean;
}

async function loadTargets(readModels: ReadModels, asked: Asked, side: Side): Promise<Targets> {
  const { rows } = await readModels.read<Named>(
    asked,
    (tables) => sql`SELECT value, label FROM (${sideRows(tables, side)}) target LIMIT ${TARGETS_MAX + 1}`,
  );
  const bounded = rows.length > TARGETS_MAX;
  if (bounded) rows.pop();
  return { index: indexTargets(rows), count: rows.length, bounded };
}

/** Candidates per source, in their order; exact ones also where there are more targets than can be compared. */
async function suggestAll(
  readModels: ReadModels,
  asked: Asked,
  target: Side,
  { index, bounded }: Targets,
  sources: readonly Named[],
  find: (index: TargetIndex, source: Named, place: number) => Candidate[],
): Promise<Candidate[][]> {
  const beyond = bounded
    ? await labelsOf(
        readModels,
        asked,
        target,
        sources.map((source) => source.value),
      )
    : new Map<string, string | null>();
  const found: Candidate[][] = [];
  for (const [place, source] of sources.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) await breathe();
    const candidates = find(index, source, place);
    const exact = beyond.get(source.value);
    if (exact !== undefined && candidates[0]?.confidence !== 100) {
      candidates.unshift({ targetValue: source.value, targetLabel: exact, confidence: 100, reason: 'Same value' });
    }
    found.push(candidates);
  }
  return found;
}

const named = ({ sourceValue, sourceLabel }: Unmapped): Named => ({ value: sourceValue, label: sourceLabel });

/** A page of unmapped values with their candidates, found or not. */
async function suggestionsPage(
  readModels: ReadModels,
  request: SuggestionsRequest,
  header: CrosswalkHeader,
): Promise<ApiAnswer> {
  const threshold = Math.round((request.query.threshold ?? header.similarityThreshold) * 100);
  const [listed, targets] = await Promise.all([
    listRows<Unmapped>(
      readModels,
      request,
      (tables) => unmappedValues(tables, header),
      (row) => row,
    ),
    loadTargets(readModels, request, header.target),
  ]);
  const page = listed.body as Page<Unmapped>;
  const found = await suggestAll(readModels, request, header.target, targets, page.items.map(named), (index, source) =>
    index.suggest(source, threshold),
  );
  const items: SuggestionView[] = page.items.map(({ sourceValue, sourceLabel }, place) => ({
    sourceValue,
    sourceLabel,
    candidates: found[place] ?? [],
  }));
  return { ...listed, body: { ...page, items } };
}

interface Suggested extends Unmapped {
  candidates: Candidate[];
}

/** All unmapped values that have a candidate of at least this confidence, by source value. */
async function suggestedValues(
  readModels: ReadModels,
  asked: Asked,
  header: CrosswalkHeader,
  narrowing: { filter?: string | undefined; q?: string | undefined },
  find: (index: TargetIndex, source: Named, mayWeigh: boolean) => Candidate[],
): Promise<{ values: Suggested[]; bounded: boolean; standing: Standing }> {
  const [sources, targets] = await Promise.all([
    readModels.read<Unmapped>(asked, (tables) => {
      const list = unmappedValues(tables, header);
      const where = all([list.where, narrowed(narrowing, list) ?? sql`true`]);
      return sql`SELECT u.id, u.value AS "sourceValue", u.label AS "sourceLabel" FROM ${list.from} WHERE ${where}
        ORDER BY u.value COLLATE "C", u.id LIMIT ${SOURCES_MAX + 1}`;
    }),
    loadTargets(readModels, asked, header.target),
  ]);
  const rows = sources.rows.slice(0, SOURCES_MAX);
  const weighed = Math.floor(PAIRS_MAX / Math.max(1, targets.count));
  const found = await suggestAll(readModels, asked, header.target, targets, rows.map(named), (index, source, place) =>
    find(index, source, place < weighed),
  );
  const values = rows.flatMap((row, place) => {
    const candidates = found[place] ?? [];
    return candidates.length > 0 ? [{ ...row, candidates }] : [];
  });
  const bounded = targets.bounded || sources.rows.length > SOURCES_MAX || rows.length > weighed;
  return { values, bounded, standing: sources };
}

/** GET …?minConfidence=: everything sure enough to be accepted at once; `bounded` where not everything was weighed. */
async function sureSuggestions(
  readModels: ReadModels,
  request: SuggestionsRequest,
  header: CrosswalkHeader,
  minConfidence: number,
): Promise<ApiAnswer> {
  const { values, bounded, standing } = await suggestedValues(
    readModels,
    request,
    header,
    request.query,
    (index, source, mayWeigh) => {
      const same = index.same(source).filter((candidate) => candidate.confidence >= minConfidence);
      return same.length > 0 || !mayWeigh ? same : index.suggest(source, minConfidence);
    },
  );
  const items: SuggestionView[] = values
    .slice(0, BULK_MAX)
    .map(({ sourceValue, sourceLabel, candidates }) => ({ sourceValue, sourceLabel, candidates }));
  const page: Page<SuggestionView> & { bounded: boolean } = {
    items,
    page: 1,
    pageSize: BULK_MAX,
    total: values.length,
    position: standing.position,
    bounded,
  };
  return answer(standing, page);
}

/** The tab Suggested: unmapped values whose like is on the other side, in the shape of a mapping (revision 0). */
export async function suggestedPage(
  readModels: ReadModels,
  request: ApiRequest<unknown, ListQuery>,
  header: CrosswalkHeader,
): Promise<ApiAnswer> {
  refuseThePast(request.query);
  const { values, standing } = await suggestedValues(readModels, request, header, request.query, (index, source) =>
    index.same(source),
  );
  const { page, pageSize } = request.query;
  const items = values.slice((page - 1) * pageSize, page * pageSize).map(({ candidates, ...value }) => {
    const { targetValue, targetLabel, confidence, reason } = candidates[0] as Candidate;
    return { ...withoutMapping(header.id, value), targetValue, targetLabel, confidence, reason };
  });
  const body: Page<MappingView & { reason: string }> = {
    items,
    page,
    pageSize,
    total: values.length,
    position: standing.position,
  };
  return answer(standing, body);
}

/** How many values the tab Suggested lists. */
export async function countSuggested(readModels: ReadModels, asked: Asked, header: CrosswalkHeader): Promise<number> {
  const { values } = await suggestedValues(readModels, asked, header, {}, (index, source) => index.same(source));
  return values.length;
}

/** Candidates for these sources, whether they are rows of the source or not. */
export async function suggestFor(
  readModels: ReadModels,
  asked: Asked,
  header: CrosswalkHeader,
  sources: readonly Named[],
): Promise<Candidate[][]> {
  const targets = await loadTargets(readModels, asked, header.target);
  const threshold = Math.round(header.similarityThreshold * 100);
  return suggestAll(readModels, asked, header.target, targets, sources, (index, source) =>
    index.suggest(source, threshold),
  );
}

/** The side of a data set under an attribute's name; refuses what the viewer may not read, or is not there. */
async function findSide(
  readModels: ReadModels,
  asked: Asked,
  viewer: Viewer,
  dataSetId: number,
  attribute: string,
): Promise<Side> {
  const found = await readModels.read<Side & { fieldId: number | null }>(asked, (tables) => {
    const fieldId = sql`(SELECT (f ->> 'fieldId')::bigint FROM jsonb_array_elements(st.fields) f
      WHERE f ->> 'name' = ${attribute} AND NOT (f ->> 'retired')::boolean LIMIT 1)`;
    return sql`SELECT side.* FROM ${tables('reference_data_sets')} s
      JOIN ${tables('reference_data_types')} st ON st.id = s.type_id
      CROSS JOIN LATERAL (SELECT ${fieldId} AS id) field
      CROSS JOIN LATERAL json_to_record(${sideColumn(sql`s`, sql`st`, sql`field.id`)}) AS side
        ("dataSetId" bigint, name text, "fieldId" bigint, "fieldName" text, "labelFieldId" bigint, "isKey" boolean)
      WHERE s.id = ${dataSetId}::bigint AND ${viewer.mayReadDataSet(sql`s.id`, sql`s.created_by`)}`;
  });
  const side = found.one();
  if (side.fieldId === null) throw new Refusal('INVALID', `“${side.name}” has no attribute “${attribute}”`);
  return side;
}

/** What a crosswalk between two attributes would suggest, before there is one: the surest first. */
async function preview(readModels: ReadModels, asked: Asked, source: Side, target: Side, threshold: number) {
  const [sources, targets] = await Promise.all([
    readModels.read<Named>(
      asked,
      (tables) => sql`SELECT value, label FROM (${sideRows(tables, source)}) source
        ORDER BY value COLLATE "C" LIMIT ${TARGETS_MAX}`,
    ),
    loadTargets(readModels, asked, target),
  ]);
  const found = await suggestAll(readModels, asked, target, targets, sources.rows, (index, each) => index.same(each));
  const items: SuggestionView[] = [];
  const rest: Named[] = [];
  for (const [place, { value, label }] of sources.rows.entries()) {
    const candidates = found[place] ?? [];
    if (candidates.length === 0) rest.push({ value, label });
    else if (items.length < PREVIEW) items.push({ sourceValue: value, sourceLabel: label, candidates });
  }
  const suggested = sources.rows.length - rest.length;
  for (const [place, { value, label }] of rest.slice(0, Math.floor(PAIRS_MAX / Math.max(1, targets.count))).entries()) {
    if (items.length >= PREVIEW) break;
    if (place % AT_ONCE === AT_ONCE - 1) await breathe();
    const candidates = targets.index.suggest({ value, label }, Math.round(threshold * 100));
    if (candidates.length > 0) items.push({ sourceValue: value, sourceLabel: label, candidates });
  }
  return { sources, items, suggested };
}

export const suggestionRoutes = ({ readModels }: Floor): Route[] => [
  route('get', '/api/crosswalks/suggestions-preview', { level: 'READ' }, { query: PreviewQuery }, async (request) => {
    const viewer = viewerOf(request);
    const { sourceSystemId, targetSystemId, sourceAttribute, targetAttribute, threshold } = request.query;
    const source = await findSide(readModels, request, viewer, sourceSystemId, sourceAttribute);
    const target = await findSide(readModels, request, viewer, targetSystemId, targetAttribute);
    const { sources, items, suggested } = await preview(readModels, request, source, target, threshold);
    // How many values have their like on the other side, of how many.
    return answer(sources, { items, suggested, sourceValues: sources.rows.length, position: sources.position });
  }),

  route('get', '/api/crosswalks/:id/suggestions', { level: 'READ' }, { query: SuggestionsQuery }, async (request) => {
    refuseThePast(request.query);
    const header = await findCrosswalk(readModels, request, viewerOf(request), idParam(request));
    const { minConfidence } = request.query;
    return minConfidence === undefined
      ? suggestionsPage(readModels, request, header)
      : sureSuggestions(readModels, request, header, minConfidence);
  }),
];
