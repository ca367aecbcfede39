/** The impact of approving many items: the changed translations, and how often their source values were requested. */
import { ApprovalImpact, IMPACT_ITEMS_MAX, PreviewApproval, Refusal, WORDS } from '@rdm/contracts';
import { type ApiRequest, type Pool, type Route, route } from '@rdm/platform';
import { viewerOf } from '../access/viewer.ts';
import { impactOf } from '../entities/request-impact.ts';
import type { QueryContext } from '../query-context.ts';
import { answer } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';
import { approvalList } from './approvals.ts';

const TOP = 5;

interface SelectedItems {
  /** The first items in the requested order, up to the limit. */
  items: { kind: string; parentId: number; id: number }[];
  count: number;
}

async function readSelectedItems(pool: Pool, { body, principal }: ApiRequest<PreviewApproval>): Promise<SelectedItems> {
  if ('items' in body) return { items: body.items, count: body.items.length };
  const { rows } = await pool.query<{ items: SelectedItems['items'] | null; count: number }>(
    `SELECT s.count, (SELECT jsonb_agg(jsonb_build_object('id', i.item -> 0, 'kind', i.item -> 2, 'parentId', i.item -> 3))
       FROM (SELECT item FROM jsonb_array_elements(s.items) WITH ORDINALITY i (item, place) ORDER BY place LIMIT $3) i) AS items
     FROM platform.selections s WHERE s.id = $1 AND s.owner_id = $2 AND s.kind = 'approvals' AND s.expires_at > now()`,
    [body.selectionId, principal.userId, IMPACT_ITEMS_MAX],
  );
  const [selection] = rows;
  if (!selection) throw new Refusal('NOT_FOUND', WORDS.selectionExpired);
  return { items: selection.items ?? [], count: Number(selection.count) };
}

/** The effect of approving `a` on the translation of its source value; null if `a` is not a mapping. */
const effect = sql`(CASE WHEN a.kind <> 'mapping' THEN NULL
  WHEN a.deletion_requested THEN 'STOPS'
  WHEN coalesce(jsonb_typeof(a.before), 'null') = 'null' THEN 'STARTS'
  WHEN a.before ->> 'targetValue' = a.after ->> 'targetValue' THEN 'SAME' ELSE 'CHANGES' END)`;

export const approvalImpactRoutes = ({ readModels, pool }: QueryContext): Route[] => [
  route(
    'post',
    '/api/approvals/impact',
    { route: '/approvals', level: 'READ' },
    {
      summary: 'Read what approving items would change',
      example: { body: { items: [{ kind: 'mapping', id: 12946, parentId: 1 }] } },
      answers: { 200: ApprovalImpact },
      body: PreviewApproval,
      limit: 2 * 1024 * 1024,
    },
    async (request) => {
      const { items, count } = await readSelectedItems(pool, request);
      const viewer = viewerOf(request);
      const readRequest = { minPosition: request.minPosition };
      const result = await readModels.read<Omit<ApprovalImpact, 'asked' | 'bounded'>>(readRequest, (tables) => {
        const { from, where, columns } = approvalList(tables, viewer, { tab: 'review' });
        const submitted = sql`coalesce(nullif(a.after, 'null'), a.before)`;
        const impact = impactOf(tables, sql`w.parent_id`, sql`w.source_value`);
        const changed = sql`w.effect <> 'SAME'`;
        const number = (condition: typeof from) => sql`count(*) FILTER (WHERE ${condition})`;
        // The requests for a source value of several items count once. The most requested values are chosen before the
        // join: for 10,000 items, a join of all values exceeds the time limit.
        return sql`WITH examined AS MATERIALIZED (
            SELECT a.kind, a.parent_id, ${columns['parentName'] ?? sql`NULL`} AS parent_name, a.id, ${effect} AS effect,
              ${submitted} ->> 'sourceValue' AS source_value, a.before ->> 'targetValue' AS before, a.after ->> 'targetValue' AS after
            FROM ${from} WHERE ${where} AND NOT ${viewer.userId}::bigint = ANY(a.authors) AND (a.kind, a.parent_id, a.id) IN (
              SELECT chosen.kind, chosen."parentId", chosen.id
              FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS chosen (kind text, "parentId" bigint, id bigint))),
          requested AS MATERIALIZED (
            SELECT w.parent_id, w.source_value, ${impact} AS impact
            FROM (SELECT DISTINCT w.parent_id, w.source_value FROM examined w WHERE w.kind = 'mapping' AND ${changed}) w),
          with_requests AS MATERIALIZED (
            SELECT k.parent_id, k.source_value, (k.impact ->> 'requests')::bigint AS requests,
              k.impact ->> 'lastRequestedAt' AS "lastRequestedAt"
            FROM requested k WHERE (k.impact ->> 'requests')::bigint > 0)
          SELECT count(*) AS weighed,
            json_build_object('starts', ${number(sql`w.effect = 'STARTS'`)}, 'changes', ${number(sql`w.effect = 'CHANGES'`)},
              'stops', ${number(sql`w.effect = 'STOPS'`)}, 'same', ${number(sql`w.effect = 'SAME'`)}) AS effects,
            (SELECT coalesce(sum(k.requests), 0)::bigint FROM with_requests k) AS requests,
            (SELECT count(*) FROM with_requests) AS "valuesAsked",
            json_build_object('crosswalk', ${number(sql`w.kind = 'crosswalk'`)}, 'relationship', ${number(sql`w.kind = 'relationship'`)},
              'relationship-value', ${number(sql`w.kind = 'relationship-value'`)}) AS others,
            (SELECT coalesce(json_agg(t), '[]') FROM (
              SELECT w.parent_id AS "parentId", w.parent_name AS "parentName", w.id, w.source_value AS "sourceValue", w.before,
                CASE WHEN w.effect <> 'STOPS' THEN w.after END AS after, w.effect,
                k.requests, k."lastRequestedAt"
              FROM (SELECT * FROM with_requests k ORDER BY k.requests DESC, k.parent_id FETCH FIRST ${TOP} ROWS WITH TIES) k
                JOIN examined w ON w.parent_id = k.parent_id AND w.source_value = k.source_value
              WHERE w.kind = 'mapping' AND ${changed}
              ORDER BY k.requests DESC, w.parent_id, w.id LIMIT ${TOP}) t) AS top
          FROM examined w`;
      });
      const body: ApprovalImpact = { ...result.one(), asked: count, bounded: count > items.length };
      return answer(result, body);
    },
  ),
];
