/** Lists the notifications of the viewer that current grants allow, newest first, with the number of unread ones. */
import {
  NOTIFICATIONS_KEPT,
  type NotificationReason,
  NotificationsPage,
  NotificationsQuery,
  type NotificationView,
  notificationId,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { itemTitle } from '../entities/approval-items.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The path of the approvals dashboard: users who may not open it receive no review requests. */
const APPROVALS = '/approvals';

/** Kinds of notifications for all administrators. */
const OF_ADMINISTRATORS = ['backup', 'purge'] as const;

/** Condition: the viewer may read the collection and data sets of a notification `n`, and is a member of its group. */
const mayRead = (tables: Tables, viewer: Viewer): Sql => sql`(n.kind <> 'collection'
  OR n.parent_id = ANY(${viewer.visibleCollectionIds()}::bigint[]))
  AND (n.kind <> 'group' OR n.parent_id = ANY(${viewer.groupIds()}::bigint[])) AND NOT EXISTS (
  SELECT FROM unnest(n.data_set_ids) AS governing(id) WHERE NOT ${viewer.hasLevelOnAll(tables, [sql`governing.id`], 'READ')})`;

/**
 * Condition: the notification is for the viewer alone, for all administrators including the viewer, or for reviewers
 * including the viewer. A notification for all administrators or for reviewers is not for its actor.
 */
function isRecipient(tables: Tables, viewer: Viewer): Sql {
  const forAll = viewer.isAdmin
    ? sql`OR (n.kind = ANY(${[...OF_ADMINISTRATORS]}::text[]) AND n.actor_id IS DISTINCT FROM ${viewer.userId}::bigint)`
    : sql``;
  const own = sql`(n.user_id = ${viewer.userId}::bigint ${forAll})`;
  if (!viewer.mayOpen(APPROVALS)) return own;
  return sql`(${own} OR (n.user_id = 0 AND n.kind <> ALL(${[...OF_ADMINISTRATORS]}::text[]) AND n.actor_id IS DISTINCT FROM ${viewer.userId}::bigint
    AND ${viewer.hasLevelOnAll(tables, [sql`n.review_of`], 'APPROVER')}))`;
}

/** The number of items that need a review; 0 if the crosswalk or relationship is deleted. */
const pendingReviewCount = (tables: Tables): Sql => sql`(CASE
  WHEN n.waiting = 0 THEN 0
  WHEN n.kind IN ('crosswalk', 'mapping') THEN
    CASE WHEN n.parent_id IN (SELECT c.id FROM ${tables('crosswalk_mappings')} c) THEN n.waiting ELSE 0 END
  WHEN n.parent_id IN (SELECT r.id FROM ${tables('relationships')} r) THEN n.waiting
  ELSE 0 END)`;

/**
 * The newest notifications of the viewer that are not dismissed. A review request without open items counts as read.
 */
const visibleNotifications = (tables: Tables, viewer: Viewer): Sql => sql`
  SELECT n.*, coalesce(m.is_read, n.seq <= coalesce(s.read_up_to, 0)) OR (n.reason = 'REVIEW' AND n.waits = 0) AS is_read
    FROM (SELECT n.*, ${pendingReviewCount(tables)} AS waits FROM ${tables('notifications')} n
           WHERE ${isRecipient(tables, viewer)} AND ${mayRead(tables, viewer)}) n
    LEFT JOIN identity.notification_marks m ON m.user_id = ${viewer.userId}::bigint AND m.seq = n.seq AND m.part = n.part
    LEFT JOIN identity.notifications_seen s ON s.user_id = ${viewer.userId}::bigint
   WHERE m.is_dismissed IS NOT TRUE AND n.seq > coalesce(s.dismissed_up_to, 0)
   ORDER BY n.seq DESC, n.part DESC LIMIT ${NOTIFICATIONS_KEPT}`;

/** Mapping notifications with these reasons are about a draft. Other reasons are about a submission. */
const OF_DRAFTS = ['CHANGED', 'SUPERSEDED', 'DISCARDED'] as const satisfies NotificationReason[];

/**
 * The title of a single row, from its last submission before the notification, because later corrections may have
 * changed the row. A mapping without such a submission, or in a notification about a draft, has its current values as
 * title.
 */
function title(tables: Tables): Sql {
  const submitted = (items: Sql) => sql`(SELECT ${itemTitle(tables)} FROM ${items} a
    WHERE a.kind = n.kind AND a.parent_id = n.parent_id AND a.id = n.ids[1] AND a.submitted_at <= n.at
    ORDER BY a.submission DESC LIMIT 1)`;
  return sql`(CASE WHEN n.count > 1 THEN NULL WHEN n.kind = 'mapping' THEN coalesce(
    CASE WHEN n.reason <> ALL(${[...OF_DRAFTS]}::text[]) THEN ${submitted(tables('approval_items'))} END,
    (SELECT v.source_value || ' → ' || v.target_value FROM ${tables('crosswalk_mapping_values')} v
      WHERE v.crosswalk_id = n.parent_id AND v.id = n.ids[1]))
  WHEN n.kind = 'relationship-value' THEN ${submitted(tables('relationship_approval_items'))} END)`;
}

/**
 * The name of the parent, or the description of a job; empty for backups and purges. For a deleted crosswalk or
 * relationship, the name at its deletion.
 */
function parentName(tables: Tables): Sql {
  const last = (history: Sql) =>
    sql`(SELECT h.name FROM ${history} h WHERE h.id = n.parent_id ORDER BY h.valid_to DESC LIMIT 1)`;
  return sql`coalesce(CASE
    WHEN n.kind = 'job' THEN j.description
    WHEN n.kind = ANY(${[...OF_ADMINISTRATORS]}::text[]) THEN ''
    WHEN n.kind = 'group' THEN (SELECT g.name FROM ${tables('groups')} g WHERE g.id = n.parent_id)
    WHEN n.kind = 'collection' THEN (SELECT g.name FROM ${tables('reference_data_collections')} g WHERE g.id = n.parent_id)
    WHEN n.kind IN ('crosswalk', 'mapping') THEN coalesce(c.name, ${last(tables('crosswalk_mappings_history'))})
    ELSE coalesce(r.name, ${last(tables('relationships_history'))}) END, '')`;
}

/**
 * The current status of the job, purge, definition or single row; `DELETED` for a deleted row. Null for several rows,
 * backups, groups and collections. The route replaces the null of a collection by the viewer's level.
 */
const status = (tables: Tables): Sql => sql`(CASE
  WHEN n.kind = 'job' THEN j.status
  WHEN n.kind IN ('backup', 'collection', 'group') THEN NULL
  WHEN n.kind = 'purge' THEN (SELECT p.status FROM ${tables('purges')} p WHERE p.id = n.parent_id)
  WHEN n.count > 1 THEN NULL
  WHEN n.kind = 'crosswalk' THEN c.approval_status
  WHEN n.kind = 'relationship' THEN r.approval_status
  WHEN n.kind = 'mapping' THEN (SELECT CASE WHEN v.deleted THEN 'DELETED' ELSE v.approval_status END
    FROM ${tables('crosswalk_mapping_values')} v WHERE v.crosswalk_id = n.parent_id AND v.id = n.ids[1])
  ELSE (SELECT CASE WHEN v.deleted THEN 'DELETED' ELSE v.approval_status END
    FROM ${tables('relationship_values')} v WHERE v.relationship_id = n.parent_id AND v.id = n.ids[1]) END)`;

const selectPage = (tables: Tables, viewer: Viewer, { page, pageSize, unread }: NotificationsQuery): Sql => {
  const wanted = unread === 'true' ? sql`NOT n.is_read` : unread === 'false' ? sql`n.is_read` : sql`true`;
  return sql`
  WITH shown AS MATERIALIZED (${visibleNotifications(tables, viewer)})
  SELECT (SELECT count(*) FROM shown n WHERE ${wanted}) AS total,
    (SELECT count(*) FROM shown n WHERE NOT n.is_read) AS unread,
    (SELECT coalesce(json_agg(item ORDER BY item.seq DESC, item.part DESC), '[]') FROM (
      SELECT n.seq, n.part, n.reason, n.kind, n.parent_id AS "parentId", ${parentName(tables)} AS "parentName", n.count,
          n.ids, ${title(tables)} AS title, n.waits AS waiting, n.of_deletion AS "ofDeletion", n.actor_id AS "userId",
          n.comment, n.at, n.command_id AS "commandId", ${status(tables)} AS status, n.is_read AS read
        FROM (SELECT * FROM shown n WHERE ${wanted}
               ORDER BY n.seq DESC, n.part DESC LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}) n
        LEFT JOIN ${tables('crosswalk_mappings')} c ON n.kind IN ('crosswalk', 'mapping') AND c.id = n.parent_id
        LEFT JOIN ${tables('relationships')} r ON n.kind IN ('relationship', 'relationship-value') AND r.id = n.parent_id
        LEFT JOIN ${tables('import_jobs')} j ON n.kind = 'job' AND j.job_id = n.parent_id) item) AS items`;
};

type Item = Omit<NotificationView, 'id'> & { seq: number; part: number };

export const notificationRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/notifications',
    { person: true },
    { summary: 'List the notifications of the caller', answers: { 200: NotificationsPage }, query: NotificationsQuery },
    async (request) => {
      const { query } = request;
      const viewer = viewerOf(request);
      const found = await readModels.read<{ total: number; unread: number; items: Item[] }>(
        request,
        (tables) => selectPage(tables, viewer, query),
        { isFrequent: true },
      );
      const { total, unread, items } = found.one();
      return answer(found, {
        items: items.map(({ seq, part, ...item }) => ({
          id: notificationId(seq, part),
          ...item,
          ...(item.kind === 'collection' && { status: viewer.collectionLevel(item.parentId) }),
        })),
        page: query.page,
        pageSize: query.pageSize,
        total,
        unread,
        position: found.position,
      } satisfies NotificationsPage);
    },
  ),
];
