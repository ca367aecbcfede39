/** Finds data sets, crosswalks and relationships by name, and users for administrators. */
import { type FoundDataSet, type FoundDefinition, type FoundPerson, SEARCH_RESULTS_MAX } from '@rdm/contracts';
import { allNamesOf } from '../access/user-names.ts';
import type { Viewer } from '../access/viewer.ts';
import {
  containsWords,
  equalsFolded,
  type FoldedQuery,
  folded,
  foldedValue,
  startsWithFolded,
  wordsOf,
} from '../entities/fold-text.ts';
import { type SearchedPartition, searchedPartitions } from '../entities/searched-rows.ts';
import type { Tables } from '../read-models/read-models.ts';
import { identifier, join, numberLiteral, type Sql, sql } from '../read-models/sql.ts';

export interface NamesRow {
  dataSets: FoundDataSet[];
  definitions: FoundDefinition[];
  people: FoundPerson[];
  folded: FoldedQuery;
  /** The searchable data sets with their own partition, if the viewer may read them. */
  partitions: SearchedPartition[];
  /** Whether the viewer may read a data set with rows that cannot be searched yet. */
  isPending: boolean;
}

/** The query for the best of the rows `found`, which have the columns id, name and `dataSetIds`. */
function bestRows(found: Sql, q: string, recent: readonly number[], columns: Sql): Sql {
  const name = folded(sql`found.name`);
  return sql`(SELECT coalesce(json_agg(shown), '[]') FROM (SELECT ${columns} FROM (${found}) found
    ORDER BY CASE WHEN ${equalsFolded(name, q)} THEN 0 WHEN ${startsWithFolded(name, q)} THEN 1 ELSE 2 END,
      (SELECT min(array_position(${recent}::bigint[], opened)) FROM unnest(found."dataSetIds") opened),
      length(found.name), found.name, found.id
    LIMIT ${numberLiteral(SEARCH_RESULTS_MAX)}) shown)`;
}

const readable = (tables: Tables, viewer: Viewer): Sql =>
  sql`${tables('reference_data_sets')} d WHERE ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`)}`;

/** The query for crosswalks and relationships whose page the viewer may open and whose ends the viewer may read. */
function definitions(tables: Tables, viewer: Viewer, q: string): Sql {
  const kinds = [
    {
      kind: sql`'crosswalk'`,
      page: '/crosswalks',
      from: tables('crosswalk_mappings'),
      ends: ['source_system_id', 'target_system_id'],
    },
    {
      kind: sql`'relationship'`,
      page: '/relationships',
      from: tables('relationships'),
      ends: ['source_data_set_id', 'target_data_set_id'],
    },
  ] as const;
  return kinds
    .map(({ kind, page, from, ends }) => {
      const [source, target] = ends.map((end) => identifier('r', end)) as [Sql, Sql];
      return sql`SELECT ${kind} AS kind, r.id, r.name, s.name AS "sourceName", t.name AS "targetName", ARRAY[s.id, t.id] AS "dataSetIds"
        FROM ${from} r JOIN ${tables('reference_data_sets')} s ON s.id = ${source}
        JOIN ${tables('reference_data_sets')} t ON t.id = ${target}
        WHERE ${viewer.mayOpen(page)}::boolean AND ${viewer.hasLevelOnAll(tables, [source, target])} AND ${containsWords(folded(sql`r.name`), q)}`;
    })
    .reduce((first, second) => sql`${first} UNION ALL ${second}`);
}

const people = (
  tables: Tables,
  q: string,
): Sql => sql`SELECT u.id, coalesce(u.display_name, u.username) AS name, u.username,
    u.display_name AS "displayName", '{}'::bigint[] AS "dataSetIds"
  FROM identity.users u JOIN ${tables('members')} m ON m.user_id = u.id
  WHERE u.erased_at IS NULL AND ${containsWords(folded(allNamesOf(sql`u`)), q)}`;

/** The query for the best matches by name, and for the data that the search of rows needs; returns one row. */
export function namesQuery(tables: Tables, viewer: Viewer, q: string, recent: readonly number[]): Sql {
  const dataSets = sql`SELECT d.id, d.name, t.name AS "typeName", ARRAY[d.id] AS "dataSetIds"
    FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
    WHERE ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`)} AND ${containsWords(folded(sql`d.name`), q)}`;
  const words = join(wordsOf(q).map(foldedValue), ', ');
  return sql`SELECT json_build_object('text', ${foldedValue(q)}, 'words', json_build_array(${words})) AS folded,
    ${bestRows(dataSets, q, recent, sql`id, name, "typeName"`)} AS "dataSets",
    ${bestRows(definitions(tables, viewer, q), q, recent, sql`kind, id, name, "sourceName", "targetName"`)} AS definitions,
    ${viewer.isAdmin ? bestRows(people(tables, q), q, recent, sql`id, username, "displayName"`) : sql`'[]'::json`} AS people,
    ${searchedPartitions(tables, sql`SELECT d.id FROM ${readable(tables, viewer)}`)} AS partitions,
    EXISTS (SELECT FROM ${tables('data_set_counts')} n WHERE n.instances > 0
      AND n.data_set_id IN (SELECT d.id FROM ${readable(tables, viewer)})
      AND NOT EXISTS (SELECT FROM ${tables('search_sets')} s WHERE s.data_set_id = n.data_set_id)) AS "isPending"`;
}
