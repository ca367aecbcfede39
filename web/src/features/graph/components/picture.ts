/** Computes the picture of a graph: node positions from dagre, and one line per pair of nodes and direction. */
import dagre from '@dagrejs/dagre';

export interface PictureNode {
  id: number;
  name: string;
  /** The muted text below the name: type and size. */
  detail: string;
  /** Whether the node is the data set whose graph is displayed. */
  isRoot: boolean;
  isPublic: boolean;
  /** The number of hidden neighbours; 0 if nothing can be expanded. */
  more: number;
}

export interface PictureEdge {
  kind: 'relationship' | 'crosswalk';
  sourceId: number;
  targetId: number;
  /** The label of a line with only this edge. */
  label: string;
  /** The link of a line with only this edge. */
  href: string | undefined;
}

export interface Picture {
  nodes: readonly PictureNode[];
  edges: readonly PictureEdge[];
}

/** The size of a node: space for two lines of the name, two of the detail, and one for hidden neighbours. */
export const NODE_WIDTH = 224;
export const NODE_HEIGHT = 96;

/** All edges between two nodes in one direction. */
export interface Line {
  id: string;
  sourceId: number;
  targetId: number;
  label: string;
  href: string | undefined;
  /** Whether the line is dashed, because all its edges are relationships. */
  isDashed: boolean;
}

const countText = (count: number, word: string) =>
  count === 0 ? undefined : `${count} ${word}${count === 1 ? '' : 's'}`;

/**
 * Makes one line per pair of nodes and direction. The line of a single edge has the label and link of the edge. The
 * line of several edges has no link, and its label is the number of edges of each kind.
 */
export function linesOf(edges: readonly PictureEdge[]): Line[] {
  const edgesByPair = new Map<string, PictureEdge[]>();
  for (const edge of edges) {
    const id = `${edge.sourceId}-${edge.targetId}`;
    const edgesOfPair = edgesByPair.get(id);
    if (edgesOfPair) edgesOfPair.push(edge);
    else edgesByPair.set(id, [edge]);
  }
  return [...edgesByPair].map(([id, edgesOfPair]) => {
    const [first] = edgesOfPair as [PictureEdge];
    const countOf = (kind: PictureEdge['kind']) => edgesOfPair.filter((edge) => edge.kind === kind).length;
    const countTexts = [
      countText(countOf('crosswalk'), 'crosswalk'),
      countText(countOf('relationship'), 'relationship'),
    ];
    return {
      id,
      sourceId: first.sourceId,
      targetId: first.targetId,
      label: edgesOfPair.length === 1 ? first.label : countTexts.filter((text) => text !== undefined).join(', '),
      href: edgesOfPair.length === 1 ? first.href : undefined,
      isDashed: countOf('crosswalk') === 0,
    };
  });
}

interface Point {
  x: number;
  y: number;
}

/** The positions of nodes, lines and labels. */
export interface Layout {
  /** Upper left corners of the nodes, by id. */
  positions: ReadonlyMap<number, Point>;
  /** Paths of the lines, by id. */
  edgePaths: ReadonlyMap<string, EdgePath>;
  /** Returns the box of the label of a line. */
  labelOf: (edgePath: EdgePath) => LabelBox;
}

interface EdgePath {
  /** An SVG path. */
  path: string;
  /** The point of the line next to the label. */
  label: Point;
  /** Whether the line would cross a label above it (LR) or at its right (TB). The label is then on the other side. */
  crossesLabel: boolean;
}

/** The place of a label: its upper left corner, its size, and the side of the box that faces the line. */
interface LabelBox extends Point {
  width: number;
  height: number;
  lineAt: 'top' | 'bottom' | 'left' | 'right';
}

/** Labels are narrower in a graph that runs downwards (TB), because its lines are closer together. */
const LABEL_WIDTH = { LR: 160, TB: 112 } as const;
/** The height of a label with two lines of text. */
const LABEL_HEIGHT = 36;
const LABEL_DISTANCE = 4;

/** The height of a loop above its node, without its label. */
const LOOP_HEIGHT = 36;
const LOOP_WIDTH = 96;

