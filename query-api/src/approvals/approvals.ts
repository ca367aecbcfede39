/** Routes of the approvals dashboard: lists, groups, statistics and selections of items. */
import {
  APPROVAL_FIELDS,
  APPROVAL_TABS,
  ApprovalStatistics,
  ApprovalView,
  ListQuery,
  pageOf,
  Refusal,
} from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { approvalItems, isReadableDecision, mayReadEnds } from '../entities/approval-items.ts';
import { impactOf } from '../entities/request-impact.ts';
import type { Freezable } from '../list/freezable.ts';
import { listRows, matchingRows, whereClause } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import { filterOf, hasStablePlan } from '../list/list-statement.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { all, empty, identifier, join, type Sql, sql } from '../read-models/sql.ts';

const Tab = z.enum(APPROVAL_TABS);
type Tab = z.infer<typeof Tab>;
const GROUPS = ['batch', 'parent', 'submitter', 'collection'] as const;
type Grouping = (typeof GROUPS)[number];
const ApprovalsQuery = ListQuery.extend({
  tab: Tab.default('review').describe('The tab to list.'),
  group: z.enum(GROUPS).optional().describe('Lists the groups of the items instead of the items.'),
});
type ApprovalsQuery = z.infer<typeof ApprovalsQuery>;

/** Maximum number of groups in one response. */
const GROUPS_MAX = 1_000;
/** The median time to decide is computed from the decisions of the last `MEDIAN_DAYS` days. */
const MEDIAN_DAYS = 30;

const parentKey = sql`(a.parent_kind || ':' || a.parent_id)`;

/** Condition: the parent still exists. Items of a deleted parent cannot be decided any more. */
const parentExists = (tables: Tables): Sql => sql`(CASE a.parent_kind
  WHEN 'crosswalk' THEN a.parent_id IN (SELECT c.id FROM ${tables('crosswalk_mappings')} c)
  ELSE a.parent_id IN (SELECT r.id FROM ${tables('relationships')} r) END)`;

/**
 * Condition: the row or definition is still rejected by the decision on this item. Expects the joined crosswalk `c` and
 * relationship `r`.
 */
function isReturned(tables: Tables): Sql {
  const stillRejected = (row: Sql) => sql`${row}.approval_status = 'REJECTED' AND ${row}.submissions = a.submission`;
  const rowOf = (table: Sql, parentId: Sql) =>
    sql`EXISTS (SELECT FROM ${table} v WHERE ${parentId} = a.parent_id AND v.id = a.id AND NOT v.deleted AND ${stillRejected(sql`v`)})`;
  return sql`(a.status = 'REJECTED' AND a.undone_at IS NULL AND coalesce(CASE a.kind
    WHEN 'crosswalk' THEN ${stillRejected(sql`c`)}
    WHEN 'relationship' THEN ${stillRejected(sql`r`)}
    WHEN 'mapping' THEN ${rowOf(tables('crosswalk_mapping_values'), sql`v.crosswalk_id`)}
    ELSE ${rowOf(tables('relationship_values'), sql`v.relationship_id`)} END, false))`;
}

const isApprover = (tables: Tables, viewer: Viewer): Sql =>
  viewer.hasLevelOnAll(tables, [sql`a.source_data_set_id`], 'APPROVER');

/**
 * Condition: the item belongs to the tab, and the viewer can read both ends. In the tab `review`, the viewer is also an
 * approver of the source.
 */
function isInTab(tables: Tables, viewer: Viewer, tab: Tab): Sql {
  const ends = mayReadEnds(tables, viewer);
  switch (tab) {
    case 'review':
      // Includes items that the viewer submitted: the page shows why the viewer cannot decide them.
      return sql`a.status = 'PENDING' AND ${parentExists(tables)} AND ${isApprover(tables, viewer)} AND ${ends}`;
    case 'submitted':
      return sql`a.submitted_by = ${viewer.userId}::bigint AND a.undone_at IS NULL AND (a.status <> 'PENDING' OR ${parentExists(tables)}) AND ${ends}`;
    case 'decided':
      return isReadableDecision(tables, viewer);
  }
}

/** The columns that identify an item, in the order of the index of pending items. */
const ITEM_KEY = ['kind', 'parent_id', 'id', 'submission', 'undone_seq'].map((name) => sql`a.${identifier(name)}`);

