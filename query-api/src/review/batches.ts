/**
 * Reads a batch: what one command did to rows under review, later changes of these rows, and whether the viewer may
 * undo the batch.
 */
import {
  type ApprovalKind,
  authorOf,
  type BatchPart,
  BatchView,
  CROSSWALK_FACTS,
  DATA_SET_ROWS_NOT_IN_BATCH,
  DEFINITION_LEVEL,
  DELETION_FACTS,
  type DoneFact,
  isOnlyForOthers,
  type LaterWork,
  MAPPING_FACTS,
  RELATIONSHIP_VALUE_FACTS,
  REVIEW_REFUSALS,
  Refusal,
  undoRefusal,
  VERB_LEVEL,
} from '@rdm/contracts';
import { type ApiRequest, actorOf, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** Maximum number of rows of a part that are listed. */
const NAMED_MAX = 100;

const FACTS: Readonly<Record<string, DoneFact>> = {
  ...CROSSWALK_FACTS,
  ...MAPPING_FACTS,
  ...DELETION_FACTS,
  ...RELATIONSHIP_VALUE_FACTS,
  CrosswalkUndone: 'undone',
  MappingsDrafted: 'drafted',
  MappingsEdited: 'edited',
  MappingsUndone: 'undone',
  RelationshipDeletionUndone: 'undone',
  RelationshipValuesDrafted: 'drafted',
  RelationshipValuesEdited: 'edited',
  RelationshipValuesUndone: 'undone',
};

const KINDS: Readonly<Record<string, ApprovalKind>> = {
  crosswalk: 'crosswalk',
  mappings: 'mapping',
  relationship: 'relationship',
  relationshipValues: 'relationship-value',
};

interface Part {
  entityType: string;
  parentId: number;
  parentName: string;
  type: string;
  userId: number | null;
  at: string;
  comment: string | null;
  count: number;
  ids: number[];
  laterCount: number;
  ownCount: number;
  later: LaterWork[] | null;
  sourceDataSetId: number;
  sourceCreatedBy: number | null;
}

/**
 * Condition: a definition changed after the command. Compares revisions, because the first value of a definition starts
 * a version with the same revision.
 */
const isDefinitionChanged = (tables: Tables, table: 'crosswalk_mappings' | 'relationships', alias: Sql): Sql =>
  sql`(${alias}.valid_from > d.last_seq AND ${alias}.revision > (SELECT h.revision
    FROM ${tables.current(`${table}_history`)} h WHERE h.id = d.parent_id AND h.valid_from = d.last_seq))`;

/** Types of events that the authors of the rows may not undo. */
const ONLY_FOR_OTHERS = Object.keys(FACTS).filter((type) => isOnlyForOthers(FACTS[type] as DoneFact, [0], 0));

type ReviewedTable = 'crosswalk_mapping_values' | 'relationship_values' | 'crosswalk_mappings' | 'relationships';

/** Condition: the user was an author of the row just before the event, and authors may not undo the event. */
const isOwn = (tables: Tables, authorId: number): Sql => {
  const before = (table: ReviewedTable, parent?: Sql) => sql`EXISTS (SELECT FROM ${tables.current(`${table}_history`)} h
    WHERE h.id = d.id AND h.valid_to = d.seq AND ${authorId}::bigint = ANY(h.authors)${parent ? sql` AND ${parent}` : sql``})`;
  return sql`(d.type = ANY(${ONLY_FOR_OTHERS}::text[]) AND CASE d.entity_type
    WHEN 'mappings' THEN ${before('crosswalk_mapping_values', sql`h.crosswalk_id = d.parent_id`)}
    WHEN 'relationshipValues' THEN ${before('relationship_values', sql`h.relationship_id = d.parent_id`)}
    WHEN 'crosswalk' THEN ${before('crosswalk_mappings')} ELSE ${before('relationships')} END)`;
};

/**
 * Selects the parts of a batch: one row per event type and parent that the viewer may read. A row with several events,
 * such as an imported and submitted row, counts once, for its first event.
 */
const parts = (tables: Tables, viewer: Viewer, authorId: number, commandId: string): Sql => sql`
  WITH done AS (
    SELECT DISTINCT ON (a.entity_type, a.entity_id, r.id)
      a.seq, max(a.seq) OVER (PARTITION BY a.entity_type, a.entity_id, r.id) AS last_seq,
      a.type, a.actor_id, a.at, a.entity_type, a.entity_id AS parent_id, r.id,
      coalesce(a.rejection_reason, a.submission_comment) AS comment, a.data_set_ids[1] AS source_id
    FROM ${tables('audit_logs')} a, LATERAL unnest(coalesce(a.record_ids, ARRAY[a.entity_id])) r(id)
    WHERE a.causation_id = ${commandId} AND a.type = ANY(${Object.keys(FACTS)}::text[])
      AND ${viewer.hasLevelOnAll(tables, [sql`a.data_set_ids[1]`, sql`a.data_set_ids[2]`])}
    ORDER BY a.entity_type, a.entity_id, r.id, a.seq),
  now AS (
    SELECT d.*, coalesce(c.name, r.name, '') AS parent_name,
      CASE d.entity_type WHEN 'mappings' THEN m.valid_from > d.last_seq
        WHEN 'relationshipValues' THEN v.valid_from > d.last_seq
        WHEN 'crosswalk' THEN ${isDefinitionChanged(tables, 'crosswalk_mappings', sql`c`)}
        ELSE ${isDefinitionChanged(tables, 'relationships', sql`r`)} END AS later,
      ${isOwn(tables, authorId)} AS own,
      coalesce(m.last_event, v.last_event, c.last_event, r.last_event, '') AS last_event,
      coalesce(m.updated_by, v.updated_by, c.updated_by, r.updated_by) AS updated_by,
      coalesce(m.updated_at, v.updated_at, c.updated_at, r.updated_at, d.at) AS updated_at
    FROM done d
    LEFT JOIN ${tables('crosswalk_mapping_values')} m
      ON d.entity_type = 'mappings' AND m.crosswalk_id = d.parent_id AND m.id = d.id
    LEFT JOIN ${tables('relationship_values')} v
      ON d.entity_type = 'relationshipValues' AND v.relationship_id = d.parent_id AND v.id = d.id
    LEFT JOIN ${tables.withDeleted('crosswalk_mappings')} c ON d.entity_type IN ('mappings', 'crosswalk') AND c.id = d.parent_id
    LEFT JOIN ${tables.withDeleted('relationships')} r
      ON d.entity_type IN ('relationshipValues', 'relationship') AND r.id = d.parent_id)
  SELECT n.entity_type AS "entityType", n.parent_id AS "parentId", n.type, n.source_id AS "sourceDataSetId",
    min(n.parent_name) AS "parentName", min(n.actor_id) AS "userId", min(n.at) AS at, min(n.comment) AS comment,
    count(*) AS count, (array_agg(n.id ORDER BY n.id))[1:${NAMED_MAX}] AS ids, min(s.created_by) AS "sourceCreatedBy",
    count(*) FILTER (WHERE n.later) AS "laterCount", count(*) FILTER (WHERE n.own AND NOT n.later) AS "ownCount",
    to_jsonb((array_agg(jsonb_build_object('id', n.id, 'type', n.last_event, 'changedBy', n.updated_by,
      'changedAt', n.updated_at) ORDER BY n.id) FILTER (WHERE n.later))[1:${NAMED_MAX}]) AS later
  FROM now n LEFT JOIN ${tables('reference_data_sets')} s ON s.id = n.source_id
  GROUP BY n.entity_type, n.parent_id, n.type, n.source_id ORDER BY n.entity_type, n.parent_id, n.type`;

/** Selects a change by the command to rows of a data set that the viewer may read: such rows are in no batch. */
const changedRows = (tables: Tables, viewer: Viewer, commandId: string): Sql => sql`
  SELECT a.seq FROM ${tables('audit_logs')} a WHERE a.causation_id = ${commandId} AND a.entity_type = 'instances'
    AND ${viewer.hasLevelOnAll(tables, [sql`a.data_set_ids[1]`])} LIMIT 1`;

function toPartView(part: Part, viewer: Viewer, authorId: number): BatchPart {
  const fact = FACTS[part.type] as DoneFact;
  const level = viewer.level({ id: part.sourceDataSetId, createdBy: part.sourceCreatedBy });
  const kind = KINDS[part.entityType] as ApprovalKind;
  const levels = kind === 'crosswalk' || kind === 'relationship' ? DEFINITION_LEVEL : VERB_LEVEL;
  const refusal = undoRefusal({ fact, by: part.userId }, { userId: authorId, level }, levels);
  return {
    kind,
    parentId: part.parentId,
    parentName: part.parentName,
    did: fact,
    count: part.count,
    ids: part.ids,
    laterCount: part.laterCount,
    ownCount: part.ownCount,
    later: part.later ?? [],
    refusal,
    message: refusal && REVIEW_REFUSALS[refusal],
  };
}

function toBatchView(commandId: string, first: Part, partViews: BatchPart[]): BatchView {
  const sum = (summed: readonly BatchPart[], countOf: (part: BatchPart) => number) =>
    summed.reduce((total, part) => total + countOf(part), 0);
  const undoable = partViews.filter(({ refusal }) => refusal === null);
  const laterCount = sum(undoable, (part) => part.laterCount);
  const ownCount = sum(undoable, (part) => part.ownCount);
  const count = sum(undoable, (part) => part.count) - laterCount - ownCount;
  const refused = partViews.find(({ refusal }) => refusal !== null)?.message;
  const obstacle = refused ?? REVIEW_REFUSALS[ownCount > 0 ? 'FOUR_EYES' : 'LATER'];
  return {
    commandId,
    userId: first.userId,
    at: first.at,
    comment: first.comment,
    count: sum(partViews, (part) => part.count),
    parts: partViews,
    undo: { possible: count > 0, count, laterCount, ownCount, message: count > 0 ? null : obstacle },
  };
}

const UNKNOWN = 'This batch does not exist';

function commandIdOf(request: Pick<ApiRequest, 'params'>): string {
  const parsed = z.uuid().safeParse(request.params['commandId']);
  if (!parsed.success) throw new Refusal('NOT_FOUND', UNKNOWN);
  return parsed.data;
}

export const batchRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/batches/:commandId',
    { level: 'READ' },
    {
      summary: 'Read what one command did to rows under review, and whether it can be undone',
      hasPast: false,
      example: { params: { commandId: '8efed5a5-a7d2-5657-86f4-ed013c186a68' } },
      answers: { 200: BatchView },
    },
    async (request) => {
      const commandId = commandIdOf(request);
      const viewer = viewerOf(request);
      const readRequest = request.minPosition === undefined ? {} : { minPosition: request.minPosition };
      const authorId = authorOf(actorOf(request.principal));
      const batch = await readModels.read<Part>(readRequest, (tables) => parts(tables, viewer, authorId, commandId));
      const [first] = batch.rows;
      if (!first) {
        const { rows } = await readModels.read(readRequest, (tables) => changedRows(tables, viewer, commandId));
        throw new Refusal('NOT_FOUND', rows.length > 0 ? DATA_SET_ROWS_NOT_IN_BATCH : UNKNOWN);
      }
      const partViews = batch.rows.map((part) => toPartView(part, viewer, authorId));
      return answer(batch, toBatchView(commandId, first, partViews));
    },
  ),
];
