/**
 * Finds the activities that match a text, or each of its words: by the names of users, API keys and entities, by verbs
 * and comments, by the values of mappings, and by the codes and labels of rows. The indexes of the command palette find
 * current rows. Scans find former versions of rows, mappings and relationship values. Scans for lists have a time limit
 * (docs/decisions/0095).
 */

import { labelField } from '../access/label-field.ts';
import { displayedKey } from '../access/row-keys.ts';
import { allNamesOf } from '../access/user-names.ts';
import type { Viewer } from '../access/viewer.ts';
import { entitiesNamed } from '../entities/audited-names.ts';
import { folded, wholeFolded } from '../entities/fold-text.ts';
import {
  between,
  idsOfClass,
  isIndexed,
  LAST_CHARACTER,
  type RowsToSearch,
  type SearchClass,
  type SearchedPartition,
  searchedPartitions,
  withWords,
} from '../entities/searched-rows.ts';
import type { ReadModels, ReadRequest, Table, Tables } from '../read-models/read-models.ts';
import { all, any, join, numberLiteral, rawSql, type Sql, sql, textOf } from '../read-models/sql.ts';
import { isCancelled } from '../read-models/statements.ts';
import { containsAll, matchesLabel, mayBeCode, type Text, textsRelation } from './searched-texts.ts';

/** The text between the parts of a displayed key. */
const KEY_SEPARATOR = ' · ';

/** Maximum number of rows that one text finds. */
const ROWS_MAX = 1_000;
const ACTIVITIES_MAX = 10_000;
/** If a search has more words than this, only its whole text is searched. */
const WORDS_MAX = 8;

/** Time limits of a statement for a list and for an export. */
const STATEMENT_LIMIT_MS = 1_000;
const EXPORT_LIMIT_MS = 10_000;
/** Time limit of the scan of one table for a list. Scans for an export have none. */
const SCAN_LIMIT_MS = 1_000;
/** Pages of a table that one statement reads: 2 MB, about 50 ms. */
const SLICE_PAGES = 256;

interface TextRow extends Text {
  users: number[];
  /** Entities as `crosswalk:3`. */
  subjects: string[];
}

interface FoundRow {
  place: number;
  type: 'instances' | 'mappings' | 'relationshipValues' | 'missingMappings';
  parentId: number;
  id: number;
}

/** The query for the folded texts, and for the readable data sets that have their own partition. */
function preparation(tables: Tables, viewer: Viewer, texts: readonly string[]): Sql {
  const readable = sql`SELECT d.id FROM ${tables.current('reference_data_sets')} d WHERE ${mayRead(viewer)}`;
  return sql`SELECT ${searchedPartitions(tables, readable)} AS partitions,
    (SELECT json_agg(json_build_object('place', given.place - 1, 'exact', given.value, 'text', ${folded(sql`given.value`)},
        'words', (SELECT json_agg(${folded(sql`word.value`)}) FROM regexp_split_to_table(given.value, '\\s+') word (value)))
        ORDER BY given.place)
      FROM unnest(${[...texts]}::text[]) WITH ORDINALITY given (value, place)) AS texts`;
}

