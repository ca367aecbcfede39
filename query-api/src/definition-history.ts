/** Histories of crosswalks and relationships themselves, their deletion included: who decided about them, and why. */
import {
  type CrosswalkHistoryView,
  HistoryQuery,
  type RelationshipHistoryView,
  type VersionView,
} from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import type { Floor } from './floor.ts';
import { historyPage } from './history-page.ts';
import { attributeViews, fieldName } from './relationships.ts';
import { type Sql, sql } from './sql.ts';
import { differences, ENTRY, ENTRY_WINDOW, entryOf, everyVersion, REVIEWED, type Version } from './versions.ts';
import { viewerOf } from './viewer.ts';

interface Definitions {
  table: 'crosswalk_mappings' | 'relationships';
  /** The columns of its table that it is told from. */
  columns: Sql;
  source: Sql;
  target: Sql;
  /** What a version `v` says, between data sets of the types `st` and `tt`. */
  definition: Sql;
}

const CROSSWALKS: Definitions = {
  table: 'crosswalk_mappings',
  columns: sql`value, source_system_id, target_system_id, source_field_id, target_field_id`,
  source: sql`v.source_system_id`,
  target: sql`v.target_system_id`,
  definition: sql`json_build_object('name', v.value -> 'name', 'description', v.value -> 'description',
    'sourceAttribute', ${fieldName(sql`v.source_field_id`, sql`st.fields`)},
    'targetAttribute', ${fieldName(sql`v.target_field_id`, sql`tt.fields`)},
    'similarityThreshold', v.value -> 'similarityThreshold', 'cardinality', v.value -> 'cardinality',
    'unmapped', v.value -> 'unmapped')`,
};

const RELATIONSHIPS: Definitions = {
  table: 'relationships',
  columns: sql`name, relationship_type, cardinality, allow_self_relationship, attributes, source_data_set_id, target_data_set_id`,
  source: sql`v.source_data_set_id`,
  target: sql`v.target_data_set_id`,
  definition: sql`json_build_object('name', v.name, 'relationshipType', v.relationship_type, 'cardinality', v.cardinality,
    'allowSelfRelationship', v.allow_self_relationship, 'attributes', ${attributeViews(sql`v.attributes`)})`,
};

/** For those who may read both its ends, as they may the definition; 404 for everybody else, and for what never was. */
async function history<View extends VersionView & { definition: object }>(
  { readModels }: Floor,
  request: ApiRequest<unknown, HistoryQuery>,
  of: Definitions,
): Promise<ApiAnswer> {
  const viewer = viewerOf(request);
  const found = await readModels.read<Version<View> & { definition: Record<string, unknown> }>(
    request,
    (tables) => sql`SELECT ${ENTRY}, ${of.definition} AS definition
      FROM (${everyVersion(tables, of.table, sql`${REVIEWED}, deleted, ${of.columns}`, sql`id = ${idParam(request)}::bigint`)}) v
        LEFT JOIN ${tables.current('reference_data_sets')} s ON s.id = ${of.source}
        LEFT JOIN ${tables.current('reference_data_sets')} t ON t.id = ${of.target}
        LEFT JOIN ${tables.current('reference_data_types')} st ON st.id = s.type_id
        LEFT JOIN ${tables.current('reference_data_types')} tt ON tt.id = t.type_id
      WHERE ${viewer.mayReadAll(tables, [of.source, of.target])} ${ENTRY_WINDOW}`,
  );
  return historyPage(found, request.query, (version, before) =>
    entryOf(version, before && differences(before.definition, version.definition)),
  );
}

export const definitionHistoryRoutes = (floor: Floor): Route[] => [
  route('get', '/api/crosswalks/:id/history', { level: 'READ' }, { query: HistoryQuery }, (request) =>
    history<CrosswalkHistoryView>(floor, request, CROSSWALKS),
  ),
  route('get', '/api/relationships/:id/history', { level: 'READ' }, { query: HistoryQuery }, (request) =>
    history<RelationshipHistoryView>(floor, request, RELATIONSHIPS),
  ),
];
