/**
 * The view of the past: the time control in the header, the banner below the header, and the query client of pages that
 * show the past.
 */
import type { MomentView } from '@rdm/contracts/live/moment';
import { QueryClientProvider, queryOptions, useQuery } from '@tanstack/react-query';
import { format } from 'date-fns';
import { History, Link2 } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router-dom';
import { copyText } from '../../components/copy-text/index.ts';
import { EmptyState } from '../../components/empty-state/index.tsx';
import { PageHeader } from '../../components/page/index.tsx';
import { notify } from '../../components/toast/index.ts';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/input.tsx';
import { Popover } from '../../components/ui/popover.tsx';
import { type Moment, momentIn, read, searchAt, searchNow, stopSharingReads } from '../../lib/api/index.ts';
import { useCurrentUser, userQuery } from '../../lib/auth/index.ts';
import { onAccessChange } from '../../lib/live/index.tsx';
import { messageOf } from '../../lib/messages/index.ts';
import { useMoment } from '../../lib/past/index.ts';
import { type PageHandle, usePage } from '../page.tsx';
import { createQueryClient } from '../query-client.ts';

export const useUrlMoment = (): Moment => momentIn(useLocation().search);

const momentQuery = (moment: string) =>
  queryOptions({
    queryKey: ['moment', moment],
    queryFn: () => read<MomentView>('/api/moment', { query: { asOf: moment } }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A local time to the second, in the format of the browser's input. */
const fieldText = (at: Date): string => format(at, "yyyy-MM-dd'T'HH:mm:ss");

const zoneText = (at: Date): string => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return `${timeZone ?? 'Local time'} (UTC${format(at, 'xxx')})`;
};

/** Selects a moment of the past. A page that cannot show the past has this control only while a moment is selected. */
export function TimeControl() {
  const [open, setOpen] = useState(false);
  const moment = useMoment();
  const page = usePage();
  if (moment === undefined && page?.canShowPast !== true) return null;
  return (
    <Popover
      label="View the past"
      align="end"
      open={open}
      onOpenChange={setOpen}
      className="w-72"
      trigger={
        <Button variant="ghost" size="icon" aria-label="View the past" aria-pressed={moment !== undefined}>
          <History className={moment === undefined ? undefined : 'text-accent'} />
        </Button>
      }
    >
      <MomentForm moment={moment} onClose={() => setOpen(false)} />
    </Popover>
  );
}

function MomentForm({ moment, onClose }: { moment: Moment; onClose: () => void }) {
  const navigate = useNavigate();
  const { search } = useLocation();
  const { data } = useQuery({ ...momentQuery(moment ?? ''), enabled: moment !== undefined });
  const [text, setText] = useState<string>();
  const inputText = text ?? fieldText(data?.at ? new Date(data.at) : new Date());
  const chosenTime = new Date(inputText);
  const isValid = !Number.isNaN(chosenTime.getTime());
  const problem = !isValid
    ? 'Enter a valid time'
    : chosenTime.getTime() > Date.now()
      ? 'Choose a time in the past'
      : undefined;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (problem !== undefined) return;
    void navigate({ search: searchAt(search, chosenTime.toISOString()) });
    onClose();
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label="As of" hint={zoneText(isValid ? chosenTime : new Date())} error={problem}>
        {(control) => (
          <Input
            type="datetime-local"
            step={1}
            max={fieldText(new Date())}
            value={inputText}
            onChange={(event) => setText(event.target.value)}
            {...control}
          />
        )}
      </Field>
      <p className="text-muted text-xs">The page shows the data as of this time, read-only.</p>
      <div className="flex gap-2">
        <Button type="submit" variant="primary">
          Show
        </Button>
        {moment !== undefined && (
          <Button asChild>
            <Link to={{ search: searchNow(search) }} onClick={onClose}>
              Now
            </Link>
          </Button>
        )}
      </div>
    </form>
  );
}

/** Shows the time that the page displays, and the last event up to this time. */
export function PastBanner() {
  const moment = useMoment();
  return moment === undefined ? null : <Banner key={moment} moment={moment} />;
}

function Banner({ moment }: { moment: string }) {
  const { pathname, search } = useLocation();
  const { data, error } = useQuery(momentQuery(moment));

  const copyLink = ({ seq }: MomentView) =>
    copyText(
      window.location.origin + pathname + searchAt(search, `seq:${seq}`),
      'Link copied: it always shows the same data',
      () => notify.error('The browser refused to copy the link'),
    );

  return (
    <section
      aria-label="Viewing the past"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-pending border-b bg-pending-fill px-3 py-1 text-pending-text text-sm"
    >
      <History aria-hidden="true" className="size-4 shrink-0" />
      <p role="status" className="min-w-0 flex-1 basis-56">
        {data !== undefined ? (
          <>
            {data.at === null ? (
              'Before the first change'
            ) : (
              <>
                As of <strong className="font-semibold">{timeText(data.at)}</strong>{' '}
                <span className="whitespace-nowrap">
                  ({data.seq === 0 ? 'before the first change' : `event ${data.seq}`})
                </span>
              </>
            )}{' '}
            · read-only
          </>
        ) : error !== null ? (
          messageOf(error)
        ) : (
          'Viewing the past…'
        )}
      </p>
      <span className="flex flex-wrap items-center gap-2">
        {data !== undefined && (
          <Button variant="ghost" size="sm" className="text-inherit" onClick={() => void copyLink(data)}>
            <Link2 />
            Copy link
          </Button>
        )}
        <Button asChild size="sm">
          <Link to={{ search: searchNow(search) }}>Back to now</Link>
        </Button>
      </span>
    </section>
  );
}

const timeText = (at: string): string => format(new Date(at), 'd MMM yyyy, HH:mm:ss');

/**
 * Renders the page in the present, or as of the moment in the URL. If the URL has a moment, a page that cannot show the
 * past shows an empty state instead of its current data.
 */
export function MomentProvider({ children }: { children: ReactNode }) {
  const moment = useMoment();
  const page = usePage();
  if (moment === undefined || page === undefined) return children;
  if (page.canShowPast !== true) return <NoPastState page={page} />;
  return (
    <PastQueries key={moment} moment={moment}>
      {children}
    </PastQueries>
  );
}

function NoPastState({ page }: { page: PageHandle }) {
  const { search } = useLocation();
  return (
    <>
      <PageHeader title={page.title} />
      <EmptyState
        icon={History}
        title="This page is not available for the past"
        description="It shows current data only. Lists, details and exports of reference data, crosswalks and relationships are available for the past."
        action={
          <Button asChild variant="primary">
            <Link to={{ search: searchNow(search) }}>Show current data</Link>
          </Button>
        }
      />
    </>
  );
}

/** Each moment has its own query client, so that data of the past is never mixed with current data. */
function PastQueries({ moment, children }: { moment: string; children: ReactNode }) {
  const user = useCurrentUser();
  const [queries] = useState(() => {
    const momentClient = createQueryClient(moment);
    momentClient.setQueryData(userQuery.queryKey, user);
    return momentClient;
  });
  useEffect(
    () =>
      // Reload, because access to the past depends on the current grants.
      onAccessChange(() => {
        stopSharingReads();
        void queries.invalidateQueries();
      }),
    [queries],
  );
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}