const mayRead = (viewer: Viewer): Sql => viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`, 'READ');

/** The query for the users and entities whose names contain all words of a text, with one row per text. */
const usersAndEntitiesNamed = (tables: Tables, texts: readonly Text[]): Sql => {
  const found = texts.map(
    (text) => sql`SELECT ${numberLiteral(text.place)} AS place,
      ARRAY(SELECT id FROM identity.users u WHERE ${containsAll(text, folded(allNamesOf(sql`u`)))}) AS users,
      ARRAY(${entitiesNamed(tables, (name) => containsAll(text, folded(name)))}) AS subjects`,
  );
  return sql`${join(found, ' UNION ALL ')} ORDER BY place`;
};

/** Codes that begin with a text. */
const beginningWith = (text: string): SearchClass => between('code', text, `${text}${LAST_CHARACTER}`);

/** A whole code, or the whole first part of a code. */
const wholeCode = ({ text }: Text): SearchClass[] => [
  between('code', text, text),
  beginningWith(`${text}${KEY_SEPARATOR}`),
];

const ofLabel = ({ text, words }: Text): SearchClass[] => [
  words.some(isIndexed) ? withWords(words) : between('label', text, text),
];

/** The query for the current rows of some classes, by search entries and indexes. */
function indexedRows(tables: Tables, { place }: Text, classes: readonly SearchClass[], rows: RowsToSearch): Sql {
  const found = classes.map((searched) => sql`(${idsOfClass(tables, searched, rows)})`);
  return sql`SELECT ${numberLiteral(place)} AS place, 'instances' AS type, "dataSetId" AS "parentId", "instanceId" AS id
    FROM (${join(found, ' UNION ')}) found`;
}

/**
 * The CTE `sets`: the data sets that the viewer may read, including deleted ones, with their label fields. Entries or
 * indexes contain the rows up to `indexed_seq`, which is -1 for a data set without entries. In the shared table, it is
 * also -1 for a key of several fields, because entries contain only the first part of a key.
 */
const sets = (tables: Tables, viewer: Viewer): Sql => {
  const columns = sql`id, created_by, type_id, key_field_ids, label_field_id`;
  const currentSets = tables.current('reference_data_sets');
  const indexedSeq = sql`CASE WHEN s.is_partition THEN n.valid_from WHEN cardinality(d.key_field_ids) > 1 THEN -1 ELSE s.rows_seq END`;
  return sql`sets AS MATERIALIZED (
    SELECT d.id, ${labelField(sql`d`, sql`ty`, sql`d.key_field_ids`)}::text AS label, cardinality(d.key_field_ids) > 1 AS is_composite,
      coalesce(${indexedSeq}, -1) AS indexed_seq, n.valid_from AS rows_seq
    FROM (SELECT ${columns} FROM ${currentSets}
      UNION ALL (SELECT DISTINCT ON (id) ${columns} FROM ${tables.current('reference_data_sets_history')} h
        WHERE NOT EXISTS (SELECT FROM ${currentSets} p WHERE p.id = h.id) ORDER BY id, valid_to DESC)) d
    LEFT JOIN ${tables.current('reference_data_types')} ty ON ty.id = d.type_id
    LEFT JOIN ${tables.current('search_sets')} s ON s.data_set_id = d.id
    LEFT JOIN ${tables.current('data_set_counts')} n ON n.data_set_id = d.id
    WHERE ${mayRead(viewer)})`;
};

/** The first matches of each text: one more than the maximum, to detect texts with too many matches. */
const firstOfEach = (matches: Sql): Sql => sql`SELECT place, type, "parentId", id
  FROM (SELECT m.*, row_number() OVER (PARTITION BY m.place) AS number FROM (${matches}) m) numbered
  WHERE number <= ${numberLiteral(ROWS_MAX + 1)}`;

/** The query for the rows with a version `v` whose code, part of a code, or label matches a text. */
const matchingVersions = (versions: Sql, texts: readonly Text[]): Sql =>
  firstOfEach(sql`
  SELECT DISTINCT w.place, 'instances' AS type, r.data_set_id AS "parentId", r.id
  FROM (SELECT v.data_set_id, v.id, v.key, s.is_composite, ${folded(sql`(v.data ->> s.label)`)} AS label
    FROM ${versions} OFFSET 0) r
  JOIN ${textsRelation(texts)} ON ${matchesLabel(sql`r.label`)} OR CASE WHEN r.is_composite
    THEN ${folded(displayedKey(sql`r.key`))} = w.text OR r.key::jsonb ? w.exact ELSE lower(r.key) = ANY(w.keys) END`);

/**
 * The query for rows that entries and indexes do not contain: rows of deleted data sets, rows that were changed just
 * now or by a running import, and rows in the shared table whose key has several fields.
 */
const unindexedRows = (tables: Tables, viewer: Viewer, texts: readonly Text[]): Sql => sql`
  WITH ${sets(tables, viewer)}
  ${matchingVersions(
    sql`${tables.current('instances')} v JOIN sets s ON s.id = v.data_set_id
      WHERE v.data_set_id = ANY(ARRAY(SELECT id FROM sets WHERE rows_seq > indexed_seq)) AND v.valid_from > s.indexed_seq`,
    texts,
  )}`;

/** The tables without an index for texts, each with the query for the matches in one slice of the table. */
const SCANNED = {
  instances_history: (tables, viewer, slice, texts) => sql`WITH ${sets(tables, viewer)}
    ${matchingVersions(sql`(${slice}) v JOIN sets s ON s.id = v.data_set_id`, texts)}`,
  crosswalk_mapping_values: matchingMappings,
  crosswalk_mapping_values_history: matchingMappings,
  missing_mappings: matchingMissing,
} satisfies Partial<Record<Table, (tables: Tables, viewer: Viewer, slice: Sql, texts: readonly Text[]) => Sql>>;

/** The query for the readable mappings of a slice whose source or target value matches a text. */
function matchingMappings(tables: Tables, viewer: Viewer, slice: Sql, texts: readonly Text[]): Sql {
  return firstOfEach(sql`SELECT DISTINCT w.place, 'mappings' AS type, m.crosswalk_id AS "parentId", m.id
    FROM (SELECT v.crosswalk_id, v.id, ${folded(sql`v.source_value`)} AS source, ${folded(sql`v.target_value`)} AS target
      FROM (${slice}) v JOIN ${tables.currentWithDeleted('crosswalk_mappings')} c ON c.id = v.crosswalk_id
      WHERE ${mayReadEnds(tables, viewer)} OFFSET 0) m
    JOIN ${textsRelation(texts)} ON ${matchesLabel(sql`m.source`)} OR ${matchesLabel(sql`m.target`)}`);
}

/** The query for the readable missing mappings of a slice whose source value matches a text. */
function matchingMissing(tables: Tables, viewer: Viewer, slice: Sql, texts: readonly Text[]): Sql {
  return firstOfEach(sql`SELECT DISTINCT w.place, 'missingMappings' AS type, m.crosswalk_id AS "parentId", m.id
    FROM (SELECT v.crosswalk_id, v.id, ${folded(sql`v.source_value`)} AS source
      FROM (${slice}) v JOIN ${tables.currentWithDeleted('crosswalk_mappings')} c ON c.id = v.crosswalk_id
      WHERE ${mayReadEnds(tables, viewer)} OFFSET 0) m
    JOIN ${textsRelation(texts)} ON ${matchesLabel(sql`m.source`)}`);
}

/** Condition: the viewer may read both ends of the crosswalk `c`. */
const mayReadEnds = (tables: Tables, viewer: Viewer): Sql =>
  viewer.hasLevelOnAll(tables, [sql`c.source_system_id`, sql`c.target_system_id`], 'READ');

/** The tables of relationship values, which contain the ids of rows instead of texts. */
const SCANNED_FOR_ROWS = ['relationship_values', 'relationship_values_history'] as const satisfies readonly Table[];

const foundRows = (rows: readonly FoundRow[]): Sql =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) f(place int, type text, "parentId" bigint, id bigint)`;

