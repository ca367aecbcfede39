/** Exports of a data set: streams the rows of its list. */
import { type InstanceView, ListQuery } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { findReadableDataSet } from '../access/readable-data-set.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { instanceList } from '../entities/instance-list.ts';
import { BomQuery, csv, download, type Format, filesOf, json, type WorkbookFormat } from '../http/download.ts';
import { requestedFields } from '../http/requested-names.ts';
import { matchingRows } from '../list/list.ts';
import type { QueryContext } from '../query-context.ts';
import { sql } from '../read-models/sql.ts';

const FORMATS = ['csv', 'xlsx', 'json'] as const;
const ExportQuery = ListQuery.extend({
  ...BomQuery,
  format: z
    .enum(FORMATS, { error: `A data set is exported as ${FORMATS.join(', ')}` })
    .default('csv')
    .describe('The format of the file.'),
});

type Row = Pick<InstanceView, 'data'>;

export const exportRoutes = (context: QueryContext): Route[] => [
  route(
    'get',
    '/api/reference-data/:id/export',
    { level: 'READ' },
    {
      summary: 'Download the rows of a data set',
      errors: ['TOO_LARGE'],
      answers: filesOf(
        'text/csv',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        'application/json',
      ),
      query: ExportQuery,
    },
    async (request) => {
      const { query } = request;
      const find = (viewer: Viewer) => findReadableDataSet(context.readModels, request, viewer, idParam(request));
      const dataSet = await find(viewerOf(request));
      const allNames = dataSet.fields.map(({ name }) => name);
      // The columns of the file have the order of the columns on the page.
      const names = requestedFields(query.fields, allNames) ?? allNames;
      const fields = names.flatMap((name) => dataSet.fields.find((field) => field.name === name) ?? []);
      const cells = ({ data }: Row) => names.map((name) => data[name]);
      const formats: Record<(typeof FORMATS)[number], Format<Row> | WorkbookFormat<Row>> = {
        csv: csv(names, cells),
        xlsx: { columns: fields, cells },
        json: json(({ data }) => Object.fromEntries(names.map((name) => [name, data[name]]))),
      };
      const format = formats[query.format];
      const rows = context.readModels.stream<Row>(request, (tables) => {
        const list = instanceList(tables, dataSet, query);
        return matchingRows(query, list, sql`${list.columns['data']} AS data`);
      });
      return download(context, request, { name: dataSet.name, format, bom: query.bom, recheck: find }, rows);
    },
  ),
];
