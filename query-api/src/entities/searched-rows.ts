/**
 * SQL that finds rows by code and label, for the command palette and the audit log (decision 71). A class is a kind of
 * match, such as a range of codes. The SQL reads only data sets that the viewer may read.
 */
import { foldText } from '@rdm/contracts';
import {
  LABEL_PART_CHARACTERS,
  type Log,
  labelParts,
  type Pool,
  type SearchedFields,
  searchedCode,
  searchedLabel,
} from '@rdm/platform';
import { displayedKey } from '../access/row-keys.ts';
import { openCommonWords } from '../list/common-words.ts';
import type { CommonWords } from '../list/filter/common-words.ts';
import type { Tables } from '../read-models/read-models.ts';
import { all, join, numberLiteral, rawSql, type Sql, sql } from '../read-models/sql.ts';
import { cellText } from './cells.ts';
import { contains } from './fold-text.ts';

/** A data set with its own partition, whose rows are found by indexes of the partition. */
export type SearchedPartition = SearchedFields & { id: number };

/** Selects the searchable data sets with their own partition. `readable` selects the ids of readable data sets. */
export const searchedPartitions = (tables: Tables, readable: Sql): Sql => sql`
  (SELECT coalesce(json_agg(json_build_object('id', s.data_set_id, 'keyFieldIds', s.key_field_ids,
      'labelFieldId', s.label_field_id) ORDER BY s.data_set_id), '[]')
    FROM ${tables.current('search_sets')} s WHERE s.is_partition AND s.data_set_id IN (${readable}))`;

/** SQL for the texts of a row that a class compares. `label` is undefined if the data set has no label field. */
interface Texts {
  code: Sql;
  label: Sql | undefined;
  /** Condition: the label has the indexed parts of these words. None of the words may be shorter than a part. */
  hasParts?: (words: readonly string[]) => Sql;
  common: CommonWords;
}

export interface SearchClass {
  /** The condition for a row; undefined if the class needs a label and the data set has no label field. */
  condition(texts: Texts): Sql | undefined;
  /** The text whose index returns the rows in order, so that only the first rows are read. */
  orderedBy?: 'code' | 'label';
}

/** The last character in code point order: `beginning + LAST_CHARACTER` sorts after all texts with this beginning. */
export const LAST_CHARACTER = '\u{10ffff}';

/**
 * The class of texts in a range. PostgreSQL plans a range in index order the same way for frequent and rare values. For
 * LIKE and equality, the plan depends on the value.
 */
export const between = (orderedBy: 'code' | 'label', first: string, last: string): SearchClass => ({
  orderedBy,
  condition: ({ [orderedBy]: text }) => text && sql`(${text} >= ${first} AND ${text} <= ${last})`,
});

/** Whether a word is long enough for indexes of parts, which have no entries for shorter words. */
export const isIndexed = (word: string): boolean => [...word].length >= LABEL_PART_CHARACTERS;

/** The class of labels that contain each word. At least one word must be indexed. */
export const withWords = (words: readonly string[]): SearchClass => ({
  condition: (texts) => containsEachWord(texts, words),
});

/**
 * Condition: the label contains each word. Common words do not use the index, because their lists of rows are long
 * (decision 48). If all indexed words are common, all words use the index.
 */
function containsEachWord({ label, hasParts, common }: Texts, words: readonly string[]): Sql | undefined {
  if (label === undefined) return undefined;
  if (hasParts) return all([hasParts(words.filter(isIndexed)), ...words.map((word) => contains(label, word))]);
  const foldedCommon = new Set([...common].map(foldText));
  const useIndex = words.filter((word) => isIndexed(word) && !foldedCommon.has(word));
  const indexed = useIndex.length > 0 ? useIndex : words;
  return all(words.map((word) => contains(indexed.includes(word) ? label : sql`(${label} || '')`, word)));
}

export interface SearchedRow {
  dataSetId: number;
  dataSetName: string;
  instanceId: number;
  code: string;
  label: string | null;
}

/** Creates a function that returns the common words of the labels of a data set with its own partition. */
export function openLabelWords(pool: Pool, log: Log): (partition: SearchedPartition) => CommonWords {
  const commonWords = openCommonWords(pool, log);
  return ({ id, labelFieldId }) =>
    labelFieldId === null
      ? new Set<string>()
      : commonWords({ id, fields: [{ fieldId: labelFieldId, dataType: 'string' }] }, labelFieldId);
}

export interface RowsToSearch {
  /** Condition: the viewer may read the data set `d`. */
  mayRead: Sql;
  partitions: readonly SearchedPartition[];
  /** Returns the common words of the labels of a partition. */
  commonWordsOf: (partition: SearchedPartition) => CommonWords;
  /** The maximum number of rows that a class returns from one data set. */
  rowsPerSet: number;
  /** The maximum number of rows that a class returns from all data sets. */
  rowsPerClass: number;
}

