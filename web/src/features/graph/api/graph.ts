/** Queries for the graph of a data set, the public graph and the graph database; rebuilds the graph. */
import type { GraphInfo, GraphView, PublicGraph, RebuildRequested } from '@rdm/contracts/data-sets/graph';
import { queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';

export const graphKey = (dataSetId: number) => ['graph', 'of', dataSetId] as const;

export const graphQuery = (dataSetId: number, expanded: readonly number[]) =>
  queryOptions({
    queryKey: [...graphKey(dataSetId), expanded],
    queryFn: () =>
      read<GraphView>(`/api/reference-data/${dataSetId}/graph`, {
        query: { expand: expanded.length === 0 ? undefined : expanded.join(',') },
      }),
  });

export const publicGraphQuery = queryOptions({
  queryKey: ['graph', 'public'],
  queryFn: () => read<PublicGraph>('/api/graph'),
});

/** How often the page reads the state of the graph while a build runs. */
const POLL_WHILE_BUILDING_MS = 1_000;

export const graphInfoQuery = queryOptions({
  queryKey: ['graph', 'info'],
  queryFn: () => read<GraphInfo>('/api/graph/info', { fresh: true }),
  refetchInterval: ({ state }) =>
    state.data?.builds.some((build) => build.state === 'BUILDING') === true ? POLL_WHILE_BUILDING_MS : false,
});

/** Compares the counters with a recount. Runs only when a user requests the comparison. */
export const driftQuery = queryOptions({
  queryKey: ['graph', 'drift'],
  queryFn: async () => (await read<GraphInfo>('/api/graph/info', { query: { check: true }, fresh: true })).drift ?? [],
  enabled: false,
  gcTime: 0,
});

export const rebuildGraph = () => write<RebuildRequested>('POST', '/api/graph/rebuild');
