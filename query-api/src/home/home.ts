/** Routes of the start page: steps of the guided start, drafts and key figures of a user, and changes since the last visit. */
import {
  FIRST_ACTS,
  type FirstAct,
  HOME_CHANGES_DAYS,
  HOME_DAYS,
  HomeChange,
  HomeChangesQuery,
  HomeView,
  type Level,
  ListQuery,
  pageOf,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { activityList, type StoredActivity, toActivity } from '../entities/activity-list.ts';
import { decisionsPerDay } from '../entities/approval-items.ts';
import { listRows } from '../list/list.ts';
import type { ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** Maximum number of crosswalks and relationships with drafts on the page. */
const DRAFTS_MAX = 5;
/** Maximum number of drafts of one crosswalk or relationship that are searched for drafts of the user. */
const SEARCHED_DRAFTS_MAX = 10_000;

/** The page that a role must be able to open, by type of entity. */
const PAGES = { dataSet: '/collections', crosswalk: '/crosswalks', relationship: '/relationships' } as const;

/** Counts the user's drafts per crosswalk or relationship `d`; has no rows if the role may not open the page. */
function ownDrafts(
  tables: Tables,
  viewer: Viewer,
  kind: 'crosswalk' | 'relationship',
  { definitions, ends, rows, parentId }: { definitions: Sql; ends: readonly Sql[]; rows: Sql; parentId: Sql },
): Sql {
  return sql`SELECT ${kind}::text AS kind, d.id, d.name, own.count
    FROM ${definitions} d CROSS JOIN LATERAL (
      SELECT count(*) AS count FROM (
        SELECT v.updated_by FROM ${rows} v WHERE ${parentId} = d.id AND v.approval_status = 'DRAFT' AND NOT v.deleted
         LIMIT ${SEARCHED_DRAFTS_MAX}) drafts
       WHERE drafts.updated_by = ${viewer.userId}::bigint) own
    WHERE ${viewer.mayOpen(PAGES[kind])}::boolean AND own.count > 0 AND ${viewer.hasLevelOnAll(tables, ends, 'READ')}`;
}

const draftsOf = (tables: Tables, viewer: Viewer): Sql => sql`(
  SELECT coalesce(json_agg(draft ORDER BY draft.count DESC, draft.name), '[]') FROM (
    SELECT * FROM (
      ${ownDrafts(tables, viewer, 'crosswalk', {
        definitions: tables('crosswalk_mappings'),
        ends: [sql`d.source_system_id`, sql`d.target_system_id`],
        rows: tables('crosswalk_mapping_values'),
        parentId: sql`v.crosswalk_id`,
      })}
      UNION ALL
      ${ownDrafts(tables, viewer, 'relationship', {
        definitions: tables('relationships'),
        ends: [sql`d.source_data_set_id`, sql`d.target_data_set_id`],
        rows: tables('relationship_values'),
        parentId: sql`v.relationship_id`,
      })}) found
    ORDER BY count DESC, name LIMIT ${DRAFTS_MAX}) draft)`;

/** Key figures of the data that the viewer may read. */
const figuresOf = (tables: Tables, viewer: Viewer): Sql => sql`(
  SELECT json_build_object(
    'dataSets', count(*), 'rows', coalesce(sum(k.instances), 0),
    'mappedValues', (SELECT coalesce(sum(m.mapped_sources), 0) FROM ${tables('crosswalk_mappings')} c
      JOIN ${tables('mapping_counts')} m ON m.crosswalk_id = c.id
      WHERE ${viewer.hasLevelOnAll(tables, [sql`c.source_system_id`, sql`c.target_system_id`], 'READ')}),
    'decisions', ${decisionsPerDay(tables, viewer, HOME_DAYS)})
  FROM ${tables('reference_data_sets')} s LEFT JOIN ${tables('data_set_counts')} k ON k.data_set_id = s.id
  WHERE ${viewer.hasLevelOnDataSet(sql`s.id`, sql`s.created_by`, 'READ')})`;

/** Whether the viewer has this level on at least one data set. */
const hasDataSet = (tables: Tables, viewer: Viewer, level: Level): Sql =>
  sql`EXISTS (SELECT FROM ${tables('reference_data_sets')} s WHERE ${viewer.hasLevelOnDataSet(sql`s.id`, sql`s.created_by`, level)})`;

/** The steps of the guided start that the viewer's role and grants allow. */
function allowedActs(viewer: Viewer, { mayWrite, mayApprove }: Pick<Row, 'mayWrite' | 'mayApprove'>): FirstAct[] {
  const mayOpenCrosswalks = viewer.mayOpen('/crosswalks');
  const mayMap = mayOpenCrosswalks && mayWrite;
  const isAllowed: Record<FirstAct, boolean> = {
    import: viewer.mayOpen('/onboarding'),
    map: mayMap,
    submit: mayMap,
    // Another user does this step: the decision on a submission of the viewer.
    approve: mayMap,
    decide: viewer.mayOpen('/approvals') && mayApprove,
    translate: mayOpenCrosswalks,
  };
  return FIRST_ACTS.filter((act) => isAllowed[act]);
}

/** Facts about these entities are hidden: the right to read data sets does not include them. */
const HIDDEN_FACTS = new Set(['collection', 'user', 'group', 'role', 'apiKey']);

/**
 * The activities of other users since the viewer's previous visit, or in the last `HOME_CHANGES_DAYS` days if there was
 * none. The viewer must be able to open the page of the entity and to read all of its data sets.
 */
const changesSince = (tables: Tables, viewer: Viewer): ListDefinition => {
  const since = sql`coalesce((SELECT m.previous_visit_at FROM identity.home_marks m WHERE m.user_id = ${viewer.userId}::bigint),
    now() - ${HOME_CHANGES_DAYS}::integer * interval '1 day')`;
  const types = Object.entries(PAGES).flatMap(([type, page]) => (viewer.mayOpen(page) ? [type] : []));
  return activityList(
    tables,
    sql`a.at > ${since} AND a.actor_id <> ${viewer.userId}::bigint AND a.subject_type = ANY(${types}::text[])
      AND cardinality(a.data_set_ids) > 0 AND NOT EXISTS (SELECT FROM unnest(a.data_set_ids) AS changed(id)
        WHERE NOT ${viewer.hasLevelOnAll(tables, [sql`changed.id`], 'READ')})`,
  );
};

function toChange(stored: StoredActivity): HomeChange {
  const facts = stored.facts.filter(({ entityType }) => !HIDDEN_FACTS.has(entityType));
  const { id, timestamp, line, subjectType, subjectId, statusAfter } = toActivity({
    ...stored,
    facts,
    apiKeyName: null,
  });
  return { id, timestamp, line, subjectType, subjectId, statusAfter };
}

type Row = Pick<HomeView, 'drafts' | 'figures'> & {
  mayWrite: boolean;
  mayApprove: boolean;
  acts: Partial<Record<FirstAct, string>>;
  guideDismissed: boolean | null;
  previousVisitAt: string | null;
  translatedAt: string | null;
};

export const homeRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/home',
    { person: true },
    { summary: 'Read the start page of the caller', hasPast: false, answers: { 200: HomeView } },
    async (request) => {
      const viewer = viewerOf(request);
      const found = await readModels.read<Row>(
        { minPosition: request.minPosition },
        (tables) => sql`SELECT ${draftsOf(tables, viewer)} AS drafts, ${figuresOf(tables, viewer)} AS figures,
          ${hasDataSet(tables, viewer, 'WRITE')} AS "mayWrite", ${hasDataSet(tables, viewer, 'APPROVER')} AS "mayApprove",
          (SELECT coalesce(json_object_agg(f.act, f.at), '{}') FROM ${tables('first_acts')} f
            WHERE f.user_id = ${viewer.userId}::bigint) AS acts,
          m.guide_dismissed AS "guideDismissed", m.previous_visit_at AS "previousVisitAt", m.translated_at AS "translatedAt"
        FROM (SELECT 1) one LEFT JOIN identity.home_marks m ON m.user_id = ${viewer.userId}::bigint`,
        { isFrequent: true },
      );
      const row = found.one();
      const { acts, guideDismissed, previousVisitAt, translatedAt, drafts, figures } = row;
      const doneAt = (act: FirstAct) => (act === 'translate' ? translatedAt : (acts[act] ?? null));
      return answer(found, {
        steps: allowedActs(viewer, row).map((act) => ({ act, doneAt: doneAt(act) })),
        guideDismissed: guideDismissed ?? false,
        previousVisitAt,
        drafts,
        figures,
      } satisfies HomeView);
    },
  ),

  route(
    'get',
    '/api/home/changes',
    { person: true },
    {
      summary: 'List what other users changed since the last visit',
      hasPast: false,
      answers: { 200: pageOf(HomeChange) },
      query: HomeChangesQuery,
    },
    (request) => {
      const viewer = viewerOf(request);
      const query = ListQuery.parse(request.query);
      const { minPosition } = request;
      return listRows(readModels, { minPosition, query }, (tables) => changesSince(tables, viewer), toChange);
    },
  ),
];
