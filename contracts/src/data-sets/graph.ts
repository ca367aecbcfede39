/** The graph of data sets: how they are related, as a viewer may read it, and as everybody may see it. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** Neighbours that one expansion of a node shows at most; the others are counted. */
export const NEIGHBOURS_SHOWN = 50;
const EXPANSIONS_MAX = 20;

/** Query of GET /api/reference-data/{id}/graph: ids of nodes to expand; each mention shows up to 50 more neighbours. */
export const GraphQuery = z.object({
  expand: z
    .string()
    .regex(/^\d{1,15}(,\d{1,15})*$/, 'expand is a list of data set ids, such as 3,7')
    .transform((text) => text.split(',').map(Number))
    .refine((ids) => ids.length <= EXPANSIONS_MAX, { error: `Expand at most ${EXPANSIONS_MAX} times` })
    .optional(),
  asOf: z.string().optional(),
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
      .describe('Values by status of their working revision, and those served.'),
  }),
);
export type GraphEdge = z.infer<typeof GraphEdge>;

/** GET /api/reference-data/{id}/graph. The data set itself comes first. */
export const GraphView = defineView(() =>
  z.object({
    id: z.number(),
    nodes: z.array(GraphNode),
    edges: z.array(GraphEdge),
  }),
);
export type GraphView = z.infer<typeof GraphView>;

/** GET /api/graph: what anybody may see. Names of published data sets and their sizes, and what is approved between them. */
export const PublicGraph = defineView(() =>
  z.object({
    nodes: z.array(z.object({ id: z.number(), name: z.string(), instanceCount: z.number() })),
    edges: z.array(
      z.object({ kind: GraphEdge.shape.kind, sourceId: z.number(), targetId: z.number(), count: z.number() }),
    ),
    more: z.number().describe('Published data sets beyond those shown.'),
  }),
);
export type PublicGraph = z.infer<typeof PublicGraph>;

/** Read models that nodes and edges are made of, by the names of their projections. */
export const GRAPH_PROJECTIONS = ['reference_types', 'data_sets', 'instances', 'relationships', 'crosswalks'] as const;

/** Answer of POST /api/graph/rebuild. */
export const RebuildRequested = defineView(() =>
  z.object({
    projections: z.array(z.string()),
  }),
);
export type RebuildRequested = z.infer<typeof RebuildRequested>;

/** Kinds of nodes and edges of the graph that the database holds. */
export const GraphKind = defineView(() =>
  z.enum(['types', 'dataSets', 'instances', 'relationships', 'relationshipValues', 'crosswalks', 'mappings']),
);
export type GraphKind = z.infer<typeof GraphKind>;

/** A counter that the projector keeps, compared with a recount. */
export const GraphDrift = defineView(() =>
  z.object({
    counter: z.enum(['rows', 'mappings', 'mappedSources', 'relationshipValues', 'dependants']),
    kept: z.number(),
    counted: z.number(),
    wrong: z.number().describe('The number of wrong counters.'),
  }),
);
export type GraphDrift = z.infer<typeof GraphDrift>;

/** GET /api/graph/info. */
export const GraphInfo = defineView(() =>
  z.object({
    engine: z.object({ name: z.string(), version: z.string() }),
    nodes: z.array(z.object({ kind: GraphKind, count: z.number() })),
    edges: z.array(z.object({ kind: GraphKind, count: z.number() })),
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
    drift: z.array(GraphDrift).nullable().describe('Present if the request includes the check.'),
  }),
);
export type GraphInfo = z.infer<typeof GraphInfo>;
