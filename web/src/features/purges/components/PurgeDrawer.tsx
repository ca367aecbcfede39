/** The details of one purge: its plan, its result, and where the bytes of deleted events may still be. */
import type { PurgeView } from '@rdm/contracts/admin/purge-requests';
import { useQuery } from '@tanstack/react-query';
import { format } from 'date-fns';
import { copyText } from '../../../components/copy-text/index.ts';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { purgeQuery } from '../api/purges.ts';
import { PlanDetails } from './plan/Plan.tsx';
import { kindLabel, stateText } from './words.ts';

const timeSuffix = (instant: string | null): string =>
  instant === null ? '' : `, ${format(instant, 'd MMM yyyy, HH:mm')}`;

export function PurgeDrawer({ purge, onClose }: { purge: PurgeView; onClose: () => void }) {
  const { data, error, refetch } = useQuery(purgeQuery(purge.id));
  const { requestedBy, requestedAt, confirmedBy, confirmedAt, reason, status, command, leftovers } = purge;
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Purge ${purge.id}`}
      description={`${kindLabel(purge.kind)}: ${stateText(purge)}`}
    >
      <div className="flex flex-col gap-4 text-sm">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          <dt className="text-muted">Reason</dt>
          <dd>{reason}</dd>
          <dt className="text-muted">Requested</dt>
          <dd>{`${requestedBy}${timeSuffix(requestedAt)}`}</dd>
          {confirmedBy !== null && (
            <>
              <dt className="text-muted">Confirmed</dt>
              <dd>{`${confirmedBy}${timeSuffix(confirmedAt)}`}</dd>
            </>
          )}
        </dl>
        {status === 'RECLAIMING' && command !== null && (
          <section className="flex flex-col gap-1">
            <h3 className="font-medium">Reclaim the space on the event store</h3>
            <p className="text-muted">
              The purged data can no longer be read, but the files of the event store still contain its bytes. An
              operator of the event store must run this command, which starts a scavenge. Choose Check again when the
              scavenge has ended. EventStoreDB skips the file that it currently writes: a later scavenge removes the
              events in that file.
            </p>
            <code className="whitespace-pre-wrap break-all rounded-md border border-hairline px-2 py-1 text-xs">
              {command}
            </code>
            <Button
              className="self-start"
              onClick={() =>
                void copyText(command, 'Command copied', (error) =>
                  notify.error(messageOf(error), { title: 'The command was not copied' }),
                )
              }
            >
              Copy command
            </Button>
          </section>
        )}
        {leftovers.length > 0 && (
          <section>
            <h3 className="font-medium">Where the deleted bytes can still be</h3>
            <ul className="list-disc pl-4">
              {leftovers.map((each) => (
                <li key={each}>{each}</li>
              ))}
            </ul>
          </section>
        )}
        {error !== null && data === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton className="h-24" />
        ) : (
          data.plan !== null && <PlanDetails purge={data} plan={data.plan} />
        )}
      </div>
    </Drawer>
  );
}