/** The query for the readable relationship values of a slice that relate one of the rows. */
const matchingValues = (tables: Tables, viewer: Viewer, slice: Sql, rows: readonly FoundRow[]): Sql =>
  firstOfEach(sql`SELECT DISTINCT f.place, 'relationshipValues' AS type, v.relationship_id AS "parentId", v.id
    FROM (${slice}) v JOIN ${tables.currentWithDeleted('relationships')} r ON r.id = v.relationship_id
    CROSS JOIN LATERAL (VALUES (r.source_data_set_id, v.source_instance_id), (r.target_data_set_id, v.target_instance_id))
      e (data_set_id, id)
    JOIN ${foundRows(rows)} ON f."parentId" = e.data_set_id AND f.id = e.id
    WHERE ${viewer.hasLevelOnAll(tables, [sql`r.source_data_set_id`, sql`r.target_data_set_id`], 'READ')}`);

const limitOf = (isExport: boolean): number => (isExport ? EXPORT_LIMIT_MS : STATEMENT_LIMIT_MS);

/** Runs a statement; returns undefined if the time limit cancelled it. */
const withinTime = <Result>(run: () => Promise<Result>): Promise<Result | undefined> =>
  run().catch((error: unknown) => {
    if (!isCancelled(error)) throw error;
    return undefined;
  });