/**
 * The table `n` counts the pending items of each parent whose ends the viewer can read. The column `approves` is true
 * if the viewer is an approver of the source.
 */
function pendingCounts(tables: Tables, viewer: Viewer): Sql {
  function countsOf(counts: Sql, parents: Sql, source: Sql, target: Sql): Sql {
    return sql`SELECT n.authors, n.submitted_by, n.pending,
      ${viewer.hasLevelOnAll(tables, [source], 'APPROVER')} AS approves
    FROM ${counts} n JOIN ${parents} p ON p.id = n.parent_id WHERE n.pending > 0 AND ${viewer.hasLevelOnAll(tables, [source, target])}`;
  }
  return sql`(${countsOf(tables('pending_counts'), tables('crosswalk_mappings'), sql`p.source_system_id`, sql`p.target_system_id`)}
    UNION ALL ${countsOf(tables('relationship_pending_counts'), tables('relationships'), sql`p.source_data_set_id`, sql`p.target_data_set_id`)}) n`;
}

/** The name of the parent; the last name of a deleted parent. */
function parentName(tables: Tables): Sql {
  const lastName = (history: Sql) =>
    sql`(SELECT h.name FROM ${history} h WHERE h.id = a.parent_id ORDER BY h.valid_to DESC LIMIT 1)`;
  return sql`coalesce(c.name, r.name, CASE a.parent_kind WHEN 'crosswalk' THEN ${lastName(tables('crosswalk_mappings_history'))}
    ELSE ${lastName(tables('relationships_history'))} END, '')`;
}

/** Condition: the collection `k` contains the source, and the viewer may see the collection. */
const containsSource = (viewer: Viewer): Sql =>
  sql`a.source_data_set_id = ANY(k.data_set_ids) AND k.id = ANY(${viewer.collectionIds()}::bigint[])`;

const collectionIds = (tables: Tables, viewer: Viewer): Sql => sql`(SELECT coalesce(jsonb_agg(k.id), '[]')
  FROM ${tables('reference_data_collections')} k WHERE ${containsSource(viewer)})`;

const DEFAULT_SORT: Record<Tab, ListDefinition['defaultSort']> = {
  review: { sql: sql`a.submitted_at`, dataType: 'datetime', order: 'ASC' },
  submitted: { sql: sql`a.submitted_at`, dataType: 'datetime', order: 'DESC' },
  decided: { sql: sql`a.decided_at`, dataType: 'datetime', order: 'DESC' },
};

/** Sorts the rows of one submission by id, because a submission has one event per stream, each with its own time. */
const SUBMISSION_SORT: ListDefinition['defaultSort'] = { by: [], order: 'ASC' };

/** Whether the filter of the query lists one submission only. */
const isOneSubmission = (query: { filter?: string | undefined }): boolean => {
  const filter = filterOf(query);
  return (
    filter?.logic === 'AND' &&
    filter.conditions.some((each) => 'field' in each && each.field === 'batchId' && each.operator === 'equals')
  );
};

