/** The graph of data sets and their relations: the part that the viewer may read, and the public graph. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { AsOf } from '../lists/filter.ts';

/** The maximum number of neighbours that one expansion of a node shows. Further neighbours are only counted. */
export const NEIGHBOURS_SHOWN = 50;
const EXPANSIONS_MAX = 20;

/** Query of GET /api/reference-data/{id}/graph. */
export const GraphQuery = z.object({
  expand: z
    .string()
    .regex(/^\d{1,15}(,\d{1,15})*$/, 'expand is a list of data set ids, such as 3,7')
    .transform((text) => text.split(',').map(Number))
    .refine((ids) => ids.length <= EXPANSIONS_MAX, { error: `Expand at most ${EXPANSIONS_MAX} times` })
    .optional()
    .describe(
      'The data sets to expand, by id, separated by commas. Each mention of an id shows 50 more of its neighbours.',
    ),
  asOf: AsOf,
});
export type GraphQuery = z.infer<typeof GraphQuery>;

export const GraphNode = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    typeName: z.string(),
    instanceCount: z.number(),
    isPublic: z.boolean(),
    more: z.number().describe('The number of readable neighbours that are not shown.'),
  }),
);
export type GraphNode = z.infer<typeof GraphNode>;

export const GraphEdge = defineView(() =>
  z.object({
    kind: z.enum(['relationship', 'crosswalk']),
    id: z.number(),
    name: z.string(),
    sourceId: z.number(),
    targetId: z.number(),
    counts: z
      .object({
        draft: z.number(),
        pending: z.number(),
        approved: z.number(),
        rejected: z.number(),
        served: z.number(),
      })
      .describe(
        'The number of mappings or relationship values with each status (of the working value), and the number of served ones.',
      ),
  }),
);
export type GraphEdge = z.infer<typeof GraphEdge>;

/** GET /api/reference-data/{id}/graph. The first node is the data set itself. */
export const GraphView = defineView(() =>
  z.object({
    id: z.number(),
    nodes: z.array(GraphNode),
    edges: z.array(GraphEdge),
  }),
);
export type GraphView = z.infer<typeof GraphView>;

/**
 * GET /api/graph: the public graph. It has the names and sizes of published data sets, and the number of served values
 * between them.
 */
export const PublicGraph = defineView(() =>
  z.object({
    nodes: z.array(z.object({ id: z.number(), name: z.string(), instanceCount: z.number() })),
    edges: z.array(
      z.object({ kind: GraphEdge.shape.kind, sourceId: z.number(), targetId: z.number(), count: z.number() }),
    ),
    more: z.number().describe('The number of published data sets that are not shown.'),
  }),
);
export type PublicGraph = z.infer<typeof PublicGraph>;

/** The projections of the read models from which nodes and edges are made. */
export const GRAPH_PROJECTIONS = ['reference_types', 'data_sets', 'instances', 'relationships', 'crosswalks'] as const;

/** The response to POST /api/graph/rebuild. */
export const RebuildRequested = defineView(() =>
  z.object({
    projections: z.array(z.string()),
  }),
);
export type RebuildRequested = z.infer<typeof RebuildRequested>;

/** The kinds of nodes and edges in the database. */
export const GraphKind = defineView(() =>
  z.enum(['types', 'dataSets', 'instances', 'relationships', 'relationshipValues', 'crosswalks', 'mappings']),
);
export type GraphKind = z.infer<typeof GraphKind>;

/**
 * The sum of all counters of one kind: `kept` is the sum that the projector maintains, `counted` is the sum of a
 * recount.
 */
export const GraphDrift = defineView(() =>
  z.object({
    counter: z.enum(['rows', 'mappings', 'mappedSources', 'relationshipValues', 'dependants']),
    kept: z.number(),
    counted: z.number(),
    wrong: z.number().describe('The number of counters of this kind that differ from the recount.'),
  }),
);
export type GraphDrift = z.infer<typeof GraphDrift>;

/** GET /api/graph/info. */
export const GraphInfo = defineView(() =>
  z.object({
    engine: z.object({ name: z.string(), version: z.string() }),
    nodes: z.array(z.object({ kind: GraphKind, count: z.number() })),
    edges: z.array(z.object({ kind: GraphKind, count: z.number() })),
    // How far the projector has read the log.
    reader: z.object({ seq: z.number(), position: z.string() }),
    builds: z.array(
      z.object({
        name: z.string(),
        version: z.number(),
        build: z.number(),
        state: z.string(),
        serving: z.boolean(),
        seq: z.number(),
        lag: z.number(),
      }),
    ),
    drift: z.array(GraphDrift).nullable().describe('Null if the check was not requested.'),
  }),
);
export type GraphInfo = z.infer<typeof GraphInfo>;