/** Finds the rows of all texts. The result is incomplete after a time limit, or if a text finds too many rows. */
async function findRows(
  { readModels, viewer, commonWordsOf, isExport = false }: ActivitySearch,
  texts: readonly Text[],
  partitions: readonly SearchedPartition[],
): Promise<{ rows: FoundRow[]; isComplete: boolean }> {
  const found = new Map(texts.map(({ place }) => [place, new Map<string, FoundRow>()]));
  let isComplete = true;
  const numberOf = ({ place }: Pick<Text, 'place'>) => found.get(place)?.size ?? 0;
  const unfinished = () => texts.filter((text) => numberOf(text) <= ROWS_MAX);
  const run = async (build: (tables: Tables) => Sql) => {
    const limited = await withinTime(() => readModels.read<FoundRow>({}, build, { timeLimitMs: limitOf(isExport) }));
    if (limited === undefined) isComplete = false;
    for (const row of limited?.rows ?? []) found.get(row.place)?.set(`${row.type} ${row.parentId} ${row.id}`, row);
  };

  const limits = { rowsPerSet: ROWS_MAX + 1, rowsPerClass: ROWS_MAX + 1 };
  // Search the rows without entries first: if the entry of a row is written between the statements, a later statement
  // finds the row.
  await run((tables) => unindexedRows(tables, viewer, texts));
  const rowsToSearch = { mayRead: mayRead(viewer), partitions, commonWordsOf, ...limits };
  for (const text of texts) {
    const search = (classes: readonly SearchClass[]) =>
      run((tables) => indexedRows(tables, text, classes, rowsToSearch));
    const numberBefore = numberOf(text);
    await search(wholeCode(text));
    // If the text is a code, do not search longer codes that begin with it: there may be thousands.
    if (numberOf(text) === numberBefore && isIndexed(text.text)) await search([beginningWith(text.text)]);
    await search(ofLabel(text));
  }

  const scan = async (table: Table, matching: (tables: Tables, slice: Sql) => Sql) => {
    const until = isExport ? Number.POSITIVE_INFINITY : performance.now() + SCAN_LIMIT_MS;
    const size = await readModels.read<{ pages: number }>({}, (tables) => sizeOf(tables.current(table)));
    for (let to = size.one().pages; to > 0 && unfinished().length > 0; to -= SLICE_PAGES) {
      if (performance.now() > until) {
        isComplete = false;
        break;
      }
      const from = Math.max(0, to - SLICE_PAGES);
      await run((tables) => matching(tables, slice(tables.current(table), from, to)));
    }
  };
  for (const [table, matching] of entriesOf(SCANNED))
    await scan(table, (tables, part) => matching(tables, viewer, part, unfinished()));
  const instances = [...found.values()].flatMap((rows) =>
    [...rows.values()].filter(({ type }) => type === 'instances'),
  );
  if (instances.length > 0)
    for (const table of SCANNED_FOR_ROWS)
      await scan(table, (tables, part) => matchingValues(tables, viewer, part, instances));
  if (unfinished().length < texts.length) isComplete = false;
  return { rows: [...found.values()].flatMap((rows) => [...rows.values()].slice(0, ROWS_MAX)), isComplete };
}

const entriesOf = <Key extends string, Value>(record: Record<Key, Value>) => Object.entries(record) as [Key, Value][];

const sizeOf = (table: Sql): Sql =>
  rawSql(`SELECT (pg_relation_size('${textOf(table)}'::regclass) / current_setting('block_size')::int)::int AS pages`);

/** The rows on a range of pages of a table. New rows are mostly at the end of the table. */
const slice = (table: Sql, from: number, to: number): Sql =>
  sql`SELECT t.* FROM ${table} t WHERE t.ctid >= ${rawSql(`'(${from},0)'::tid`)} AND t.ctid < ${rawSql(`'(${to},0)'::tid`)}`;

/**
 * The query for the activities that created any version of these rows, by text. Missing mappings have no versions:
 * their activities are found by the ids in the audit log.
 */
const activitiesOf = (tables: Tables, rows: readonly FoundRow[]): Sql => {
  const versionsIn = (table: Table, type: string, parent: Sql) =>
    sql`SELECT f.place, v.valid_from AS seq FROM found f JOIN ${tables.current(table)} v
      ON f.type = ${type}::text AND ${parent} = f."parentId" AND v.id = f.id`;
  const versions = [
    versionsIn('instances', 'instances', sql`v.data_set_id`),
    versionsIn('instances_history', 'instances', sql`v.data_set_id`),
    versionsIn('crosswalk_mapping_values', 'mappings', sql`v.crosswalk_id`),
    versionsIn('crosswalk_mapping_values_history', 'mappings', sql`v.crosswalk_id`),
    versionsIn('relationship_values', 'relationshipValues', sql`v.relationship_id`),
    versionsIn('relationship_values_history', 'relationshipValues', sql`v.relationship_id`),
    sql`SELECT f.place, e.seq FROM ${tables('audit_logs')} e, unnest(e.record_ids) r (id), found f
      WHERE e.entity_type = 'missingMappings' AND e.entity_id IN (SELECT m."parentId" FROM found m WHERE m.type = 'missingMappings')
        AND f.type = 'missingMappings' AND f."parentId" = e.entity_id AND f.id = r.id`,
  ];
  return sql`
    WITH found AS MATERIALIZED (SELECT * FROM ${foundRows(rows)}),
    seqs AS MATERIALIZED (${join(versions, ' UNION ')}),
    changed AS MATERIALIZED (
      SELECT DISTINCT s.place, e.job_id, CASE WHEN e.job_id IS NULL THEN e.causation_id END AS key
      FROM seqs s JOIN ${tables('audit_logs')} e ON e.seq = s.seq)
    SELECT w.place, ARRAY(SELECT id FROM ${tables('audit_activities')} WHERE key IN (SELECT c.key FROM changed c WHERE c.place = w.place)
      UNION SELECT id FROM ${tables('audit_activities')} WHERE job_id IN (SELECT c.job_id FROM changed c WHERE c.place = w.place)
      ORDER BY id DESC LIMIT ${numberLiteral(ACTIVITIES_MAX + 1)}) AS activities
    FROM (SELECT DISTINCT place FROM found) w`;
};

