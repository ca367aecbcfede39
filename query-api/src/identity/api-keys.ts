/** Routes of API keys, for administrators: scopes, expiry and usage. They never return a secret. */

import { API_KEY_FIELDS, API_KEY_WARNING_DAYS, ApiKeyUsage, ApiKeyView, ListQuery, pageOf } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { listJson } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';

const USAGE_DAYS = 30;

/** The list of API keys, with their usage from telemetry. */
function apiKeyList(tables: Tables): ListDefinition {
  const collections = tables('reference_data_collections');
  const isActive = sql`(k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))`;
  const expiresSoon = sql`(k.revoked_at IS NULL AND k.expires_at IS NOT NULL AND k.expires_at > now()
    AND k.expires_at <= now() + ${API_KEY_WARNING_DAYS} * interval '1 day')`;
  const scopes = sql`(SELECT json_agg(json_build_object('collectionId', scope."collectionId", 'scope', scope.scope,
      'collectionName', c.name) ORDER BY c.name, scope."collectionId", scope.scope)
    FROM jsonb_to_recordset(k.scopes) AS scope("collectionId" bigint, scope text)
    LEFT JOIN ${collections} c ON c.id = scope."collectionId")`;
  const collectionNames = sql`(SELECT string_agg(DISTINCT c.name, ', ') FROM ${collections} c
    WHERE c.id IN (SELECT scope."collectionId" FROM jsonb_to_recordset(k.scopes) AS scope("collectionId" bigint)))`;
  const createdBy = sql`(SELECT u.username FROM identity.users u WHERE u.id = k.created_by)`;
  const columns = {
    id: sql`k.id`,
    name: sql`k.name`,
    description: sql`k.description`,
    prefix: sql`newest.prefix`,
    scopes,
    expiresAt: sql`k.expires_at`,
    expiresSoon,
    isActive,
    revokedAt: sql`k.revoked_at`,
    overlapUntil: sql`CASE WHEN ${isActive} THEN overlap.until END`,
    lastUsedAt: sql`usage.last`,
    callCount: sql`coalesce(usage.calls, 0)`,
    createdBy: sql`k.created_by`,
    createdAt: sql`k.created_at`,
    updatedAt: sql`k.updated_at`,
  } satisfies Record<keyof ApiKeyView, unknown>;
  return {
    from: sql`identity.api_keys k
      CROSS JOIN LATERAL (SELECT prefix FROM identity.api_key_secrets s WHERE s.api_key_id = k.id
        ORDER BY s.created_at DESC LIMIT 1) newest
      LEFT JOIN LATERAL (SELECT max(s.expires_at) AS until FROM identity.api_key_secrets s
        WHERE s.api_key_id = k.id AND s.expires_at > now()) overlap ON true
      LEFT JOIN LATERAL (SELECT sum(u.calls)::bigint AS calls, max(u.last_used_at) AS last
        FROM telemetry.api_key_usage u WHERE u.api_key_id = k.id) usage ON true`,
    where: sql`true`,
    columns,
    alwaysSelected: ['id'],
    fields: fieldMap(API_KEY_FIELDS, columns, { collections: collectionNames, createdByName: createdBy }),
    search: [sql`k.name`, sql`k.description`, sql`newest.prefix`, collectionNames],
    id: sql`k.id`,
    defaultSort: { sql: sql`k.name`, dataType: 'string', order: 'ASC' },
  };
}

export const apiKeyRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/api-keys',
    { administrator: true },
    { summary: 'List the API keys', hasPast: false, answers: { 200: pageOf(ApiKeyView) }, query: ListQuery },
    (request) => listJson(readModels, request, apiKeyList),
  ),

  // Returns one row per day, also for days without calls.
  route(
    'get',
    '/api/api-keys/:id/usage',
    { administrator: true },
    {
      summary: 'Read the calls of an API key per day',
      hasPast: false,
      answers: { 200: z.object({ days: z.array(ApiKeyUsage) }) },
    },
    async (request) => {
      const id = idParam(request);
      const found = await readModels.read<ApiKeyUsage>(
        {},
        () => sql`SELECT to_char(d, 'YYYY-MM-DD') AS day, coalesce(u.calls, 0) AS calls
        FROM identity.api_keys k
        CROSS JOIN generate_series((now() AT TIME ZONE 'UTC')::date - ${USAGE_DAYS - 1}::integer,
          (now() AT TIME ZONE 'UTC')::date, interval '1 day') d
        LEFT JOIN telemetry.api_key_usage u ON u.api_key_id = k.id AND u.day = d::date
        WHERE k.id = ${id}::bigint ORDER BY d`,
      );
      found.one(); // throws 404 if there is no such key
      return answer(found, { days: found.rows });
    },
  ),
];
