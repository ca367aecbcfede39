/**
 * Finds rows by code and label, in steps from the best to the worst matches. Each step is one statement with a time
 * limit. A full answer skips the next steps.
 */
import { type FoundCode, SEARCH_RESULTS_MAX } from '@rdm/contracts';
import type { Viewer } from '../access/viewer.ts';
import type { FoldedQuery } from '../entities/fold-text.ts';
import {
  between,
  isIndexed,
  LAST_CHARACTER,
  rowsOfClass,
  type SearchClass,
  type SearchedPartition,
  type SearchedRow,
  withWords,
} from '../entities/searched-rows.ts';
import type { CommonWords } from '../list/filter/common-words.ts';
import type { ReadModels, Tables } from '../read-models/read-models.ts';
import { join, numberLiteral, type Sql, sql } from '../read-models/sql.ts';
import { isCancelled } from '../read-models/statements.ts';

/** A class of matches. Rows of recently opened data sets come first, then rows with short labels. */
interface RankedClass extends SearchClass {
  /** Compares the lengths of codes instead of labels. */
  isShortCodeFirst?: boolean;
}

const PREFIX_LIMIT_MS = 50;
const CONTAINS_LIMIT_MS = 120;
/** Maximum number of rows that a class returns: of one data set, and of all data sets together. */
const ROWS_PER_SET = 20;
const ROWS_PER_CLASS = 200;

/** The classes that one statement searches, and its time limit. */
interface SearchStep {
  timeLimitMs: number;
  classes: readonly RankedClass[];
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
      classes: [withWords(words)],
    });
  return steps;
}

/** A row with the number of its class in the step. */
type FoundRow = SearchedRow & { class: number };

export interface RowSearch {
  readModels: ReadModels;
  viewer: Viewer;
  q: FoldedQuery;
  /** The ids of the data sets that the user opened last, the latest first. */
  recent: readonly number[];
  partitions: readonly SearchedPartition[];
  commonWordsOf: (partition: SearchedPartition) => CommonWords;
}

/** Returns the best rows; `isComplete` is false if a step ran out of time. */
export async function searchRows(search: RowSearch): Promise<{ codes: FoundCode[]; isComplete: boolean }> {
  const { readModels, viewer, q, recent, partitions, commonWordsOf } = search;
  const found = new Map<string, FoundCode>();
  let isComplete = true;

  const mayRead = viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`);
  const limits = { rowsPerSet: ROWS_PER_SET, rowsPerClass: ROWS_PER_CLASS };
  const numbered = (tables: Tables, searched: SearchClass, classNumber: number): Sql =>
    sql`(SELECT ${numberLiteral(classNumber)} AS class, found.*
      FROM (${rowsOfClass(tables, searched, { mayRead, partitions, commonWordsOf, ...limits })}) found)`;
  for (const { classes, timeLimitMs } of stepsOf(q)) {
    if (found.size >= SEARCH_RESULTS_MAX) break;
    const build = (tables: Tables) =>
      join(
        classes.map((searched, classNumber) => numbered(tables, searched, classNumber)),
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
      classes.forEach((searched, classNumber) => {
        merge(
          found,
          rows.rows.filter((row) => row.class === classNumber),
          searched,
          recent,
        );
      });
  }
  return { codes: [...found.values()].slice(0, SEARCH_RESULTS_MAX), isComplete };
}

/** Adds the rows of a class. Rows with the same code and label become one result with several places. */
function merge(
  found: Map<string, FoundCode>,
  rows: readonly FoundRow[],
  { isShortCodeFirst }: RankedClass,
  recent: readonly number[],
): void {
  const recentRank = (dataSetId: number) => (recent.includes(dataSetId) ? recent.indexOf(dataSetId) : recent.length);
  const length = ({ code, label }: FoundRow) => (isShortCodeFirst ? code : (label ?? code)).length;
  const sorted = [...rows].sort(
    (a, b) =>
      recentRank(a.dataSetId) - recentRank(b.dataSetId) ||
      length(a) - length(b) ||
      compareTexts(a.code, b.code) ||
      compareTexts(a.dataSetName, b.dataSetName) ||
      a.dataSetId - b.dataSetId,
  );
  for (const { code, label, dataSetId, dataSetName, instanceId } of sorted) {
    const key = JSON.stringify([code, label]);
    const result = found.get(key) ?? { code, label, places: [] };
    found.set(key, result);
    if (!result.places.some((each) => each.dataSetId === dataSetId && each.instanceId === instanceId))
      result.places.push({ dataSetId, dataSetName, instanceId });
  }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
