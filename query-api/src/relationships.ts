/** Relationships between data sets: the list and one of them, for those who may read both ends. */
import { ListQuery, type RelationshipView } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { Floor } from './floor.ts';
import { fieldMap, type ListDefinition, listRows, oneRow } from './list.ts';
import { answer, type Tables } from './read-models.ts';
import { type Sql, sql } from './sql.ts';
import { levelOrNotFound, type Viewer, viewerOf } from './viewer.ts';

type Row = Omit<RelationshipView, 'level'> & { sourceCreatedBy: number | null };

const fieldName = (fieldId: Sql, fields: Sql): Sql =>
  sql`(SELECT f ->> 'name' FROM jsonb_array_elements(${fields}) f WHERE (f ->> 'fieldId')::bigint = ${fieldId})`;

/** The attributes in use, in their order. */
const attributeViews = (attributes: Sql): Sql => sql`(SELECT coalesce(jsonb_agg(jsonb_build_object(
    'id', a -> 'attributeId', 'name', a -> 'name', 'dataType', a -> 'dataType', 'isRequired', a -> 'isRequired',
    'description', a -> 'description') ORDER BY place), '[]')
  FROM jsonb_array_elements(${attributes}) WITH ORDINALITY each (a, place) WHERE NOT (a ->> 'removed')::boolean)`;

function definition(tables: Tables, viewer: Viewer): ListDefinition {
  const ids = [sql`r.source_data_set_id`, sql`r.target_data_set_id`];
  return {
    from: sql`${tables('relationships')} r
      JOIN ${tables('reference_data_sets')} s ON s.id = r.source_data_set_id
      JOIN ${tables('reference_data_sets')} t ON t.id = r.target_data_set_id
      JOIN ${tables('reference_data_types')} st ON st.id = s.type_id
      JOIN ${tables('reference_data_types')} tt ON tt.id = t.type_id`,
    where: viewer.mayReadAll(tables, ids),
    columns: {
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
      attributes: attributeViews(sql`r.attributes`),
      hasValues: sql`r.has_values`,
      approvalStatus: sql`r.approval_status`,
      deletionRequested: sql`r.deletion_requested`,
      submittedBy: sql`r.submitted_by`,
      authors: sql`r.authors`,
      revision: sql`r.revision`,
      createdAt: sql`r.created_at`,
      updatedAt: sql`r.updated_at`,
      sourceCreatedBy: sql`s.created_by`,
    },
    always: ['id', 'revision', 'sourceDataSetId', 'sourceCreatedBy'],
    fields: fieldMap({
      id: { sql: sql`r.id`, dataType: 'number' },
      name: { sql: sql`r.name`, dataType: 'string', label: 'Name' },
      relationshipType: { sql: sql`r.relationship_type`, dataType: 'string', label: 'Type' },
      cardinality: { sql: sql`r.cardinality`, dataType: 'string', label: 'Cardinality' },
      sourceName: { sql: sql`s.name`, dataType: 'string', label: 'Source' },
      targetName: { sql: sql`t.name`, dataType: 'string', label: 'Target' },
      sourceDataSetId: { sql: sql`r.source_data_set_id`, dataType: 'number' },
      targetDataSetId: { sql: sql`r.target_data_set_id`, dataType: 'number' },
      createdAt: { sql: sql`r.created_at`, dataType: 'datetime', label: 'Created' },
      updatedAt: { sql: sql`r.updated_at`, dataType: 'datetime', label: 'Updated' },
    }),
    search: [sql`r.name`, sql`s.name`, sql`t.name`],
    id: sql`r.id`,
    defaultSort: { sql: sql`r.name`, dataType: 'string', order: 'ASC' },
  };
}

/** The viewer's level is that on the source data set, which governs. */
const show =
  (viewer: Viewer) =>
  ({ sourceCreatedBy, ...row }: Row): RelationshipView => ({
    ...row,
    level: levelOrNotFound(viewer, { id: row.sourceDataSetId, createdBy: sourceCreatedBy }),
  });

export const relationshipRoutes = ({ readModels }: Floor): Route[] => [
  route('get', '/api/relationships', { route: '/relationships', level: 'READ' }, { query: ListQuery }, (request) => {
    const viewer = viewerOf(request);
    return listRows(readModels, request, (tables) => definition(tables, viewer), show(viewer));
  }),

  route('get', '/api/relationships/:id', { level: 'READ' }, {}, async (request) => {
    const viewer = viewerOf(request);
    const id = idParam(request);
    const found = await readModels.read<Row>(request, (tables) =>
      oneRow(definition(tables, viewer), sql`r.id = ${id}`),
    );
    return answer(found, show(viewer)(found.one()));
  }),
];
