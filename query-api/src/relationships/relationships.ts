/** Routes of relationships: the list, a relationship and its attributes, for viewers who may read both ends. */

import { AttributeView, type Cardinality, pageOf, RELATIONSHIP_FIELDS, RelationshipView } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { fieldName, labelField } from '../access/label-field.ts';
import { levelOrNotFound, type Viewer, viewerOf } from '../access/viewer.ts';
import { attributeViews, valueCounts } from '../entities/relationships.ts';
import type { Freezable } from '../list/freezable.ts';
import { listRows, oneRow } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { DefinitionsQuery, freezableDefinitions, isListed } from '../review/definition-list.ts';
import { COUNTS_JSON } from '../review/value-counts.ts';

type Row = Omit<RelationshipView, 'level'> & { sourceCreatedBy: number | null };

/** Relationships `r` with their source `s` and target `t`, and the types `st` and `tt` of these data sets. */
export const relationshipsWithEnds = (
  tables: Tables,
  relationships = tables('relationships'),
): Sql => sql`${relationships} r
      JOIN ${tables('reference_data_sets')} s ON s.id = r.source_data_set_id
      JOIN ${tables('reference_data_sets')} t ON t.id = r.target_data_set_id
      JOIN ${tables('reference_data_types')} st ON st.id = s.type_id
      JOIN ${tables('reference_data_types')} tt ON tt.id = t.type_id`;

/** Condition: the viewer may read both ends of the relationship `r`. */
export const readableEnds = (tables: Tables, viewer: Viewer): Sql =>
  viewer.hasLevelOnAll(tables, [sql`r.source_data_set_id`, sql`r.target_data_set_id`]);

function relationshipList(tables: Tables, viewer: Viewer, deleted = false): ListDefinition {
  const relationships = deleted ? tables.withDeleted('relationships') : tables('relationships');
  const columns = {
    id: sql`r.id`,
    name: sql`r.name`,
    relationshipType: sql`r.relationship_type`,
    cardinality: sql`r.cardinality`,
    sourceDataSetId: sql`r.source_data_set_id`,
    targetDataSetId: sql`r.target_data_set_id`,
    sourceName: sql`s.name`,
    targetName: sql`t.name`,
    sourceField: fieldName(sql`r.source_field_id`, sql`st.fields`),
    targetField: fieldName(sql`r.target_field_id`, sql`tt.fields`),
    allowSelfRelationship: sql`r.allow_self_relationship`,
    attributes: attributeViews(
      sql`r.attributes`,
      sql`jsonb_build_object('relationshipTypeId', r.id, 'createdAt', a -> 'createdAt', 'updatedAt', a -> 'updatedAt')`,
    ),
    hasValues: sql`r.has_values`,
    counts: COUNTS_JSON,
    approvalStatus: sql`r.approval_status`,
    deletionRequested: sql`r.deletion_requested`,
    submittedBy: sql`r.submitted_by`,
    authors: sql`r.authors`,
    deleted: sql`r.deleted`,
    deletionDecided: sql`(r.deleted AND r.approved_at IS NOT NULL)`,
    revision: sql`r.revision`,
    createdAt: sql`r.created_at`,
    updatedBy: sql`r.updated_by`,
    updatedAt: sql`r.updated_at`,
    sourceCreatedBy: sql`s.created_by`,
  };
  return {
    from: sql`${relationshipsWithEnds(tables, relationships)} LEFT JOIN ${valueCounts(tables)} n ON n.relationship_id = r.id`,
    where: sql`${isListed(sql`r`, deleted)} AND ${readableEnds(tables, viewer)}`,
    columns,
    alwaysSelected: ['id', 'revision', 'sourceDataSetId', 'sourceCreatedBy'],
    fields: fieldMap(RELATIONSHIP_FIELDS, columns, {
      draft: sql`coalesce(n.draft, 0)::numeric`,
      pending: sql`coalesce(n.pending, 0)::numeric`,
      approved: sql`coalesce(n.approved, 0)::numeric`,
      rejected: sql`coalesce(n.rejected, 0)::numeric`,
      served: sql`coalesce(n.served, 0)::numeric`,
    }),
    search: [sql`r.name`, sql`r.relationship_type`, sql`s.name`, sql`t.name`],
    isSearchedByWords: true,
    id: sql`r.id`,
    defaultSort: { sql: sql`r.name`, dataType: 'string', order: 'ASC' },
  };
}

