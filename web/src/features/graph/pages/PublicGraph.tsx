/** The public graph, which needs no sign-in: published data sets with the crosswalks and relationships between them. */
import type { PublicGraph as Graph } from '@rdm/contracts/data-sets/graph';
import { useQuery } from '@tanstack/react-query';
import { Share2 } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { LogoMark } from '../../../components/logo/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { publicGraphQuery } from '../api/graph.ts';
import { GraphExport } from '../components/GraphExport.tsx';
import { GraphPicture } from '../components/GraphPicture.tsx';
import { GraphTable } from '../components/GraphTable.tsx';
import type { Picture } from '../components/picture.ts';

const rowsText = (count: number) => `${formatNumber(count)}\u00a0${count === 1 ? 'row' : 'rows'}`;
const KIND_WORDS = { crosswalk: 'Crosswalk', relationship: 'Relationship' } as const;
const edgeText = ({ kind, count }: Graph['edges'][number]) =>
  count === 0 ? KIND_WORDS[kind] : `${formatNumber(count)} ${kind === 'crosswalk' ? 'mapped' : 'related'}`;

const pictureOf = ({ nodes, edges }: Graph): Picture => ({
  nodes: nodes.map(({ id, name, instanceCount }) => ({
    id,
    name,
    detail: rowsText(instanceCount),
    isRoot: false,
    isPublic: false,
    more: 0,
  })),
  edges: edges.map((edge) => ({ ...edge, label: edgeText(edge), href: undefined })),
});

export default function PublicGraph() {
  const { data, error, refetch } = useQuery(publicGraphQuery);
  const picture = useMemo(() => data && pictureOf(data), [data]);
  const names = new Map(data?.nodes.map((node) => [node.id, node.name]));
  return (
    <main data-scrolls className="mx-auto flex min-h-full w-full max-w-6xl flex-col gap-4 p-4">
      <header className="flex flex-wrap items-center gap-3">
        <LogoMark className="size-8" />
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="font-semibold text-xl">Graph Visualization</h1>
          <p className="text-muted">The published data sets, and the crosswalks and relationships between them.</p>
        </div>
        {picture !== undefined && picture.nodes.length > 0 && <GraphExport picture={picture} name="Graph" />}
        <Button asChild>
          <Link to="/">Reference Data Management</Link>
        </Button>
      </header>
      {error !== null && data === undefined && (
        <ErrorState title="The graph could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined && <Skeleton className="w-1/3" />}
      {data !== undefined && data.nodes.length === 0 && (
        <EmptyState
          icon={Share2}
          title="Nothing is published yet"
          description="A data set appears here when its administrators make it public in the graph."
        />
      )}
      {data !== undefined && picture !== undefined && data.nodes.length > 0 && (
        <>
          <GraphPicture picture={picture} />
          {data.more > 0 && (
            <p className="text-muted">{formatNumber(data.more)} more published data sets are not shown.</p>
          )}
          <GraphTable<Graph['nodes'][number]>
            caption="Published data sets"
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
              { header: 'Rows', cell: (node) => formatNumber(node.instanceCount), numeric: true },
            ]}
          />
          <GraphTable<Graph['edges'][number]>
            caption="Crosswalks and relationships"
            rows={data.edges}
            rowId={(edge) => `${edge.kind} ${edge.sourceId} ${edge.targetId}`}
            empty="No approved crosswalk and no relationship connects two published data sets yet."
            columns={[
              { header: 'From', cell: (edge) => names.get(edge.sourceId) },
              { header: 'To', cell: (edge) => names.get(edge.targetId) },
              { header: 'Kind', cell: (edge) => KIND_WORDS[edge.kind] },
              { header: 'Approved mappings or values', cell: (edge) => formatNumber(edge.count), numeric: true },
            ]}
          />
        </>
      )}
    </main>
  );
}