/** The query for the rows of a class, as SearchedRow. */
export const rowsOfClass = (tables: Tables, searched: SearchClass, rows: RowsToSearch): Sql =>
  unionOf(tables, searched, rows, {
    columns: (label) =>
      sql`d.id AS "dataSetId", d.name AS "dataSetName", i.id AS "instanceId", ${displayedKey(sql`i.key`)} AS code, ${label} AS label`,
    ofEntries: (entries) =>
      sql`${entries} JOIN ${tables.current('instances')} i ON i.data_set_id = d.id AND i.id = e.id AND NOT i.deleted`,
  });

/** The query for the ids of the rows of a class. A row may have changed or been deleted since the entry was written. */
export const idsOfClass = (tables: Tables, searched: SearchClass, rows: RowsToSearch): Sql =>
  unionOf(tables, searched, rows, {
    columns: () => sql`d.id AS "dataSetId", i.id AS "instanceId"`,
    ofEntries: (entries) => sql`${entries} CROSS JOIN LATERAL (SELECT e.id) i`,
  });

/** The columns that are selected from the rows `i` of a data set `d`, and the SQL that turns entries `e` into rows. */
interface RowSelection {
  columns: (label: Sql) => Sql;
  ofEntries: (entries: Sql) => Sql;
}

function unionOf(tables: Tables, searched: SearchClass, rows: RowsToSearch, selection: RowSelection): Sql {
  const parts = [
    rowsByEntries(tables, searched, rows, selection),
    ...rows.partitions.flatMap((partition) => rowsOfPartition(tables, searched, rows, partition, selection) ?? []),
  ].map((part) => sql`(${part})`);
  return sql`SELECT * FROM (${join(parts, ' UNION ALL ')}) rows LIMIT ${numberLiteral(rows.rowsPerClass)}`;
}

/**
 * The first rows of a data set. Without an order, OFFSET 0 hides the limit from the planner, which would otherwise
 * expect enough matches soon, and read all rows one by one.
 */
const firstRows = (rows: Sql, order: Sql | undefined, limit: number): Sql =>
  order
    ? sql`${rows} ORDER BY ${order} LIMIT ${numberLiteral(limit)}`
    : sql`SELECT * FROM (${rows} OFFSET 0) matches LIMIT ${numberLiteral(limit)}`;

/** The query for rows in the shared table. Reads entries by data set, so that unreadable data sets cost no time. */
function rowsByEntries(
  tables: Tables,
  searched: SearchClass,
  { mayRead, rowsPerSet }: RowsToSearch,
  { columns, ofEntries }: RowSelection,
): Sql {
  const code = sql`(e.code COLLATE "C")`;
  const label = sql`(e.label COLLATE "C")`;
  const partsOf = (word: string) =>
    sql`(SELECT ${rawSql(labelParts('d.id', 'wanted.word'))} FROM (SELECT ${word}::text AS word) wanted)`;
  const hasParts = (words: readonly string[]) => all(words.map((word) => sql`e.parts @> ${partsOf(word)}`));
  const condition = searched.condition({ code, label, hasParts, common: new Set() }) ?? sql`false`;
  const order = searched.orderedBy && { code, label }[searched.orderedBy];
  // The parts include the id of the data set. `+ 0` prevents the planner from using the index on this id alone.
  const ofDataSet = order ? sql`e.data_set_id = d.id` : sql`e.data_set_id + 0 = d.id`;
  const entries = sql`SELECT e.id FROM ${tables.current('search_entries')} e WHERE ${ofDataSet} AND ${condition}`;
  const matches = sql`${tables.current('reference_data_sets')} d
    JOIN ${tables.current('search_sets')} s ON s.data_set_id = d.id AND NOT s.is_partition
    CROSS JOIN LATERAL (${firstRows(entries, order, rowsPerSet)}) e`;
  return sql`SELECT ${columns(sql`i.data ->> s.label_field_id::text`)} FROM ${ofEntries(matches)} WHERE ${mayRead}`;
}

/** The query for rows of a data set with its own partition; undefined if the class cannot match. */
function rowsOfPartition(
  tables: Tables,
  searched: SearchClass,
  { mayRead, commonWordsOf, rowsPerSet }: RowsToSearch,
  partition: SearchedPartition,
  { columns }: RowSelection,
): Sql | undefined {
  const { id, labelFieldId } = partition;
  const code = rawSql(searchedCode('i.data', partition));
  const label = labelFieldId === null ? undefined : rawSql(searchedLabel('i.data', partition));
  const condition = searched.condition({ code, label, common: commonWordsOf(partition) });
  if (condition === undefined) return undefined;
  const order = searched.orderedBy && { code, label }[searched.orderedBy];
  // The id is a literal, so that the planner knows the partition.
  const rows = sql`SELECT i.id, i.key, i.data FROM ${tables.current('instances')} i
    WHERE i.data_set_id = ${numberLiteral(id)} AND i.data_set_id = d.id AND NOT i.deleted AND ${condition}`;
  return sql`SELECT ${columns(cellText(sql`i.data`, labelFieldId))}
    FROM ${tables.current('reference_data_sets')} d
    CROSS JOIN LATERAL (${firstRows(rows, order, rowsPerSet)}) i
    WHERE d.id = ${numberLiteral(id)} AND ${mayRead}`;
}