/** Adds the viewer's level on the source data set, which governs the relationship. */
const toView =
  (viewer: Viewer) =>
  ({ sourceCreatedBy, ...row }: Row): RelationshipView => ({
    ...row,
    level: levelOrNotFound(viewer, { id: row.sourceDataSetId, createdBy: sourceCreatedBy }),
  });

/** A relationship with the columns that the routes of its values need. */
export interface RelationshipRecord {
  id: number;
  name: string;
  cardinality: Cardinality;
  attributes: { id: number; name: string; dataType: 'string' | 'number' | 'boolean' | 'date' }[];
  sourceDataSetId: number;
  targetDataSetId: number;
  /** The label fields of source and target; null for a data set without a label field. */
  sourceLabelFieldId: number | null;
  targetLabelFieldId: number | null;
}

/** Finds a relationship that the viewer may read. Throws NOT_FOUND, or BEHIND while the read models are behind. */
export async function findRelationship(
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  id: number,
): Promise<RelationshipRecord> {
  const result = await readModels.read<RelationshipRecord>(
    readRequest,
    (tables) => sql`SELECT r.id, r.name, r.cardinality, ${attributeViews(sql`r.attributes`)} AS attributes,
        r.source_data_set_id AS "sourceDataSetId", r.target_data_set_id AS "targetDataSetId",
        ${labelField(sql`s`, sql`st`, sql`s.key_field_ids`)} AS "sourceLabelFieldId",
        ${labelField(sql`t`, sql`tt`, sql`t.key_field_ids`)} AS "targetLabelFieldId"
      FROM ${relationshipsWithEnds(tables)} WHERE ${readableEnds(tables, viewer)} AND r.id = ${id}::bigint`,
    { isFrequent: true },
  );
  return result.one();
}

const findView = (readModels: ReadModels, readRequest: ReadRequest, viewer: Viewer, id: number) =>
  readModels.read<Row>(readRequest, (tables) => oneRow(relationshipList(tables, viewer), sql`r.id = ${id}`), {
    isFrequent: true,
  });

export const freezableRelationships: Freezable = freezableDefinitions(relationshipList, sql`r.id, r.revision`);

export const relationshipRoutes = ({ readModels, freezable }: QueryContext): Route[] => {
  freezable.set('relationships', freezableRelationships);
  return [
    route(
      'get',
      '/api/relationships',
      { route: '/relationships', level: 'READ' },
      { summary: 'List the relationships', answers: { 200: pageOf(RelationshipView) }, query: DefinitionsQuery },
      (request) => {
        const viewer = viewerOf(request);
        const deleted = request.query.deleted === 'true';
        return listRows(readModels, request, (tables) => relationshipList(tables, viewer, deleted), toView(viewer));
      },
    ),

    route(
      'get',
      '/api/relationships/:id',
      { level: 'READ' },
      { summary: 'Read a relationship', errors: ['PURGED'], answers: { 200: RelationshipView } },
      async (request) => {
        const viewer = viewerOf(request);
        const result = await findView(readModels, request, viewer, idParam(request));
        return answer(result, toView(viewer)(result.one()));
      },
    ),

    route(
      'get',
      '/api/relationships/:id/attributes',
      { level: 'READ' },
      { summary: 'List the attributes of a relationship', answers: { 200: z.array(AttributeView) } },
      async (request) => {
        const result = await findView(readModels, request, viewerOf(request), idParam(request));
        return answer(result, result.one().attributes);
      },
    ),
  ];
};
