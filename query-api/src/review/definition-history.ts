/** Routes of the histories of crosswalk and relationship definitions, including deletions and decisions. */
import { CrosswalkHistoryView, HistoryQuery, pageOf, RelationshipHistoryView, type VersionView } from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { ACTING_KEY_COLUMNS, joinActingKey } from '../access/acting-key.ts';
import { fieldName } from '../access/label-field.ts';
import { viewerOf } from '../access/viewer.ts';
import { chosenLabel } from '../entities/crosswalks.ts';
import { attributeViews } from '../entities/relationships.ts';
import type { QueryContext } from '../query-context.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { toHistoryPage } from './history-page.ts';
import {
  allVersions,
  differences,
  ENTRY_COLUMNS,
  ENTRY_WINDOW,
  entryOf,
  REVIEW_COLUMNS,
  type Version,
} from './versions.ts';

interface DefinitionKind {
  /** The table of the definitions. `crosswalk_mappings` holds crosswalks; their systems are data sets. */
  table: 'crosswalk_mappings' | 'relationships';
  /** The columns that the history reads. */
  columns: Sql;
  source: Sql;
  target: Sql;
  /** The definition in version `v`; `st` and `tt` have the fields of source and target at the time of `v`. */
  definition: Sql;
  /** The ids of the fields that `definition` names, under the same property names. */
  fieldIds: Sql;
}

const CHOSEN_LABEL = chosenLabel(sql`v`);

const CROSSWALKS: DefinitionKind = {
  table: 'crosswalk_mappings',
  columns: sql`value, source_system_id, target_system_id, source_field_id, target_field_id`,
  source: sql`v.source_system_id`,
  target: sql`v.target_system_id`,
  definition: sql`json_build_object('name', v.value -> 'name', 'description', v.value -> 'description',
    'sourceAttribute', ${fieldName(sql`v.source_field_id`, sql`st.fields`)},
    'targetAttribute', ${fieldName(sql`v.target_field_id`, sql`tt.fields`)},
    'similarityThreshold', v.value -> 'similarityThreshold', 'cardinality', v.value -> 'cardinality',
    'unmapped', v.value -> 'unmapped',
    'chosenSourceLabelField', ${fieldName(CHOSEN_LABEL.source, sql`st.fields`)},
    'chosenTargetLabelField', ${fieldName(CHOSEN_LABEL.target, sql`tt.fields`)})`,
  fieldIds: sql`json_build_object('sourceAttribute', v.source_field_id, 'targetAttribute', v.target_field_id,
    'chosenSourceLabelField', ${CHOSEN_LABEL.source}, 'chosenTargetLabelField', ${CHOSEN_LABEL.target})`,
};

const RELATIONSHIPS: DefinitionKind = {
  table: 'relationships',
  columns: sql`name, relationship_type, cardinality, allow_self_relationship, attributes, source_data_set_id, target_data_set_id`,
  source: sql`v.source_data_set_id`,
  target: sql`v.target_data_set_id`,
  definition: sql`json_build_object('name', v.name, 'relationshipType', v.relationship_type, 'cardinality', v.cardinality,
    'allowSelfRelationship', v.allow_self_relationship, 'attributes', ${attributeViews(sql`v.attributes`)})`,
  fieldIds: sql`'{}'::json`,
};

/** The fields of a data set's type at the time of version `v`. */
const fieldsAtVersion = (tables: Tables, dataSet: Sql): Sql => sql`(
  SELECT t.fields FROM ${tables.at('reference_data_sets', sql`v.valid_from`)} d
    JOIN ${tables.at('reference_data_types', sql`v.valid_from`)} t ON t.id = d.type_id WHERE d.id = ${dataSet})`;

type DefinitionVersion<View extends VersionView> = Version<View> & {
  definition: Record<string, unknown>;
  fieldIds: Record<string, number>;
};

/** Returns the differences of two versions. A renamed field is not a change of the definition. */
function changesBetween<View extends VersionView>(before: DefinitionVersion<View>, after: DefinitionVersion<View>) {
  const changes = differences(before.definition, after.definition);
  for (const [name, id] of Object.entries(after.fieldIds)) {
    if (before.fieldIds[name] === id) delete changes[name];
  }
  return changes;
}

/** Reads a history. Throws 404 for viewers who may not read both data sets, and for ids that never existed. */
async function readHistory<View extends VersionView & { definition: object }>(
  { readModels }: QueryContext,
  request: ApiRequest<unknown, HistoryQuery>,
  kind: DefinitionKind,
): Promise<ApiAnswer> {
  const viewer = viewerOf(request);
  const result = await readModels.read<DefinitionVersion<View>>(
    request,
    (
      tables,
    ) => sql`SELECT ${ENTRY_COLUMNS}, ${ACTING_KEY_COLUMNS}, ${kind.definition} AS definition, ${kind.fieldIds} AS "fieldIds"
      FROM (${allVersions(tables, kind.table, sql`${REVIEW_COLUMNS}, deleted, ${kind.columns}`, sql`id = ${idParam(request)}::bigint`)}) v
        LEFT JOIN LATERAL ${fieldsAtVersion(tables, kind.source)} st ON true
        LEFT JOIN LATERAL ${fieldsAtVersion(tables, kind.target)} tt ON true
        ${joinActingKey(tables, sql`v.valid_from`)}
      WHERE ${viewer.hasLevelOnAll(tables, [kind.source, kind.target])} ${ENTRY_WINDOW}`,
  );
  return toHistoryPage(result, request.query, (version, before) => {
    const { fieldIds: _, ...entry } = version;
    return entryOf(entry, before && changesBetween(before, version));
  });
}

export const definitionHistoryRoutes = (context: QueryContext): Route[] => [
  route(
    'get',
    '/api/crosswalks/:id/history',
    { level: 'READ' },
    {
      summary: 'List the versions of a crosswalk',
      answers: { 200: pageOf(CrosswalkHistoryView) },
      query: HistoryQuery,
    },
    (request) => readHistory<CrosswalkHistoryView>(context, request, CROSSWALKS),
  ),
  route(
    'get',
    '/api/relationships/:id/history',
    { level: 'READ' },
    {
      summary: 'List the versions of a relationship',
      answers: { 200: pageOf(RelationshipHistoryView) },
      query: HistoryQuery,
    },
    (request) => readHistory<RelationshipHistoryView>(context, request, RELATIONSHIPS),
  ),
];
