/** The page of the graph database: its engine, size, progress and counter drift; administrators can rebuild it. */
import type { GraphDrift, GraphInfo, GraphKind } from '@rdm/contracts/data-sets/graph';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Hammer, SearchCheck } from 'lucide-react';
import { useState } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Figures, PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { driftQuery, graphInfoQuery, rebuildGraph } from '../api/graph.ts';
import { GraphTable } from '../components/GraphTable.tsx';

const KIND_WORDS: Record<GraphKind, string> = {
  types: 'Types',
  dataSets: 'Data sets',
  instances: 'Rows',
  relationships: 'Relationships',
  relationshipValues: 'Relationship values',
  crosswalks: 'Crosswalks',
  mappings: 'Mappings',
};
const COUNTER_WORDS: Record<GraphDrift['counter'], string> = {
  rows: 'Rows of each data set',
  mappings: 'Mappings of each crosswalk',
  mappedSources: 'Mapped source values of each crosswalk',
  relationshipValues: 'Values of each relationship',
  dependants: 'Crosswalks and relationships of each data set',
};
const STATE_WORDS: Record<string, string> = { SERVING: 'Serving', BUILDING: 'Building', DETACHED: 'Stopped' };

type Build = GraphInfo['builds'][number];

export default function GraphDatabase() {
  const { isAdmin } = useCurrentUser();
  const queries = useQueryClient();
  const { data: info, error, refetch } = useQuery(graphInfoQuery);
  const drift = useQuery(driftQuery);
  const [isConfirming, setConfirming] = useState(false);
  const [busy, setBusy] = useState(false);
  const isRebuilding = info?.builds.some(({ state }) => state === 'BUILDING') === true;

  async function rebuild() {
    setBusy(true);
    try {
      await rebuildGraph();
      notify.success('Rebuild started');
      await queries.invalidateQueries({ queryKey: graphInfoQuery.queryKey });
    } catch (failure) {
      notify.error(messageOf(failure), { title: 'The rebuild was not started' });
    } finally {
      setBusy(false);
      setConfirming(false);
    }
  }

  return (
    <div className="flex flex-col gap-4">
      <PageHeader
        title="Graph Database"
        description="The read models of the graph. They can be rebuilt from the event log."
        actions={
          <>
            <Button onClick={() => void drift.refetch()} disabled={drift.isFetching} aria-busy={drift.isFetching}>
              <SearchCheck />
              {drift.isFetching ? 'Counting…' : 'Check for drift'}
            </Button>
            {isAdmin && (
              <Button
                variant="primary"
                disabled={isRebuilding || info === undefined}
                title={isRebuilding ? 'A rebuild is in progress' : undefined}
                onClick={() => setConfirming(true)}
              >
                <Hammer />
                Rebuild
              </Button>
            )}
          </>
        }
      />
      {error !== null && info === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {error === null && info === undefined && <Skeleton className="w-1/3" />}
      {info !== undefined && (
        <>
          <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
            <Fact label="Engine" value={`${info.engine.name} ${info.engine.version}`} />
            <Fact label="Last event" value={formatNumber(info.reader.seq)} />
            <Fact label="Position" value={info.reader.position} />
          </dl>
          <Counts caption="Nodes" counts={info.nodes} />
          <Counts caption="Edges" counts={info.edges} />
          <Drift drifts={drift.data} error={drift.error} />
          <GraphTable<Build>
            caption="Read models"
            rows={info.builds}
            rowId={({ name, build }) => `${name} ${build}`}
            empty="No read models yet: the system is starting."
            columns={[
              { header: 'Name', cell: ({ name }) => <span className="font-mono">{name}</span> },
              { header: 'State', cell: ({ state }) => STATE_WORDS[state] ?? state },
              { header: 'Version', cell: ({ version }) => version, numeric: true },
              { header: 'Build', cell: ({ build }) => build, numeric: true },
              { header: 'Last event', cell: ({ seq }) => formatNumber(seq), numeric: true },
              { header: 'Behind', cell: ({ lag }) => (lag === 0 ? '–' : formatNumber(lag)), numeric: true },
            ]}
          />
        </>
      )}
      <Confirm
        open={isConfirming}
        onOpenChange={setConfirming}
        title="Rebuild the graph?"
        description="New read models are built from the event log and replace the current ones when they have caught up. The application stays available, and no data is lost. The rebuild uses server resources."
        confirm="Rebuild"
        variant="primary"
        busy={busy}
        onConfirm={() => void rebuild()}
      />
    </div>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-muted">{label}</dt>
      <dd className="font-mono">{value}</dd>
    </div>
  );
}

function Counts({ caption, counts }: { caption: string; counts: GraphInfo['nodes'] }) {
  return (
    <section aria-label={caption}>
      <h2 className="mb-1 font-semibold text-base">{caption}</h2>
      <div className="flex">
        <Figures figures={counts.map(({ kind, count }) => ({ label: KIND_WORDS[kind], value: count }))} />
      </div>
    </section>
  );
}

function Drift({ drifts, error }: { drifts: readonly GraphDrift[] | undefined; error: Error | null }) {
  if (error !== null) return <Alert tone="error">{messageOf(error)}</Alert>;
  if (drifts === undefined) return null;
  const wrong = drifts.reduce((sum, each) => sum + each.wrong, 0);
  return (
    <div role="status" className="flex flex-col gap-2">
      {wrong === 0 ? (
        <Alert tone="info">No drift: all counters match a recount.</Alert>
      ) : (
        <Alert tone="warning">
          {formatNumber(wrong)} {wrong === 1 ? 'counter does' : 'counters do'} not match a recount. Changes in progress
          can cause a difference: check again before you rebuild.
        </Alert>
      )}
      <GraphTable<GraphDrift>
        caption="Counters"
        rows={drifts}
        rowId={({ counter }) => counter}
        empty="No counters were compared."
        columns={[
          { header: 'Counter', cell: ({ counter }) => COUNTER_WORDS[counter] },
          { header: 'Stored', cell: ({ kept }) => formatNumber(kept), numeric: true },
          { header: 'Counted', cell: ({ counted }) => formatNumber(counted), numeric: true },
          { header: 'Wrong', cell: ({ wrong: count }) => formatNumber(count), numeric: true },
        ]}
      />
    </div>
  );
}
