/** Lists legal holds: all for administrators, and for other users the holds on data sets that the user administers. */
import { type HoldScope, LegalHoldsView, type LegalHoldView } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { viewerOf } from '../access/viewer.ts';
import type { QueryContext } from '../query-context.ts';
import { answer } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';

interface Row extends Omit<LegalHoldView, 'scope'> {
  scopeKind: HoldScope['kind'];
  scopeId: number | null;
}

const toView = ({ scopeKind, scopeId, ...row }: Row): LegalHoldView => ({
  ...row,
  scope: (scopeKind === 'all' ? { kind: 'all' } : { kind: scopeKind, id: scopeId }) as HoldScope,
});

export const legalHoldRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/legal-holds',
    { level: 'ADMIN' },
    { summary: 'List the legal holds', hasPast: false, answers: { 200: LegalHoldsView } },
    async (request) => {
      const viewer = viewerOf(request);
      const found = await readModels.read<Row>(
        request,
        (tables) => sql`
        SELECT h.id, h.scope_kind AS "scopeKind", h.scope_id AS "scopeId",
          CASE h.scope_kind
            WHEN 'dataSet' THEN coalesce((SELECT d.name FROM ${tables('reference_data_sets')} d WHERE d.id = h.scope_id),
              (SELECT d.name FROM ${tables('reference_data_sets_history')} d WHERE d.id = h.scope_id
                ORDER BY d.valid_from DESC LIMIT 1))
            WHEN 'user' THEN (SELECT u.username FROM identity.users u WHERE u.id = h.scope_id)
            WHEN 'collection' THEN (SELECT c.name FROM ${tables('reference_data_collections')} c WHERE c.id = h.scope_id)
          END AS name,
          h.matter, h.reason, h.placed_at AS "placedAt", p.username AS "placedBy", h.released_at AS "releasedAt",
          r.username AS "releasedBy", h.release_reason AS "releaseReason"
        FROM ${tables('legal_holds')} h
        LEFT JOIN identity.users p ON p.id = h.placed_by
        LEFT JOIN identity.users r ON r.id = h.released_by
        WHERE ${viewer.isAdmin ? sql`true` : sql`h.scope_kind = 'dataSet' AND ${viewer.hasLevelOnAll(tables, [sql`h.scope_id`])}`}
        ORDER BY h.id DESC`,
      );
      const items = found.rows.map(toView);
      return answer(found, { items, total: items.length });
    },
  ),
];
