/**
 * Finds rows by code and label in classes, the best first: later classes are skipped once the answer is full. Each statement
 * has a time limit. The grants of the viewer are in the condition of every row, and no row of another data set is read.
 */
import { type FoundCode, foldText, SEARCH_RESULTS_MAX } from '@rdm/contracts';
import { LABEL_PART_CHARACTERS, labelParts, type SearchedFields, searchedCode, searchedLabel } from '@rdm/platform';
import { displayedKey } from '../access/row-keys.ts';
import type { Viewer } from '../access/viewer.ts';
import { cellText } from '../entities/cells.ts';
import type { CommonWords } from '../list/filter/common-words.ts';
import type { ReadModels, Tables } from '../read-models/read-models.ts';
import { all, join, numberLiteral, rawSql, type Sql, sql } from '../read-models/sql.ts';
import { isCancelled } from '../read-models/statements.ts';
import { contains, type FoldedQuery } from './fold-text.ts';

/** A large data set, whose rows have indexes of their own. */
export type SearchedPartition = SearchedFields & { id: number };

/** The texts of a row that a class compares; a data set may have no label. */
interface Texts {
  code: Sql;
  label: Sql | undefined;
  /** Condition: the label has the parts of these words, none of which is shorter than a part. */
  hasParts?: (words: readonly string[]) => Sql;
  common: CommonWords;
}

interface SearchClass {
  /** Undefined if rows without a label cannot match. */
  condition(texts: Texts): Sql | undefined;
  /** The text by whose order an index finds the first rows. */
  orderedBy?: 'code' | 'label';
  /** Rows with a short code come first, not those with a short label. */
  isShortCodeFirst?: boolean;
}

/** Sorts after every text that begins with the same characters. */
const LAST_CHARACTER = '\u{10ffff}';

/**
 * A class of texts in a range. A range in the order of its index has one good plan, whatever the values are and however often
 * they occur: LIKE and equality have not.
 */
const between = (orderedBy: 'code' | 'label', first: string, last: string): SearchClass => ({
  orderedBy,
  condition: ({ [orderedBy]: text }) => text && sql`(${text} >= ${first} AND ${text} <= ${last})`,
});

const PREFIX_LIMIT_MS = 50;
const CONTAINS_LIMIT_MS = 120;
/** Rows of one data set, and of all, that a class returns at most. */
const ROWS_PER_SET = 20;
const ROWS_PER_CLASS = 200;

/** Indexes of parts have no entries for shorter words. */
const isIndexed = (word: string): boolean => [...word].length >= LABEL_PART_CHARACTERS;

/** Condition: the label contains each word. Common words do not use the index: their lists of rows are long (decision 48). */
function containsEachWord({ label, hasParts, common }: Texts, words: readonly string[]): Sql | undefined {
  if (label === undefined) return undefined;
  if (hasParts) return all([hasParts(words.filter(isIndexed)), ...words.map((word) => contains(label, word))]);
  const foldedCommon = new Set([...common].map(foldText));
  const useIndex = words.filter((word) => isIndexed(word) && !foldedCommon.has(word));
  const indexed = useIndex.length > 0 ? useIndex : words;
  return all(words.map((word) => contains(indexed.includes(word) ? label : sql`(${label} || '')`, word)));
}

/** Classes that one statement searches, with its time limit. */
interface SearchStep {
  timeLimitMs: number;
  classes: readonly SearchClass[];
}

function stepsOf({ text, words }: FoldedQuery): SearchStep[] {
  const steps: SearchStep[] = [
    {
      timeLimitMs: PREFIX_LIMIT_MS,
      classes: [between('code', text, text), between('label', text, text)],
    },
    {
      timeLimitMs: PREFIX_LIMIT_MS,
      classes: [
        { ...between('code', text, text + LAST_CHARACTER), isShortCodeFirst: true },
        between('label', text, text + LAST_CHARACTER),
      ],
    },
  ];
  // A label that contains the whole text contains its words too: one class finds both.
  if (words.some(isIndexed))
    steps.push({
      timeLimitMs: CONTAINS_LIMIT_MS,
      classes: [{ condition: (texts) => containsEachWord(texts, words) }],
    });
  return steps;
}

interface FoundRow {
  /** The number of its class in the step. */
  class: number;
  dataSetId: number;
  dataSetName: string;
  instanceId: number;
  code: string;
  label: string | null;
}

const columnsOf = (label: Sql): Sql =>
  sql`d.id AS "dataSetId", d.name AS "dataSetName", i.id AS "instanceId", ${displayedKey(sql`i.key`)} AS code, ${label} AS label`;

/**
 * The first rows of a data set. Without an order, OFFSET 0 hides the limit from the planner: it would expect matches so soon
 * that it reads all rows one by one.
 */
const firstRows = (rows: Sql, order: Sql | undefined): Sql =>
  order
    ? sql`${rows} ORDER BY ${order} LIMIT ${numberLiteral(ROWS_PER_SET)}`
    : sql`SELECT * FROM (${rows} OFFSET 0) matches LIMIT ${numberLiteral(ROWS_PER_SET)}`;