/** Condition: an activity contains all words of the text, has a matching user or entity, or is in `activities`. */
function matchesText(row: TextRow, activities: readonly number[]): Sql {
  const { users, subjects } = row;
  const contains = (text: Sql) => containsAll(row, wholeFolded(text));
  return any([
    sql`a.id = ANY(${[...activities]}::bigint[])`,
    sql`a.actor_id = ANY(${users}::bigint[])`,
    sql`a.user_ids && ${users}::bigint[]`,
    sql`a.subjects && ${subjects}::text[]`,
    contains(sql`a.comment`),
    contains(sql`a.verb`),
    contains(sql`k.name`),
    contains(sql`(jsonb_path_query_array(a.facts, '$[*].data.name')::text)`),
  ]);
}

export interface ActivitySearch {
  readModels: ReadModels;
  viewer: Viewer;
  commonWordsOf: RowsToSearch['commonWordsOf'];
  /** Whether scans read whole tables without a time limit: an export must be complete. */
  isExport?: boolean;
}

export interface SearchCondition {
  /** The condition on activities `a` with their API keys `k`. */
  condition: Sql;
  /** False if the search was cut short, so that more activities may match. */
  isComplete: boolean;
}

/** Returns the condition of a search: an activity matches every word, or the whole text. */
export async function searchCondition(
  search: ActivitySearch,
  readRequest: ReadRequest,
  q: string | undefined,
): Promise<SearchCondition> {
  const { readModels, viewer } = search;
  const whole = q?.trim().normalize('NFC');
  if (!whole) return { condition: sql`true`, isComplete: true };
  const split = whole.split(/\s+/);
  const searchedTexts = split.length > 1 && split.length <= WORDS_MAX ? [whole, ...split] : [whole];
  const prepared = await readModels.read<{ texts: Omit<Text, 'isCode'>[]; partitions: SearchedPartition[] }>(
    readRequest,
    (tables) => preparation(tables, viewer, searchedTexts),
  );
  const { texts: foldedTexts, partitions } = prepared.one();
  const texts = foldedTexts.map((text) => ({
    ...text,
    isCode: searchedTexts.length === 1 && text.words.every(mayBeCode),
  }));
  const { rows: usersAndSubjects } = await readModels.read<Omit<TextRow, keyof Text> & { place: number }>(
    readRequest,
    (tables) => usersAndEntitiesNamed(tables, texts),
  );
  const { rows, isComplete: hasAllRows } = await findRows(search, texts, partitions);
  const limited = await withinTime(() =>
    readModels.read<{ place: number; activities: number[] }>(readRequest, (tables) => activitiesOf(tables, rows), {
      timeLimitMs: limitOf(search.isExport ?? false),
    }),
  );
  const activities = new Map(limited?.rows.map((row) => [row.place, row.activities]));
  const isCut = [...activities.values()].some((ids) => ids.length > ACTIVITIES_MAX);
  const conditions = texts.map((text, index) =>
    matchesText({ ...text, users: [], subjects: [], ...usersAndSubjects[index] }, activities.get(text.place) ?? []),
  );
  const [first = sql`true`, ...others] = conditions;
  return {
    condition: others.length === 0 ? first : any([first, all(others)]),
    isComplete: hasAllRows && limited !== undefined && !isCut,
  };
}
