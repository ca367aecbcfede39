/** Enforces the filter configurations of every list: a request cannot use a filter that the page does not offer. */
import {
  type FilterConfigurationView,
  type FilterGroup,
  type FreezeSelection,
  filterRefusal,
  LISTS,
  type ListName,
  listKeyOf,
  listKind,
  Refusal,
} from '@rdm/contracts';
import { type ApiRequest, idParam, queryOf, type Route } from '@rdm/platform';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { filterConfigurations } from '../entities/filters.ts';
import type { ReadModels } from '../read-models/read-models.ts';
import { parseFilter } from './list-statement.ts';

/** The list of each checked path, including the paths of exports. */
const LIST_BY_PATH: ReadonlyMap<string, ListName> = new Map([
  ...Object.entries(LISTS)
    .filter(([list]) => list !== 'data-set')
    .map(([list, { path }]) => [path, list as ListName] as const),
  ['/api/reference-data/:id/export', 'data-set'],
  ['/api/crosswalks/:id/export', 'crosswalk'],
  ['/api/relationships/:id/export', 'relationship'],
  ['/api/crosswalk/comparison/:targetDatasetId/export', 'comparison'],
  ['/api/audit-logs/export', 'audit'],
  ['/api/audit-logs/activities/export', 'audit-activities'],
]);
/** Routes that are not checked here. The first route checks its filter itself; the last two have no configurations. */
const NOT_CHECKED: ReadonlySet<string> = new Set([
  '/api/reference-data/:id/instances',
  '/api/reference-data/:id/instances/:instanceId/relationships',
  '/api/crosswalks/:id/suggestions',
]);

const LIST_OF_SELECTION: Record<FreezeSelection['kind'], ListName> = {
  mappings: 'crosswalk',
  'relationship-values': 'relationship',
  instances: 'data-set',
  approvals: 'approvals',
  'missing-mappings': 'missing-mappings',
  crosswalks: 'crosswalks',
  relationships: 'relationships',
};

interface RequestedFilter {
  entity: string;
  filter: string | undefined;
}

type FilterReader = (request: ApiRequest<never, never>) => RequestedFilter;

/**
 * Returns a function that reads list and filter from requests of a route; undefined for a route that is not checked.
 * Throws if a route has a filter but no list.
 */
function filterReaderOf(declared: Route): FilterReader | undefined {
  const { method, path } = declared;
  if (method === 'post' && path === '/api/selections') {
    return ({ body }) => {
      const { kind, parentId, filter } = body as FreezeSelection;
      const list = LIST_OF_SELECTION[kind];
      return { entity: listKeyOf(list, listKind(list).of === undefined ? null : (parentId ?? 0)), filter };
    };
  }
  const list = method === 'get' ? LIST_BY_PATH.get(path) : undefined;
  if (list === undefined) {
    if ('filter' in queryOf(declared).shape && !NOT_CHECKED.has(path))
      throw new Error(`${path} has a filter but no list`);
    return undefined;
  }
  const [, param] = listKind(list).of === undefined ? [] : (/\/:(\w+)/.exec(path) ?? []);
  return (request) => ({
    entity: listKeyOf(list, param === undefined ? null : idParam(request, param)),
    filter: (request.query as { filter?: string }).filter,
  });
}

/** Reads the current filter configurations of a list. */
export async function readConfigurations(
  readModels: ReadModels,
  viewer: Viewer,
  entity: string,
): Promise<FilterConfigurationView[]> {
  const { rows } = await readModels.read<FilterConfigurationView>({}, (tables) =>
    filterConfigurations(tables, viewer, entity),
  );
  return rows;
}

/** Refuses (400) a filter that the configurations do not allow. */
export function requireAllowed(configurations: FilterConfigurationView[], filter: FilterGroup): void {
  const refused = filterRefusal(filter, configurations);
  if (refused !== undefined) throw new Refusal('INVALID', refused);
}

/** Returns the route with a check that refuses (400) filters that the configurations of its list do not allow. */
export function withFilterRules(readModels: ReadModels, declared: Route): Route {
  const readFilter = filterReaderOf(declared);
  if (!readFilter) return declared;
  return {
    ...declared,
    handle: async (request) => {
      const { entity, filter: text } = readFilter(request);
      const filter = parseFilter(text);
      if (filter) {
        // A caller who may not read the list gets no configurations here: the route itself refuses the request.
        requireAllowed(await readConfigurations(readModels, viewerOf(request), entity), filter);
      }
      return declared.handle(request);
    },
  };
}
