/**
 * Exports of a comparison: for each listed target value and each source data set, one row per served mapping to the
 * target value, or one row without a source value if there is none.
 */
import { type ComparedCell, Refusal } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { BomQuery, csv, download, type Format, filesOf, json, type WorkbookFormat } from '../http/download.ts';
import type { QueryContext } from '../query-context.ts';
import type { RunQuery } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { ComparisonQuery, type ComparisonScope, comparisonQueries, findComparison } from './comparison.ts';
import { type LabelledRow, labelledRows } from './crosswalk-rows.ts';

const FORMATS = ['csv', 'xlsx', 'json'] as const;
const ExportQuery = ComparisonQuery.extend({
  ...BomQuery,
  format: z
    .enum(FORMATS, { error: `A comparison is exported as ${FORMATS.join(', ')}` })
    .default('csv')
    .describe('The format of the file.'),
});

interface ExportedRow {
  targetValue: string;
  targetLabel: string | null;
  sourceSystem: string;
  crosswalk: string | null;
  sourceValue: string | null;
  sourceLabel: string | null;
  state: ComparedCell['state'];
  /** Other target values to which this source data set maps the same source value. */
  conflictsWith: string[];
}
/** A row with the id of its crosswalk. `withSourceLabels` adds `crosswalk` and `sourceLabel`. */
type ExportedCell = ExportedRow & { crosswalkId: number | null };

const COLUMNS = [
  'targetValue',
  'targetLabel',
  'sourceSystem',
  'crosswalk',
  'sourceValue',
  'sourceLabel',
  'state',
  'conflictsWith',
] as const satisfies (keyof ExportedRow)[];

const toExportedRow = (row: ExportedCell): ExportedRow =>
  Object.fromEntries(COLUMNS.map((column) => [column, row[column]])) as unknown as ExportedRow;
const cells = (row: ExportedCell) =>
  COLUMNS.map((column) => (column === 'conflictsWith' ? row.conflictsWith.join('; ') : row[column]));
const FORMAT: Record<(typeof FORMATS)[number], Format<ExportedCell> | WorkbookFormat<ExportedCell>> = {
  csv: csv(COLUMNS, cells),
  xlsx: { columns: COLUMNS.map((name) => ({ name, dataType: 'string' })), cells },
  json: json(toExportedRow),
};

/** The query for every listed target value with every source data set, in the order of the page. */
const rowsOf = (listed: Sql, { systems }: ComparisonScope): Sql => sql`WITH ${listed},
    others AS MATERIALIZED (SELECT data_set_id, source_value, array_agg(served_target ORDER BY served_target) AS targets
      FROM ambiguous GROUP BY 1, 2)
  SELECT listed.value AS "targetValue", listed.label AS "targetLabel", system.name AS "sourceSystem",
      p.crosswalk_id AS "crosswalkId", p.source_value AS "sourceValue",
      CASE WHEN p.id IS NULL THEN 'absent' WHEN o.targets IS NULL THEN 'agree' ELSE 'conflict' END AS state,
      coalesce(array_remove(o.targets, p.served_target), '{}') AS "conflictsWith"
    FROM listed
    CROSS JOIN unnest(${systems.map(({ dataSetId }) => dataSetId)}::bigint[], ${systems.map(({ name }) => name)}::text[])
      WITH ORDINALITY system (data_set_id, name, place)
    LEFT JOIN pairs p ON p.served_target = listed.value AND p.data_set_id = system.data_set_id
    LEFT JOIN others o ON o.data_set_id = p.data_set_id AND o.source_value = p.source_value
    ORDER BY listed.place, system.place, p.source_value, p.id`;

/**
 * Adds the crosswalk's name and the source label to each row. The state `agree` becomes `broken` if the source data set
 * does not have the source value.
 */
async function withSourceLabels(
  runQuery: RunQuery,
  { crosswalks }: ComparisonScope,
  rows: ExportedCell[],
): Promise<ExportedCell[]> {
  const labels = new Map<number, Map<string, string | null>>();
  for (const { id, source } of crosswalks) {
    const values = rows.flatMap(({ crosswalkId, sourceValue }) =>
      crosswalkId === id && sourceValue !== null ? [sourceValue] : [],
    );
    if (values.length === 0) continue;
    const labelled = await runQuery<LabelledRow>((tables) => labelledRows(tables, source, [...new Set(values)]));
    labels.set(id, new Map(labelled.map(({ value, label }) => [value, label])));
  }
  const names = new Map(crosswalks.map(({ id, name }) => [id, name]));
  return rows.map((row) => {
    const sourceLabels = labels.get(row.crosswalkId ?? 0);
    const isBroken = row.state === 'agree' && sourceLabels?.has(row.sourceValue ?? '') !== true;
    return {
      ...row,
      crosswalk: names.get(row.crosswalkId ?? 0) ?? null,
      sourceLabel: sourceLabels?.get(row.sourceValue ?? '') ?? null,
      state: isBroken ? 'broken' : row.state,
    };
  });
}

export const comparisonExportRoutes = (context: QueryContext): Route[] => [
  route(
    'get',
    '/api/crosswalk/comparison/:targetDatasetId/export',
    { level: 'READ' },
    {
      summary: 'Download the comparison of the systems that are mapped to one data set',
      errors: ['TOO_LARGE'],
      answers: filesOf(
        'text/csv',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        'application/json',
      ),
      query: ExportQuery,
    },
    async (request) => {
      const { readModels } = context;
      const find = (viewer: Viewer) => findComparison(readModels, request, viewer, idParam(request, 'targetDatasetId'));
      const compared = await find(viewerOf(request));
      const { target, targetField, crosswalks, systems, found } = compared;
      /** Refuses if a crosswalk of the file is no longer served, or the viewer may no longer read its data sets. */
      const recheck = async (viewer: Viewer) => {
        const readableIds = new Set((await find(viewer)).crosswalks.map(({ id }) => id));
        if (crosswalks.some(({ id }) => !readableIds.has(id))) throw new Refusal('NOT_FOUND', 'Not found');
      };
      const rows =
        targetField === undefined
          ? emptyBatch(found)
          : readModels.stream<ExportedCell>(
              request,
              (tables) => rowsOf(comparisonQueries(tables, request, targetField, crosswalks, systems), compared),
              (read, runQuery) => withSourceLabels(runQuery, compared, read),
            );
      const name = `Comparison ${target.name}`;
      return download(
        context,
        request,
        { name, format: FORMAT[request.query.format], bom: request.query.bom, recheck },
        rows,
      );
    },
  ),
];

/** Yields one batch without rows, for a file without rows. */
async function* emptyBatch({ position, isBehind }: ComparisonScope['found']) {
  yield { rows: [], position, isBehind };
}
