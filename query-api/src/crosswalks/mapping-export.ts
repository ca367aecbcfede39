/** Exports a crosswalk's mappings as CSV or JSON with the requested columns, or in an exchange format. */
import { MappingFormat, Refusal } from '@rdm/contracts';
import { conceptMap, type ExchangedMapping, sssom } from '@rdm/contracts/crosswalks/mapping-formats/index';
import { idParam, type Route, route } from '@rdm/platform';
import type { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import type { CrosswalkRecord, Side } from '../entities/crosswalks.ts';
import { BomQuery, csv, download, type Format, filesOf, json } from '../http/download.ts';
import { requestedFields } from '../http/requested-names.ts';
import { whereClause } from '../list/list.ts';
import type { QueryContext } from '../query-context.ts';
import type { RunQuery, Tables } from '../read-models/read-models.ts';
import { all, identifier, join, type Sql, sql } from '../read-models/sql.ts';
import { type LabelledRow, labelledRows } from './crosswalk-rows.ts';
import { findCrosswalk } from './crosswalks.ts';
import { hasMappings, MappingsQuery, mappingList, type StatusTab } from './mappings.ts';

const ExportQuery = MappingsQuery.extend({
  ...BomQuery,
  format: MappingFormat.default('csv').describe('The format of the file.'),
});
type ExportFilter = Omit<z.infer<typeof ExportQuery>, 'tab'> & { tab?: StatusTab | undefined };

const COLUMNS = [
  'id',
  'revision',
  'sourceValue',
  'targetValue',
  'confidence',
  'status',
  'servedValue',
  'servedConfidence',
  'deletionRequested',
  'createdBy',
  'submittedBy',
  'submittedAt',
  'approvedBy',
  'approvedAt',
  'rejectedBy',
  'rejectedAt',
  'rejectionReason',
] as const;
type Column = (typeof COLUMNS)[number];

/** The columns that exchange formats need, apart from the labels, which `withRowLabels` adds to each batch. */
const EXCHANGED_COLUMNS = ['sourceValue', 'targetValue', 'confidence', 'status', 'createdBy', 'approvedBy'] as const;

/** Selects the mappings of the list in a fixed order, so that repeated exports have the same order. */
function exportedMappings(
  tables: Tables,
  crosswalk: CrosswalkRecord,
  query: ExportFilter,
  columns: readonly Column[],
): Sql {
  const list = mappingList(tables, crosswalk, query.tab);
  const sqlByColumn: Partial<Record<string, Sql>> = {
    ...list.columns,
    servedValue: sql`m.served_target`,
    servedConfidence: sql`m.served_confidence`,
  };
  const selected = columns.map((name) => sql`${sqlByColumn[name] ?? sql`NULL`} AS ${identifier(name)}`);
  const where = all([list.where, whereClause(query, list) ?? sql`true`]);
  return sql`SELECT ${join(selected, ', ')} FROM ${list.from} WHERE ${where} ORDER BY m.source_value COLLATE "C", m.id`;
}

async function withRowLabels(
  runQuery: RunQuery,
  crosswalk: CrosswalkRecord,
  rows: ExchangedMapping[],
): Promise<ExchangedMapping[]> {
  if (rows.length === 0) return rows;
  const labels = async (side: Side, values: readonly string[]) => {
    const labelled = await runQuery<LabelledRow>((tables) => labelledRows(tables, side, [...new Set(values)]));
    return new Map(labelled.map(({ value, label }) => [value, label]));
  };
  const sources = await labels(
    crosswalk.source,
    rows.map((row) => row.sourceValue),
  );
  const targets = await labels(
    crosswalk.target,
    rows.map((row) => row.targetValue),
  );
  return rows.map((row) => ({
    ...row,
    sourceLabel: sources.get(row.sourceValue) ?? null,
    targetLabel: targets.get(row.targetValue) ?? null,
  }));
}

export const mappingExportRoutes = (context: QueryContext): Route[] => [
  route(
    'get',
    '/api/crosswalks/:id/export',
    { level: 'READ' },
    {
      summary: 'Download the mappings of a crosswalk',
      answers: filesOf('text/csv', 'application/json', 'application/fhir+json', 'text/tab-separated-values'),
      query: ExportQuery,
    },
    async (request) => {
      const { readModels, settings } = context;
      const { query } = request;
      const { tab } = query;
      if (!hasMappings(tab) || tab === 'deleted') {
        throw new Refusal('INVALID', 'This tab is not exported: choose a tab of current mappings, or omit tab');
      }
      const exportFilter: ExportFilter = { ...query, tab };
      const find = (viewer: Viewer) => findCrosswalk(readModels, request, viewer, idParam(request));
      const crosswalk = await find(viewerOf(request));
      const send = <Row>(format: Format<Row>, rows: ReturnType<typeof readModels.stream<Row>>) =>
        download(context, request, { name: crosswalk.name, format, bom: query.bom, recheck: find }, rows);
      if (query.format === 'csv' || query.format === 'json') {
        // The page requests its columns in their order on screen.
        const columns = requestedFields(query.fields, COLUMNS) ?? COLUMNS;
        const format =
          query.format === 'csv'
            ? csv<Record<Column, unknown>>(columns, (row) => columns.map((column) => row[column]))
            : json<Record<Column, unknown>>((row) => row);
        return send(
          format,
          readModels.stream(request, (tables) => exportedMappings(tables, crosswalk, exportFilter, columns)),
        );
      }
      const format = query.format === 'conceptmap' ? conceptMap : sssom;
      // An exported map with unapproved values must not have the status "active".
      const exportedCrosswalk = { ...crosswalk, isServed: crosswalk.isServed && query.tab === 'approved' };
      return send(
        format(settings.PUBLIC_URL, exportedCrosswalk),
        readModels.stream<ExchangedMapping>(
          request,
          (tables) => {
            // The position of the response must also cover this table, from which `withRowLabels` reads the labels.
            tables('instances');
            return exportedMappings(tables, crosswalk, exportFilter, EXCHANGED_COLUMNS);
          },
          (rows, runQuery) => withRowLabels(runQuery, crosswalk, rows),
        ),
      );
    },
  ),
];
