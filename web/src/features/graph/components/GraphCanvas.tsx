/** The picture of a graph, with panning, zooming and links. Its code is loaded on demand because of its size. */
import { formatNumber } from '../../../lib/number-format.ts';
import '@xyflow/react/dist/base.css';
import {
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { Globe } from 'lucide-react';
import { createContext, useContext, useMemo } from 'react';
import { Link } from 'react-router-dom';
import { cn } from '../../../components/ui/cn.ts';
import { useIsMobile } from '../../../lib/media/index.ts';
import {
  type Layout,
  type Line,
  layoutGraph,
  linesOf,
  NODE_HEIGHT,
  NODE_WIDTH,
  type Picture,
  type PictureNode,
} from './picture.ts';

export interface GraphCanvasProps {
  picture: Picture;
  /** Shows more neighbours of a node. */
  onExpand?: (id: number) => void;
}

type DrawnNode = Node<{ node: PictureNode }, 'dataSet'>;
type DrawnEdge = Edge<{ line: Line; path: string; label: ReturnType<Layout['labelOf']> }, 'line'>;

const ExpandContext = createContext<((id: number) => void) | undefined>(undefined);
function DataSetNode({ data: { node } }: NodeProps<DrawnNode>) {
  const expand = useContext(ExpandContext);
  return (
    <div
      className={cn(
        'pointer-events-auto flex flex-col justify-center rounded-md border bg-surface px-3 py-1 text-ink text-sm leading-4.5',
        node.isRoot ? 'border-2 border-accent' : 'border-control',
      )}
      style={{ width: NODE_WIDTH, height: NODE_HEIGHT }}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} className="invisible" />
      <span className="flex items-start gap-1">
        <Link
          to={`/reference-data/${node.id}`}
          title={node.name}
          className="nodrag nopan wrap-anywhere line-clamp-2 font-medium text-accent underline-offset-2 hover:underline"
        >
          {node.name}
        </Link>
        {node.isPublic && (
          <Globe role="img" aria-label="Public in the graph" className="mt-0.5 size-3.5 shrink-0 text-muted" />
        )}
      </span>
      <span className="line-clamp-2 text-muted text-xs">{node.detail}</span>
      {node.more > 0 && expand !== undefined && (
        <button
          type="button"
          className="nodrag nopan self-start rounded-sm text-accent text-xs underline-offset-2 hover:underline"
          aria-label={`Show more neighbours of ${node.name}`}
          onClick={() => expand(node.id)}
        >
          +{formatNumber(node.more)} more
        </button>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} className="invisible" />
    </div>
  );
}

/** Aligns the text of a label with the side of its box that faces the line. */
const LABEL_CLASSES = {
  top: 'items-start justify-center text-center',
  bottom: 'items-end justify-center text-center',
  left: 'items-center',
  right: 'items-center justify-end text-right',
} as const;

function LineEdge({ data, markerEnd }: EdgeProps<DrawnEdge>) {
  if (data === undefined) return null;
  const { line, path, label: box } = data;
  const style = { transform: `translate(${box.x}px, ${box.y}px)`, width: box.width, height: box.height };
  const textClasses = 'nodrag nopan pointer-events-auto line-clamp-2 rounded-sm bg-canvas/80 px-1 text-xs';
  return (
    <>
      <BaseEdge
        path={path}
        {...(markerEnd === undefined ? {} : { markerEnd })}
        style={{ stroke: 'var(--control)', strokeWidth: 1.5, ...(line.isDashed && { strokeDasharray: '5 4' }) }}
      />
      <EdgeLabelRenderer>
        <span className={cn('absolute flex', LABEL_CLASSES[box.lineAt])} style={style}>
          {line.href === undefined ? (
            <span className={cn(textClasses, 'text-muted')} title={line.label}>
              {line.label}
            </span>
          ) : (
            <Link
              to={line.href}
              className={cn(textClasses, 'text-ink underline-offset-2 hover:underline')}
              title={line.label}
            >
              {line.label}
            </Link>
          )}
        </span>
      </EdgeLabelRenderer>
    </>
  );
}

const NODE_TYPES = { dataSet: DataSetNode };
const EDGE_TYPES = { line: LineEdge };

/** The initial zoom. `minZoom` keeps names legible, so only the middle of a large graph is visible. */
const FIT = { padding: 0.1, minZoom: 0.55, maxZoom: 1.1 };
/** The initial zoom on a narrow screen. A legible zoom would cut off nodes at both sides. */
const NARROW_FIT = { ...FIT, minZoom: 0.25 };
/** Even a large graph fits the view at this zoom. */
const ZOOM_MIN = 0.1;
const ZOOM_MAX = 2;

export default function GraphCanvas({ picture, onExpand }: GraphCanvasProps) {
  const direction = useIsMobile() ? 'TB' : 'LR';
  const { nodes, edges } = useMemo(() => {
    const lines = linesOf(picture.edges);
    const { positions, edgePaths, labelOf } = layoutGraph(picture.nodes, lines, direction);
    return {
      nodes: picture.nodes.map(
        (node): DrawnNode => ({
          id: String(node.id),
          type: 'dataSet',
          position: positions.get(node.id) ?? { x: 0, y: 0 },
          data: { node },
          width: NODE_WIDTH,
          height: NODE_HEIGHT,
        }),
      ),
      edges: lines.flatMap((line): DrawnEdge[] => {
        const edgePath = edgePaths.get(line.id);
        if (edgePath === undefined) return [];
        return [
          {
            id: line.id,
            type: 'line',
            source: String(line.sourceId),
            target: String(line.targetId),
            data: { line, path: edgePath.path, label: labelOf(edgePath) },
            markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--control)' },
          },
        ];
      }),
    };
  }, [picture, direction]);

  return (
    <ExpandContext value={onExpand}>
      <ReactFlow
        // A new key makes React Flow fit the view again.
        key={`${nodes.length} ${edges.length} ${direction}`}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        fitView
        fitViewOptions={direction === 'LR' ? FIT : NARROW_FIT}
        minZoom={ZOOM_MIN}
        maxZoom={ZOOM_MAX}
        // The wheel scrolls the page; with Ctrl or ⌘, it zooms the picture.
        zoomOnScroll={false}
        preventScrolling={false}
        zoomActivationKeyCode={['Meta', 'Control']}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} position="bottom-right" />
      </ReactFlow>
    </ExpandContext>
  );
}
