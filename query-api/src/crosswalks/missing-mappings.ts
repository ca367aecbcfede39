/** Missing mappings: requested source values without a served mapping. */
import {
  Dates,
  LEVELS,
  ListQuery,
  MISSING_MAPPING_FIELDS,
  type Page,
  pageOf,
  Refusal,
  SuggestionView,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { levelOrNotFound, type Viewer, viewerOf } from '../access/viewer.ts';
import type { Freezable } from '../list/freezable.ts';
import { listRows, matchingRows } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { Candidate } from '../matching/candidates.ts';
import type { QueryContext } from '../query-context.ts';
import type { ReadRequest, Tables } from '../read-models/read-models.ts';
import { sameIndexedText, sql } from '../read-models/sql.ts';
import { labelsOf } from './crosswalk-rows.ts';
import { findCrosswalk, isMissing } from './crosswalks.ts';
import { type SuggestionContext, suggestFor } from './suggestion-candidates.ts';

const MissingQuery = ListQuery.extend({
  crosswalkId: z.coerce.number().int().positive().optional().describe('Only the values of this crosswalk.'),
  ignored: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to list the values that a user decided to leave unmapped, instead of the missing ones.'),
  include: z.literal('suggestion').optional().describe('`suggestion` adds the best candidate to each value.'),
});

/** One row of GET /api/missing-mappings. */
const MissingMappingView = Dates.extend({
  id: z.number(),
  crosswalkId: z.number(),
  crosswalkName: z.string(),
  sourceValue: z.string(),
  requestCount: z.number(),
  requestedAt: z.string(),
  lastRequestedAt: z.string(),
  requestUserId: z.number().nullable().describe('The last requester: a user, or the creator of the API key.'),
  requestUsername: z.string().nullable(),
  requestApiKeyId: z.number().nullable(),
  requestApiKeyName: z.string().nullable(),
  requestContext: z
    .string()
    .nullable()
    .describe('The purpose that the last request states; without a purpose, a source such as `UI` or `API`.'),
  ignored: z.boolean(),
  ignoreReason: z.string().nullable(),
  proposed: z
    .object({ targetValue: z.string(), status: z.enum(['DRAFT', 'PENDING']) })
    .nullable()
    .describe('An unserved mapping of the value, in draft or under review.'),
  level: z.enum(LEVELS).describe('The level of the viewer on the source data set.'),
  suggestion: SuggestionView.shape.candidates.element.nullable().exactOptional(),
});
export type MissingMappingView = z.infer<typeof MissingMappingView>;
type Row = Omit<MissingMappingView, 'level' | 'suggestion'> & { sourceId: number; sourceCreatedBy: number | null };

/** The parameters that restrict the list. */
type ListFilter = Pick<z.infer<typeof MissingQuery>, 'crosswalkId' | 'ignored'>;

/**
 * Selects the request counter of a missing mapping `mm`. OFFSET 0 makes PostgreSQL read each counter by primary key.
 * Without OFFSET, PostgreSQL joins all rows of a new crosswalk, because its statistics assume one row.
 */
const requestsOf = sql`SELECT * FROM telemetry.missing_mappings counted
  WHERE counted.crosswalk_id = mm.crosswalk_id AND counted.source_hash = md5(mm.source_value)::uuid OFFSET 0`;

function definition(tables: Tables, viewer: Viewer, query: ListFilter): ListDefinition {
  const requestCount = sql`coalesce(t.request_count, 1)`;
  const requestedAt = sql`least(mm.requested_at, t.requested_at)`;
  const lastRequestedAt = sql`greatest(mm.requested_at, t.last_requested_at)`;
  const requester = sql`coalesce(k.name, u.username)`;
  const isListed = query.ignored === 'true' ? sql`mm.ignored` : isMissing(tables);
  const readable = viewer.hasLevelOnAll(tables, [sql`c.source_system_id`, sql`c.target_system_id`]);
  const ofCrosswalk = query.crosswalkId === undefined ? sql`true` : sql`mm.crosswalk_id = ${query.crosswalkId}::bigint`;
  const columns = {
    id: sql`mm.id`,
    crosswalkId: sql`mm.crosswalk_id`,
    crosswalkName: sql`c.name`,
    sourceValue: sql`mm.source_value`,
    requestCount,
    requestedAt,
    lastRequestedAt,
    requestUserId: sql`requester.user_id`,
    requestUsername: sql`u.username`,
    requestApiKeyId: sql`requester.api_key_id`,
    requestApiKeyName: sql`k.name`,
    requestContext: sql`t.request_context`,
    ignored: sql`mm.ignored`,
    ignoreReason: sql`mm.ignore_reason`,
    createdAt: requestedAt,
    updatedAt: sql`greatest(mm.updated_at, t.last_requested_at)`,
    proposed: sql`(SELECT json_build_object('targetValue', p.target_value, 'status', p.approval_status)
        FROM ${tables.current('crosswalk_mapping_values')} p
        WHERE p.crosswalk_id = mm.crosswalk_id AND ${sameIndexedText(sql`p.source_value`, sql`mm.source_value`)} AND NOT p.deleted
          AND p.approval_status IN ('DRAFT', 'PENDING')
        ORDER BY p.approval_status DESC, p.id LIMIT 1)`,
    sourceId: sql`s.id`,
    sourceCreatedBy: sql`s.created_by`,
  };
  return {
    from: sql`${tables('missing_mappings')} mm
      JOIN ${tables('crosswalk_mappings')} c ON c.id = mm.crosswalk_id
      JOIN ${tables('reference_data_sets')} s ON s.id = c.source_system_id
      LEFT JOIN LATERAL (${requestsOf}) t ON true
      CROSS JOIN LATERAL (SELECT coalesce(t.request_user_id, mm.request_user_id) AS user_id,
        CASE WHEN t.request_user_id IS NULL THEN mm.request_api_key_id ELSE t.request_api_key_id END AS api_key_id) requester
      LEFT JOIN identity.users u ON u.id = requester.user_id
      LEFT JOIN identity.api_keys k ON k.id = requester.api_key_id`,
    where: sql`${isListed} AND ${readable} AND ${ofCrosswalk}`,
    columns,
    alwaysSelected: ['id', 'crosswalkId', 'sourceValue', 'sourceId', 'sourceCreatedBy'],
    fields: fieldMap(MISSING_MAPPING_FIELDS, columns, { requester }),
    search: [sql`mm.source_value`, sql`c.name`],
    id: sql`mm.id`,
    defaultSort: { sql: sql`${requestCount}::numeric`, dataType: 'number', order: 'DESC' },
  };
}

/** Adds the best candidate to each row, one crosswalk at a time. */
async function withSuggestions(
  context: SuggestionContext,
  readRequest: ReadRequest,
  viewer: Viewer,
  rows: readonly MissingMappingView[],
): Promise<MissingMappingView[]> {
  const { readModels } = context;
  const best = new Map<number, Candidate | null>();
  for (const crosswalkId of new Set(rows.map((row) => row.crosswalkId))) {
    const crosswalk = await findCrosswalk(readModels, readRequest, viewer, crosswalkId);
    const crosswalkRows = rows.filter((row) => row.crosswalkId === crosswalkId);
    const values = crosswalkRows.map((row) => row.sourceValue);
    const labels = await labelsOf(readModels, readRequest, crosswalk.source, values);
    const candidates = await suggestFor(
      context,
      readRequest,
      viewer,
      crosswalk,
      values.map((value) => ({ value, label: labels.get(value) ?? null })),
    );
    for (const [index, row] of crosswalkRows.entries()) best.set(row.id, candidates[index]?.[0] ?? null);
  }
  return rows.map((row) => ({ ...row, suggestion: best.get(row.id) ?? null }));
}

/**
 * The list of missing or ignored values, which can be frozen as a selection. A selected value has no revision, but has
 * the id of its crosswalk.
 */
export const freezableMissingMappings: Freezable = {
  async query(request) {
    const { parentId: crosswalkId, tab, filter, q } = request.body;
    if (tab !== undefined && tab !== 'ignored') throw new Refusal('INVALID', 'tab must be “ignored” or absent');
    const viewer = viewerOf(request);
    const listFilter: ListFilter = { crosswalkId, ignored: tab === 'ignored' ? 'true' : 'false' };
    return (tables) =>
      matchingRows(
        { filter, q },
        definition(tables, viewer, listFilter),
        sql`mm.id, 0 AS revision, 'missing-mapping'::text AS kind, mm.crosswalk_id AS parent_id`,
      );
  },
};

export const missingMappingRoutes = (context: QueryContext): Route[] => {
  context.freezable.set('missing-mappings', freezableMissingMappings);
  return [
    route(
      'get',
      '/api/missing-mappings',
      { route: '/missing-mappings', level: 'READ' },
      {
        summary: 'List the missing mappings: requested source values without a served mapping',
        hasPast: false,
        answers: { 200: pageOf(MissingMappingView) },
        query: MissingQuery,
      },
      async (request) => {
        const viewer = viewerOf(request);
        const listed = await listRows<Row, MissingMappingView>(
          context.readModels,
          request,
          (tables) => definition(tables, viewer, request.query),
          ({ sourceId, sourceCreatedBy, ...row }) => ({
            ...row,
            level: levelOrNotFound(viewer, { id: sourceId, createdBy: sourceCreatedBy }),
          }),
        );
        if (request.query.include !== 'suggestion') return listed;
        const page = listed.body as Page<MissingMappingView>;
        return { ...listed, body: { ...page, items: await withSuggestions(context, request, viewer, page.items) } };
      },
    ),
  ];
};
