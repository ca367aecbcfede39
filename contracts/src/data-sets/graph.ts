/** The graph of data sets: how they are related, as a viewer may read it, and as everybody may see it. */
import { z } from 'zod';

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

export interface GraphNode {
  id: number;
  name: string;
  typeName: string;
  instanceCount: number;
  isPublic: boolean;
  /** Neighbours that one may read and that are not shown. */
  more: number;
}

export interface GraphEdge {
  kind: 'relationship' | 'crosswalk';
  id: number;
  name: string;
  sourceId: number;
  targetId: number;
  /** Values by status of their working revision, and those served. */
  counts: { draft: number; pending: number; approved: number; rejected: number; served: number };
}

/** GET /api/reference-data/{id}/graph. The data set itself comes first. */
export interface GraphView {
  id: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** GET /api/graph: what anybody may see. Names of published data sets and their sizes, and what is approved between them. */
export interface PublicGraph {
  nodes: { id: number; name: string; instanceCount: number }[];
  edges: { kind: GraphEdge['kind']; sourceId: number; targetId: number; count: number }[];
  /** Published data sets beyond those shown. */
  more: number;
}

/** Read models that nodes and edges are made of, by the names of their projections. */
export const GRAPH_PROJECTIONS = ['reference_types', 'data_sets', 'instances', 'relationships', 'crosswalks'] as const;

/** Answer of POST /api/graph/rebuild. */
export interface RebuildRequested {
  projections: string[];
}

/** Kinds of nodes and edges of the graph that the database holds. */
export type GraphKind =
  | 'types'
  | 'dataSets'
  | 'instances'
  | 'relationships'
  | 'relationshipValues'
  | 'crosswalks'
  | 'mappings';

/** A counter that the projector keeps, compared with a recount. */
export interface GraphDrift {
  counter: 'rows' | 'mappings' | 'mappedSources' | 'relationshipValues' | 'dependants';
  kept: number;
  counted: number;
  /** Things whose counter is wrong. */
  wrong: number;
}

/** GET /api/graph/info. */
export interface GraphInfo {
  engine: { name: string; version: string };
  nodes: { kind: GraphKind; count: number }[];
  edges: { kind: GraphKind; count: number }[];
  reader: { seq: number; position: string };
  builds: { name: string; version: number; build: number; state: string; serving: boolean; seq: number; lag: number }[];
  /** Present if the request includes the check. */
  drift: GraphDrift[] | null;
}