/** Rows of the data sets in the shared table: their entries are read by data set, so that others cost no time. */
function rowsByEntries(tables: Tables, viewer: Viewer, searched: SearchClass): Sql {
  const code = sql`(e.code COLLATE "C")`;
  const label = sql`(e.label COLLATE "C")`;
  const partsOf = (word: string) =>
    sql`(SELECT ${rawSql(labelParts('d.id', 'wanted.word'))} FROM (SELECT ${word}::text AS word) wanted)`;
  const hasParts = (words: readonly string[]) => all(words.map((word) => sql`e.parts @> ${partsOf(word)}`));
  const condition = searched.condition({ code, label, hasParts, common: new Set() }) ?? sql`false`;
  const order = searched.orderedBy && { code, label }[searched.orderedBy];
  // Parts are those of one data set: by its id, the planner would find all its entries instead.
  const ofDataSet = order ? sql`e.data_set_id = d.id` : sql`e.data_set_id + 0 = d.id`;
  const entries = sql`SELECT e.id FROM ${tables('search_entries')} e WHERE ${ofDataSet} AND ${condition}`;
  return sql`SELECT ${columnsOf(sql`i.data ->> s.label_field_id::text`)}
    FROM ${tables('reference_data_sets')} d
    JOIN ${tables('search_sets')} s ON s.data_set_id = d.id AND NOT s.is_partition
    CROSS JOIN LATERAL (${firstRows(entries, order)}) e
    JOIN ${tables('instances')} i ON i.data_set_id = d.id AND i.id = e.id AND NOT i.deleted
    WHERE ${viewer.mayReadDataSet(sql`d.id`, sql`d.created_by`)}`;
}

/** Rows of a data set with its own partition; undefined if the class cannot match any. */
function rowsOfPartition(
  tables: Tables,
  viewer: Viewer,
  searched: SearchClass,
  partition: SearchedPartition,
  commonOf: (partition: SearchedPartition) => CommonWords,
): Sql | undefined {
  const { id, labelFieldId } = partition;
  const code = rawSql(searchedCode('i.data', partition));
  const label = labelFieldId === null ? undefined : rawSql(searchedLabel('i.data', partition));
  const condition = searched.condition({ code, label, common: commonOf(partition) });
  if (condition === undefined) return undefined;
  const order = searched.orderedBy && { code, label }[searched.orderedBy];
  // A literal: the planner then knows the partition.
  const rows = sql`SELECT i.id, i.key, i.data FROM ${tables('instances')} i
    WHERE i.data_set_id = ${numberLiteral(id)} AND i.data_set_id = d.id AND NOT i.deleted AND ${condition}`;
  return sql`SELECT ${columnsOf(cellText(sql`i.data`, labelFieldId))}
    FROM ${tables('reference_data_sets')} d
    CROSS JOIN LATERAL (${firstRows(rows, order)}) i
    WHERE d.id = ${numberLiteral(id)} AND ${viewer.mayReadDataSet(sql`d.id`, sql`d.created_by`)}`;
}

export interface RowSearch {
  readModels: ReadModels;
  viewer: Viewer;
  q: FoldedQuery;
  recent: readonly number[];
  partitions: readonly SearchedPartition[];
  commonOf: (partition: SearchedPartition) => CommonWords;
}

/** The best rows; `isComplete` is false if a step ran out of time. */
export async function searchRows(search: RowSearch): Promise<{ codes: FoundCode[]; isComplete: boolean }> {
  const { readModels, viewer, q, recent, partitions, commonOf } = search;
  const found = new Map<string, FoundCode>();
  let isComplete = true;

  const rowsOfClass = (tables: Tables, searched: SearchClass, place: number): Sql => {
    const parts = [
      rowsByEntries(tables, viewer, searched),
      ...partitions.flatMap((partition) => rowsOfPartition(tables, viewer, searched, partition, commonOf) ?? []),
    ].map((part) => sql`(${part})`);
    return sql`(SELECT ${numberLiteral(place)} AS class, rows.* FROM (${join(parts, ' UNION ALL ')}) rows
      LIMIT ${numberLiteral(ROWS_PER_CLASS)})`;
  };
  for (const { classes, timeLimitMs } of stepsOf(q)) {
    if (found.size >= SEARCH_RESULTS_MAX) break;
    const build = (tables: Tables) =>
      join(
        classes.map((searched, place) => rowsOfClass(tables, searched, place)),
        ' UNION ALL ',
      );
    const rows = await readModels
      .read<FoundRow>({}, build, { isFrequent: true, timeLimitMs })
      .catch((error: unknown) => {
        if (!isCancelled(error)) throw error;
        return undefined;
      });
    if (rows === undefined) isComplete = false;
    else
      classes.forEach((searched, place) => {
        merge(
          found,
          rows.rows.filter((row) => row.class === place),
          searched,
          recent,
        );
      });
  }
  return { codes: [...found.values()].slice(0, SEARCH_RESULTS_MAX), isComplete };
}

/** Adds the rows of a class: equal ones of several data sets become one result. */
function merge(
  found: Map<string, FoundCode>,
  rows: readonly FoundRow[],
  { isShortCodeFirst }: SearchClass,
  recent: readonly number[],
): void {
  const place = (dataSetId: number) => (recent.includes(dataSetId) ? recent.indexOf(dataSetId) : recent.length);
  const length = ({ code, label }: FoundRow) => (isShortCodeFirst ? code : (label ?? code)).length;
  const sorted = [...rows].sort(
    (a, b) =>
      place(a.dataSetId) - place(b.dataSetId) ||
      length(a) - length(b) ||
      compareTexts(a.code, b.code) ||
      compareTexts(a.dataSetName, b.dataSetName) ||
      a.dataSetId - b.dataSetId,
  );
  for (const { code, label, dataSetId, dataSetName, instanceId } of sorted) {
    const key = JSON.stringify([code, label]);
    const known = found.get(key) ?? { code, label, places: [] };
    found.set(key, known);
    if (!known.places.some((each) => each.dataSetId === dataSetId && each.instanceId === instanceId))
      known.places.push({ dataSetId, dataSetName, instanceId });
  }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