export function approvalList(
  tables: Tables,
  viewer: Viewer,
  query: Pick<ApprovalsQuery, 'tab' | 'filter'>,
): ListDefinition {
  const { tab } = query;
  const columns = {
    kind: sql`a.kind`,
    id: sql`a.id`,
    parentId: sql`a.parent_id`,
    parentName: parentName(tables),
    parentGone: sql`c.id IS NULL AND r.id IS NULL`,
    sourceDataSetId: sql`a.source_data_set_id`,
    targetDataSetId: sql`a.target_data_set_id`,
    revision: sql`a.revision`,
    status: sql`a.status`,
    deletionRequested: sql`a.deletion_requested`,
    title: sql`a.title`,
    before: sql`a.before`,
    after: sql`a.after`,
    authors: sql`a.authors`,
    submittedBy: sql`a.submitted_by`,
    submittedAt: sql`a.submitted_at`,
    comment: sql`a.comment`,
    batchId: sql`a.batch_id`,
    decidedBy: sql`a.decided_by`,
    decidedAt: sql`a.decided_at`,
    decisionComment: sql`a.decision_comment`,
    decisionId: sql`a.decision_id`,
    undoneBy: sql`a.undone_by`,
    undoneAt: sql`a.undone_at`,
    impact: sql`CASE WHEN a.kind = 'mapping'
        THEN ${impactOf(tables, sql`a.parent_id`, sql`coalesce(a.after, a.before) ->> 'sourceValue'`)} END`,
    sourceCreatedBy: sql`s.created_by`,
  };
  return {
    from: sql`${approvalItems(tables)}
      LEFT JOIN ${tables('crosswalk_mappings')} c ON a.parent_kind = 'crosswalk' AND c.id = a.parent_id
      LEFT JOIN ${tables('relationships')} r ON a.parent_kind = 'relationship' AND r.id = a.parent_id
      LEFT JOIN ${tables('reference_data_sets')} s ON s.id = a.source_data_set_id`,
    where: isInTab(tables, viewer, tab),
    columns,
    alwaysSelected: ['kind', 'id', 'parentId', 'revision', 'sourceDataSetId', 'sourceCreatedBy'],
    fields: fieldMap(APPROVAL_FIELDS, columns, {
      parent: parentKey,
      collectionIds: collectionIds(tables, viewer),
      isReturned: isReturned(tables),
    }),
    search: [sql`a.title`, sql`c.name`, sql`r.name`, sql`a.comment`],
    id: sql`(${join(ITEM_KEY, ', ')})`,
    idParts: ITEM_KEY,
    totalCount:
      tab === 'review'
        ? sql`(SELECT coalesce(sum(n.pending), 0)::bigint FROM ${pendingCounts(tables, viewer)} WHERE n.approves)`
        : undefined,
    defaultSort: isOneSubmission(query) ? SUBMISSION_SORT : DEFAULT_SORT[tab],
  };
}

type Row = Omit<ApprovalView, 'level'> & { sourceCreatedBy: number | null };

/** Adds the viewer's level on the source data set, or READ for a deleted data set. */
const toView =
  (viewer: Viewer) =>
  ({ sourceCreatedBy, ...row }: Row): ApprovalView => ({
    ...row,
    level: viewer.level({ id: row.sourceDataSetId, createdBy: sourceCreatedBy }) ?? 'READ',
  });

/** One row of GET /api/approvals?group=. */
const ApprovalGroup = z.object({
  key: z
    .union([z.string(), z.number()])
    .nullable()
    .describe(
      'The value to filter by: a batch, a parent such as `crosswalk:3`, a user or a collection; null for items without one.',
    ),
  name: z.string().nullable(),
  count: z.number(),
  oldestSubmittedAt: z.string(),
  newestSubmittedAt: z.string(),
  field: z.string().describe('The list field that the key belongs to.'),
});
export type ApprovalGroup = z.infer<typeof ApprovalGroup>;

/** Returns the SQL for a group's key and name and for their join, and the list field of the key. */
function groupingOf(
  tables: Tables,
  viewer: Viewer,
  grouping: Grouping,
): { key: Sql; name: Sql; join: Sql; field: string } {
  switch (grouping) {
    case 'batch':
      return { key: sql`a.batch_id`, name: sql`min(a.comment)`, join: empty, field: 'batchId' };
    case 'parent':
      return { key: parentKey, name: sql`min(${parentName(tables)})`, join: empty, field: 'parent' };
    case 'submitter':
      return {
        key: sql`a.submitted_by`,
        name: sql`min(u.username)`,
        join: sql`LEFT JOIN identity.users u ON u.id = a.submitted_by`,
        field: 'submittedBy',
      };
    case 'collection':
      return {
        key: sql`k.id`,
        name: sql`min(k.name)`,
        join: sql`LEFT JOIN ${tables('reference_data_collections')} k ON ${containsSource(viewer)}`,
        field: 'collectionIds',
      };
  }
}

async function readGroups(
  readModels: ReadModels,
  request: ApiRequest<unknown, ApprovalsQuery>,
  viewer: Viewer,
  grouping: Grouping,
): Promise<ApiAnswer> {
  const { query } = request;
  const groups = await readModels.read<ApprovalGroup>(request, (tables) => {
    const list = approvalList(tables, viewer, query);
    const { key, name, join, field } = groupingOf(tables, viewer, grouping);
    const where = all([list.where, whereClause(query, list) ?? sql`true`]);
    return sql`SELECT ${key} AS key, ${name} AS name, count(*) AS count, min(a.submitted_at) AS "oldestSubmittedAt",
        max(a.submitted_at) AS "newestSubmittedAt", ${field}::text AS field
      FROM ${list.from} ${join} WHERE ${where} GROUP BY ${key}
      ORDER BY min(a.submitted_at), ${key} LIMIT ${GROUPS_MAX}`;
  });
  const total = groups.rows.length;
  return answer(groups, { items: groups.rows, page: 1, pageSize: GROUPS_MAX, total, position: groups.position });
}

