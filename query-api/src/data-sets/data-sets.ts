/** Routes of data sets: the list, a data set, and what depends on it. */
import {
  DATA_SET_INCLUDES,
  DataSetIncluded,
  DataSetsQuery,
  DataSetView,
  DependencyAnalysis,
  pageOf,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { findReadableDataSet } from '../access/readable-data-set.ts';
import { viewerOf } from '../access/viewer.ts';
import { type DataSetRow, dataSetList, toDataSetView } from '../entities/data-set-list.ts';
import { type Dependants, selectDependants, toDependencyAnalysis } from '../entities/dependants.ts';
import { IncludeQuery } from '../http/include-query.ts';
import { requestedIncludes } from '../http/requested-names.ts';
import { listRows, oneRow } from '../list/list.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';
import { dataSetIncludes } from './included-rows.ts';

export const dataSetRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/reference-data',
    { route: '/collections', level: 'READ' },
    { summary: 'List the data sets', answers: { 200: pageOf(DataSetView) }, query: DataSetsQuery },
    (request) => {
      const viewer = viewerOf(request);
      return listRows(
        readModels,
        request,
        (tables) => dataSetList(tables, viewer, request.query.minLevel),
        toDataSetView(viewer),
      );
    },
  ),

  route(
    'get',
    '/api/reference-data/:id',
    { level: 'READ' },
    {
      summary: 'Read a data set',
      errors: ['PURGED'],
      answers: { 200: DataSetView.extend(DataSetIncluded.shape) },
      query: IncludeQuery,
    },
    async (request) => {
      const viewer = viewerOf(request);
      const id = idParam(request);
      const wanted = requestedIncludes(request.query.include, DATA_SET_INCLUDES);
      const dataSet = wanted.length > 0 ? await findReadableDataSet(readModels, request, viewer, id) : undefined;
      const build = (tables: Tables) => {
        const list = dataSetList(tables, viewer);
        const columns = { ...list.columns };
        if (dataSet) for (const name of wanted) columns[name] = dataSetIncludes(tables, dataSet)[name];
        return oneRow({ ...list, columns }, sql`d.id = ${id}`);
      };
      const isFrequent = dataSet === undefined;
      const found = await readModels.read<DataSetRow & DataSetIncluded>(request, build, { isFrequent });
      return answer(found, toDataSetView(viewer)(found.one()));
    },
  ),

  route(
    'get',
    '/api/reference-data/:id/dependencies',
    { level: 'READ' },
    { summary: 'Read what depends on a data set', answers: { 200: DependencyAnalysis } },
    async (request) => {
      const viewer = viewerOf(request);
      const id = idParam(request);
      const found = await readModels.read<Dependants>(request, (tables) => {
        const { from, where } = dataSetList(tables, viewer);
        return sql`${selectDependants(tables, {
          ids: sql`SELECT ${id}::bigint`,
          typeId: sql`(SELECT d.type_id FROM ${tables('reference_data_sets')} d WHERE d.id = ${id})`,
        })} WHERE EXISTS (SELECT FROM ${from} WHERE ${where} AND d.id = ${id})`;
      });
      const analysis = toDependencyAnalysis(found.one(), viewer);
      // The data set does not depend on itself.
      return answer(found, { ...analysis, datasets: [] });
    },
  ),
];