/** The space above a node for its loop and the label of the loop; 0 without a loop. */
const headroomOf = (id: number, loops: ReadonlySet<number>): number =>
  loops.has(id) ? LOOP_HEIGHT + LABEL_HEIGHT + LABEL_DISTANCE : 0;

/** Computes the layout of a graph that runs to the right (LR) or downwards (TB). */
export function layoutGraph(nodes: readonly PictureNode[], lines: readonly Line[], direction: 'LR' | 'TB'): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 28, ranksep: direction === 'LR' ? 24 : 32, marginx: 16, marginy: 16 });
  const loops = new Set(lines.flatMap(({ sourceId, targetId }) => (sourceId === targetId ? [sourceId] : [])));
  for (const { id } of nodes)
    graph.setNode(String(id), { width: NODE_WIDTH, height: NODE_HEIGHT + 2 * headroomOf(id, loops) });
  const labelWidth = LABEL_WIDTH[direction];
  // dagre reserves space on both sides of a line. In TB, the label fills only one side.
  const space = direction === 'LR' ? labelWidth : 2 * (labelWidth + LABEL_DISTANCE);
  for (const { sourceId, targetId } of lines) {
    if (sourceId === targetId) continue;
    graph.setEdge(String(sourceId), String(targetId), { width: space, height: LABEL_HEIGHT, labelpos: 'c' });
  }
  dagre.layout(graph);
  const positions = new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(String(id)) as Point;
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
  return {
    positions,
    labelOf: (edgePath) => labelBox(edgePath, direction),
    edgePaths: new Map(
      lines.flatMap((line): [string, EdgePath][] => {
        const { id, sourceId, targetId } = line;
        const position = positions.get(sourceId);
        if (sourceId === targetId) return position === undefined ? [] : [[id, loopAt(position)]];
        const { points, x, y } = graph.edge(String(sourceId), String(targetId)) as Point & { points: Point[] };
        return [
          [id, { path: smoothPath(points), label: { x, y }, crossesLabel: crossesDefaultLabel(points, direction) }],
        ];
      }),
    ),
  };
}

/** Whether the line runs upwards (LR) or to the right (TB), towards the default side of its label. */
function crossesDefaultLabel(points: readonly Point[], direction: 'LR' | 'TB'): boolean {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return false;
  return direction === 'LR' ? last.y < first.y - 1 : last.x > first.x + 1;
}

function labelBox({ label: { x, y }, crossesLabel }: EdgePath, direction: 'LR' | 'TB'): LabelBox {
  const size = { width: LABEL_WIDTH[direction], height: LABEL_HEIGHT };
  if (direction === 'LR') {
    const left = x - size.width / 2;
    return crossesLabel
      ? { ...size, x: left, y: y + LABEL_DISTANCE, lineAt: 'top' }
      : { ...size, x: left, y: y - size.height - LABEL_DISTANCE, lineAt: 'bottom' };
  }
  const top = y - size.height / 2;
  return crossesLabel
    ? { ...size, x: x - size.width - LABEL_DISTANCE, y: top, lineAt: 'right' }
    : { ...size, x: x + LABEL_DISTANCE, y: top, lineAt: 'left' };
}

/** A loop that starts and ends at the top of a node. */
function loopAt({ x, y }: Point): EdgePath {
  const middle = x + NODE_WIDTH / 2;
  const [left, right, top] = [middle - LOOP_WIDTH / 2, middle + LOOP_WIDTH / 2, y - LOOP_HEIGHT];
  return {
    path: `M ${left},${y} C ${left},${top} ${left},${top} ${middle},${top} S ${right},${top} ${right},${y}`,
    label: { x: middle, y: top },
    crossesLabel: false,
  };
}

/** A path from the first to the last point, with rounded corners at the points between. */
function smoothPath(points: readonly Point[]): string {
  const [first, ...innerPoints] = points;
  const last = innerPoints.pop();
  if (first === undefined || last === undefined) return '';
  const corners = innerPoints.map((corner, index) => {
    const next = innerPoints[index + 1] ?? last;
    const end = index === innerPoints.length - 1 ? last : { x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 };
    return `Q ${corner.x},${corner.y} ${end.x},${end.y}`;
  });
  return `M ${first.x},${first.y} ${corners.length === 0 ? `L ${last.x},${last.y}` : corners.join(' ')}`;
}