async function readStatistics(readModels: ReadModels, readRequest: ReadRequest, viewer: Viewer) {
  const build = (tables: Tables) => {
    // Undone decisions do not count.
    const decided = sql`${isInTab(tables, viewer, 'decided')} AND a.undone_at IS NULL`;
    const me = sql`${viewer.userId}::bigint`;
    const mayDecide = sql`${isApprover(tables, viewer)} AND NOT ${me} = ANY(a.authors)`;
    const waiting = sql`a.status = 'PENDING' AND ${parentExists(tables)} AND ${mayReadEnds(tables, viewer)}`;
    return sql`SELECT pending.decidable AS waiting, pending.own AS "ownWaiting",
        CASE WHEN pending.decidable > 0 THEN (SELECT a.submitted_at FROM ${approvalItems(tables)}
          WHERE ${waiting} AND ${mayDecide} ORDER BY a.submitted_at LIMIT 1) END AS "oldestSubmittedAt",
        (SELECT count(*) FROM ${approvalItems(tables)} WHERE ${decided}
          AND a.decided_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') AS "decidedToday",
        (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM a.decided_at - a.submitted_at))
          FROM ${approvalItems(tables)} WHERE ${decided} AND a.decided_at > now() - ${MEDIAN_DAYS} * interval '1 day') AS "medianDecisionSeconds"
      FROM (SELECT coalesce(sum(n.pending) FILTER (WHERE n.approves AND NOT ${me} = ANY(n.authors)), 0)::bigint AS decidable,
              coalesce(sum(n.pending) FILTER (WHERE n.submitted_by = ${me}), 0)::bigint AS own
            FROM ${pendingCounts(tables, viewer)}) pending`;
  };
  return readModels.read<ApprovalStatistics>(readRequest, build, { isFrequent: true });
}

/** The list whose pending items can be frozen as a selection. */
export const freezableApprovals: Freezable = {
  async query(request) {
    const { tab, filter, q } = request.body;
    const chosenTab = Tab.parse(tab ?? 'review');
    if (chosenTab === 'decided')
      throw new Refusal('INVALID', 'Decided items cannot be selected: select items of the tab review or submitted');
    const viewer = viewerOf(request);
    return (tables) => {
      const list = approvalList(tables, viewer, { tab: chosenTab, filter });
      const pending = { ...list, where: sql`${list.where} AND a.status = 'PENDING'` };
      return matchingRows({ filter, q }, pending, sql`a.id, a.revision, a.kind, a.parent_id`);
    };
  },
};

export function approvalRoutes({ readModels, freezable }: QueryContext): Route[] {
  freezable.set('approvals', freezableApprovals);
  return [
    route(
      'get',
      '/api/approvals',
      { route: '/approvals', level: 'READ' },
      {
        summary: 'List the items of the approvals dashboard, or groups of them',
        hasPast: false,
        answers: { 200: z.union([pageOf(ApprovalView), pageOf(ApprovalGroup)]) },
        query: ApprovalsQuery,
      },
      (request) => {
        const viewer = viewerOf(request);
        const { group } = request.query;
        if (group !== undefined) return readGroups(readModels, request, viewer, group);
        // Use a prepared statement: planning this list takes longer than running it.
        const isFrequent = hasStablePlan(request.query);
        return listRows(readModels, request, (tables) => approvalList(tables, viewer, request.query), toView(viewer), {
          isFrequent,
        });
      },
    ),

    route(
      'get',
      '/api/approvals/statistics',
      { route: '/approvals', level: 'READ' },
      {
        summary: 'Count waiting and decided items, with the median time to decide',
        hasPast: false,
        answers: { 200: ApprovalStatistics },
      },
      async (request) => {
        const statistics = await readStatistics(readModels, request, viewerOf(request));
        return answer(statistics, statistics.one());
      },
    ),
  ];
}
