/** The filter test: runs a list with a filter through the route of its page, and reports the cost. */
import {
  configuredFields,
  FILTER_TEST_ROWS,
  type FilterConfigurationView,
  type FilterField,
  FilterTest,
  FilterTestView,
  listKind,
  listSubject,
  type Page,
  Refusal,
} from '@rdm/contracts';
import { type ApiRequest, type Route, route } from '@rdm/platform';
import type { z } from 'zod';
import { viewerOf } from '../access/viewer.ts';
import { filterConfigurations } from '../entities/filters.ts';
import type { FieldMap } from '../list/filter/compile.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Inspection } from '../read-models/read-models.ts';
import { SearchCancelled } from '../read-models/regex-turns.ts';
import { isCancelled } from '../read-models/statements.ts';

/** `routes` include the routes of the lists that filters can be tested on. */
export const filterTestRoutes = ({ readModels }: QueryContext, routes: readonly Route[]): Route[] => [
  route(
    'post',
    '/api/filter-test',
    { administrator: true },
    {
      summary: 'Run a filter on a list and measure it',
      example: {
        body: {
          entity: 'crosswalks',
          filter: { logic: 'AND', conditions: [{ field: 'name', operator: 'contains', value: 'countries' }] },
        },
      },
      answers: { 200: FilterTestView },
      errors: ['NOT_FOUND'],
      body: FilterTest,
    },
    async (request) => {
      const { entity } = request.body;
      const inspect: Inspection = { costs: [], planning: 0 };
      const started = performance.now();
      const page = await readFirstRows(routes, request, inspect);
      const milliseconds = performance.now() - started - inspect.planning;
      const configurations = await readModels.read<FilterConfigurationView>(request, (tables) =>
        filterConfigurations(tables, viewerOf(request), entity),
      );
      const view: FilterTestView = {
        fields: configuredFields(fieldsOf(inspect.fields), configurations.rows),
        items: page.items,
        total: page.total,
        milliseconds: Math.round(milliseconds * 10) / 10,
        cost: Math.max(...inspect.costs),
      };
      return answer(configurations, view);
    },
  ),
];

type FirstRows = Pick<Page<Record<string, unknown>>, 'items' | 'total'>;

/** Reads the first rows of the list through the route of its page. */
async function readFirstRows(
  routes: readonly Route[],
  request: ApiRequest<z.infer<typeof FilterTest>>,
  inspect: Inspection,
): Promise<FirstRows> {
  const { entity, filter } = request.body;
  const subject = listSubject(entity);
  const kind = subject && listKind(subject.list);
  if (kind?.isConfiguredTogether)
    throw new Refusal('INVALID', 'There are many lists of this kind: test the filter on the page of the list');
  const path = kind?.path;
  const list = routes.find((each) => each.method === 'get' && each.path === path);
  if (!subject || !list) throw new Error(`No route answers the list ${entity}`);
  const narrowing = filter === null ? {} : { filter: JSON.stringify(filter) };
  const query: unknown = list.query?.parse({ pageSize: FILTER_TEST_ROWS, ...narrowing });
  const [, param = 'id'] = /\/:(\w+)/.exec(list.path) ?? [];
  const params = { [param]: String(subject.subjectId ?? '') };
  const handled = await list
    .handle({ ...request, params, query, body: undefined, needs: list.access, inspect } as never)
    .catch((error: unknown) => {
      throw isCancelled(error) || error instanceof SearchCancelled
        ? tooExpensive(JSON.stringify(filter).includes('"regex"'))
        : error;
    });
  if (handled === 'sent') throw new Error(`The route of the list ${entity} has sent the response itself`);
  const answered: unknown = handled.json === undefined ? handled.body : JSON.parse(handled.json);
  return Array.isArray(answered)
    ? { items: answered.slice(0, FILTER_TEST_ROWS), total: answered.length }
    : (answered as FirstRows);
}

const tooExpensive = (hasRegex: boolean): Refusal =>
  new Refusal(
    'INVALID',
    hasRegex
      ? 'The regular expression takes too long, so it was cancelled: leave back-references and nested repetitions out, or add a condition that finds fewer rows'
      : 'The filter takes too long, so it was cancelled: add a condition that finds fewer rows',
  );

const fieldsOf = (fields: FieldMap | undefined): FilterField[] =>
  [...(fields ?? [])].map(([name, { label = name, dataType }]) => ({ name, label, dataType }));
