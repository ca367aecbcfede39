/**
 * The graph around one data set, as a picture and as tables: its neighbours, the neighbours of data sets that the user
 * expands, and all edges between the displayed data sets.
 */
import type { GraphEdge, GraphNode, GraphView } from '@rdm/contracts/data-sets/graph';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowLeft, Minimize2 } from 'lucide-react';
import { parseAsArrayOf, parseAsInteger, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { Link, useParams } from 'react-router-dom';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useLive } from '../../../lib/live/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { graphKey, graphQuery } from '../api/graph.ts';
import { GraphExport } from '../components/GraphExport.tsx';
import { GraphPicture } from '../components/GraphPicture.tsx';
import { GraphTable } from '../components/GraphTable.tsx';
import type { Picture } from '../components/picture.ts';

const rowsText = (count: number) => `${formatNumber(count)}\u00a0${count === 1 ? 'row' : 'rows'}`;

const hrefOf = ({ kind, id }: GraphEdge): string =>
  kind === 'crosswalk' ? `/crosswalks/${id}/mappings` : `/relationships/${id}/values`;

function pictureOf({ id, nodes, edges }: GraphView): Picture {
  return {
    nodes: nodes.map((node) => ({
      id: node.id,
      name: node.name,
      detail: `${node.typeName} · ${rowsText(node.instanceCount)}`,
      isRoot: node.id === id,
      isPublic: node.isPublic,
      more: node.more,
    })),
    edges: edges.map((edge) => ({
      kind: edge.kind,
      sourceId: edge.sourceId,
      targetId: edge.targetId,
      label: edge.counts.served > 0 ? `${edge.name}\u00a0(${formatNumber(edge.counts.served)})` : edge.name,
      href: hrefOf(edge),
    })),
  };
}

const NO_EXPANSION: number[] = [];

export default function DataSetGraph() {
  const id = Number(useParams()['id']);
  const [expanded, setExpanded] = useQueryState('expand', parseAsArrayOf(parseAsInteger).withDefault(NO_EXPANSION));
  const { data, error, isFetching, refetch } = useQuery({
    ...graphQuery(id, expanded),
    placeholderData: keepPreviousData,
  });
  useLive({ rooms: [`data-set:${id}`], keys: [graphKey(id)] });
  const picture = useMemo(() => data && pictureOf(data), [data]);
  const expand = (node: number) => void setExpanded([...expanded, node]);
  const names = new Map(data?.nodes.map((node) => [node.id, node.name]));
  const root = data?.nodes[0];

  return (
    <div className="flex flex-col gap-4">
      <PageHeader
        title={root === undefined ? 'Graph' : `Graph of ${root.name}`}
        description="Data sets around this one that you can read, and the crosswalks and relationships between them."
        actions={
          <>
            {expanded.length > 0 && (
              <Button onClick={() => void setExpanded(null)}>
                <Minimize2 />
                Collapse the graph
              </Button>
            )}
            {picture !== undefined && <GraphExport picture={picture} name={`Graph of ${root?.name}`} />}
            <Button asChild variant="ghost">
              <Link to={`/reference-data/${id}`}>
                <ArrowLeft />
                Back to the rows
              </Link>
            </Button>
          </>
        }
      />
      {error !== null && data === undefined && (
        <NotLoaded
          noun="data set"
          error={error}
          onRetry={() => void refetch()}
          list={{ to: '/reference-data', label: 'All data sets' }}
        />
      )}
      {error === null && picture === undefined && <Skeleton className="w-1/3" />}
      {data !== undefined && picture !== undefined && (
        <div aria-busy={isFetching} className="flex flex-col gap-6">
          <GraphPicture picture={picture} onExpand={expand} />
          <GraphTable<GraphNode>
            caption="Data sets"
            rows={data.nodes}
            rowId={(node) => node.id}
            empty="No data sets to show."
            columns={[
              {
                header: 'Name',
                cell: (node) => (
                  <Link
                    to={`/reference-data/${node.id}`}
                    className="break-words font-medium text-accent underline-offset-2 hover:underline"
                  >
                    {node.name}
                  </Link>
                ),
              },
              { header: 'Type', cell: (node) => node.typeName },
              { header: 'Rows', cell: (node) => formatNumber(node.instanceCount), numeric: true },
              { header: 'Public', cell: (node) => (node.isPublic ? 'Yes' : 'No') },
              {
                header: 'Hidden neighbours',
                cell: (node) =>
                  node.more === 0 ? (
                    <span className="text-muted">—</span>
                  ) : (
                    <Button size="sm" onClick={() => expand(node.id)}>
                      <span>
                        +{formatNumber(node.more)} more<span className="sr-only"> neighbours of {node.name}</span>
                      </span>
                    </Button>
                  ),
              },
            ]}
          />
          <GraphTable<GraphEdge>
            caption="Crosswalks and relationships"
            rows={data.edges}
            rowId={(edge) => `${edge.kind} ${edge.id}`}
            empty="No crosswalk or relationship that you can read refers to this data set yet."
            columns={[
              {
                header: 'Name',
                cell: (edge) => (
                  <Link
                    to={hrefOf(edge)}
                    className="break-words font-medium text-accent underline-offset-2 hover:underline"
                  >
                    {edge.name}
                  </Link>
                ),
              },
              { header: 'Kind', cell: (edge) => (edge.kind === 'crosswalk' ? 'Crosswalk' : 'Relationship') },
              { header: 'From', cell: (edge) => names.get(edge.sourceId) },
              { header: 'To', cell: (edge) => names.get(edge.targetId) },
              { header: 'Draft', cell: (edge) => formatNumber(edge.counts.draft), numeric: true },
              { header: 'Pending', cell: (edge) => formatNumber(edge.counts.pending), numeric: true },
              { header: 'Approved', cell: (edge) => formatNumber(edge.counts.approved), numeric: true },
              { header: 'Rejected', cell: (edge) => formatNumber(edge.counts.rejected), numeric: true },
              { header: 'Served', cell: (edge) => formatNumber(edge.counts.served), numeric: true },
            ]}
          />
        </div>
      )}
    </div>
  );
}
