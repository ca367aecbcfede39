/** The details of a key: its scopes, its creator, and its usage by day. */
import type { ApiKeyUsage, ApiKeyView } from '@rdm/contracts/identity/api-keys';
import { useQuery } from '@tanstack/react-query';
import { format } from 'date-fns';
import type { ReactNode } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { usageQuery } from '../api/api-keys.ts';
import { KeyState } from './KeyState.tsx';
import { byCollection } from './scopes.ts';

export function KeyDrawer({ apiKey, onClose }: { apiKey: ApiKeyView; onClose: () => void }) {
  const nameOf = usePeople([apiKey.createdBy]);
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={apiKey.name}
      description={apiKey.description === '' ? 'No description' : apiKey.description}
    >
      <div className="flex flex-col gap-5">
        <dl className="grid grid-cols-[minmax(6rem,8rem)_1fr] gap-x-3 border-hairline border-y">
          <Fact label="State">
            <KeyState apiKey={apiKey} />
          </Fact>
          <Fact label="Secret begins with">
            <span className="font-mono text-xs">{apiKey.prefix}…</span>
          </Fact>
          <Fact label="Scopes">
            <ul>
              {byCollection(apiKey.scopes).map(({ collectionId, name, scopes }) => (
                <li key={collectionId}>
                  {name} <span className="text-muted">{scopes.join(', ')}</span>
                </li>
              ))}
            </ul>
          </Fact>
          <Fact label="Expires">{apiKey.expiresAt === null ? 'Never' : <Moment at={apiKey.expiresAt} />}</Fact>
          {apiKey.overlapUntil !== null && (
            <Fact label="Previous secret">
              valid until <Moment at={apiKey.overlapUntil} />
            </Fact>
          )}
          {apiKey.revokedAt !== null && (
            <Fact label="Revoked">
              <Moment at={apiKey.revokedAt} />
            </Fact>
          )}
          <Fact label="Last used">{apiKey.lastUsedAt === null ? 'Never' : <Moment at={apiKey.lastUsedAt} />}</Fact>
          <Fact label="Created">
            <Moment at={apiKey.createdAt} /> by {nameOf(apiKey.createdBy)}
          </Fact>
        </dl>
        <Usage id={apiKey.id} />
      </div>
    </Drawer>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid border-hairline border-b py-1.5 last:border-b-0">
      <dt className="break-words text-muted">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

function Moment({ at }: { at: string }) {
  return (
    <>
      {format(new Date(at), 'yyyy-MM-dd HH:mm')}{' '}
      <span className="text-muted">
        (<RelativeTime at={at} />)
      </span>
    </>
  );
}

function Usage({ id }: { id: number }) {
  const { data: days, error, refetch } = useQuery(usageQuery(id));
  return (
    <section aria-labelledby="usage">
      <h3 id="usage" className="mb-1.5 font-medium">
        Calls in the last 30 days
      </h3>
      {days !== undefined ? (
        <Chart days={days} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-20" />
      )}
    </section>
  );
}

/** A bar for each day, with a text for screen readers. */
function Chart({ days }: { days: readonly ApiKeyUsage[] }) {
  const maxCalls = Math.max(...days.map(({ calls }) => calls));
  const total = days.reduce((sum, { calls }) => sum + calls, 0);
  const today = days.at(-1)?.calls ?? 0;
  const text = `${formatNumber(total)} in total, ${formatNumber(today)} today (UTC)`;
  return (
    <figure>
      <div role="img" aria-label={text} className="flex h-20 items-end gap-px border-hairline border-b">
        {days.map(({ day, calls }) => (
          <span
            key={day}
            title={`${day}: ${formatNumber(calls)}`}
            className="flex h-full flex-1 items-end hover:bg-hover"
          >
            <span
              className="block w-full bg-accent"
              style={{ height: calls === 0 ? 0 : `max(2px, ${(100 * calls) / maxCalls}%)` }}
            />
          </span>
        ))}
      </div>
      <figcaption className="mt-1 flex justify-between text-muted text-xs">
        <span>{days[0]?.day}</span>
        <span>{text}</span>
      </figcaption>
    </figure>
  );
}
