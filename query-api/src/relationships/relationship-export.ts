/** Exports of the values of a relationship: the rows of the list with keys, attributes and status. */
import { type CellValue, Refusal, type RelationshipValueView } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { BomQuery, csv, download, type Format, filesOf, json, type WorkbookFormat } from '../http/download.ts';
import type { WorkbookColumn } from '../http/workbook-messages.ts';
import { matchingRows } from '../list/list.ts';
import type { QueryContext } from '../query-context.ts';
import { identifier, join, sql } from '../read-models/sql.ts';
import { ValuesQuery, valuesOf } from './relationship-values.ts';
import { findRelationship } from './relationships.ts';

const FORMATS = ['csv', 'xlsx', 'json'] as const;
const ExportQuery = ValuesQuery.extend({
  ...BomQuery,
  format: z
    .enum(FORMATS, { error: `Values are exported as ${FORMATS.join(', ')}` })
    .default('csv')
    .describe('The format of the file.'),
});

const EXPORTED = ['sourceKey', 'targetKey', 'attributes', 'status'] as const;
type Row = Pick<RelationshipValueView, (typeof EXPORTED)[number]>;

const text = (name: string): WorkbookColumn => ({ name, dataType: 'string' });

export const relationshipExportRoutes = (context: QueryContext): Route[] => [
  route(
    'get',
    '/api/relationships/:id/export',
    { level: 'READ' },
    {
      summary: 'Download the values of a relationship',
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
      const find = (viewer: Viewer) => findRelationship(context.readModels, request, viewer, idParam(request));
      const relationship = await find(viewerOf(request));
      // The import of values recognises these column names, so another relationship can import the file.
      const columns = [text('sourceKey'), text('targetKey'), ...relationship.attributes, text('status')];
      const cells = ({ sourceKey, targetKey, attributes, status }: Row): (CellValue | undefined)[] => [
        sourceKey,
        targetKey,
        ...relationship.attributes.map(({ name }) => attributes[name]),
        status,
      ];
      const formats: Record<(typeof FORMATS)[number], Format<Row> | WorkbookFormat<Row>> = {
        csv: csv(
          columns.map(({ name }) => name),
          cells,
        ),
        xlsx: { columns: columns.map(({ name, dataType }) => ({ name, dataType })), cells },
        json: json((row) => row),
      };
      if (query.tab === 'deleted')
        throw new Refusal('INVALID', 'Deleted values cannot be exported: choose another tab');
      const rows = context.readModels.stream<Row>(request, (tables) => {
        const list = valuesOf(tables, relationship, query.tab);
        const selected = EXPORTED.map((name) => sql`${list.columns[name]} AS ${identifier(name)}`);
        return matchingRows(query, list, join(selected, ', '));
      });
      return download(
        context,
        request,
        { name: relationship.name, format: formats[query.format], bom: query.bom, recheck: find },
        rows,
      );
    },
  ),
];
