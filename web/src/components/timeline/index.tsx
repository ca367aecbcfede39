/** A timeline of events: status shapes, user, version, and time (relative, with the exact instant in the title). */

import type { VersionStatus } from '@rdm/contracts/review/approval';
import { format, formatDistanceToNow } from 'date-fns';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { searchAt } from '../../lib/api/index.ts';
import { useIsPast } from '../../lib/past/index.ts';
import { EmptyState } from '../empty-state/index.tsx';
import { StatusShape } from '../status-badge/index.tsx';
import { Button } from '../ui/button.tsx';

/**
 * A relative time with the exact instant in its title. A page of the past shows date and time instead, because "ago"
 * would refer to the present.
 */
export function RelativeTime({ at }: { at: string | Date }) {
  useSyncExternalStore(onTick, () => tick);
  const { iso, exact, relative } = textsOf(new Date(at).getTime());
  const minute = exact.slice(0, MINUTE_LENGTH);
  // On paper, print styles show date and time instead, because a relative time would soon be wrong.
  return useIsPast() ? (
    <time dateTime={iso} title={exact}>
      {minute}
    </time>
  ) : (
    <time dateTime={iso} title={exact} data-printed={minute}>
      <span data-screen-only>{relative}</span>
    </time>
  );
}

const TICK_MS = 30_000;
/** Increases every `TICK_MS` while relative times are displayed, so that they are updated. */
let tick = 0;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick += 1;
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Length of `yyyy-MM-dd HH:mm`. */
const MINUTE_LENGTH = 16;

interface TimeTexts {
  iso: string;
  exact: string;
  relative: string;
}

const CACHED_TEXTS_MAX = 1_000;
const JUST_NOW_MS = 30_000;
/** Formatted times are cached, because rows with the same times are rendered repeatedly while a list is scrolled. */
const cache = { period: 0, texts: new Map<number, TimeTexts>() };

/** Texts of times older than a minute are cached for at most `TICK_MS`, because they change at most once a minute. */
function textsOf(time: number): TimeTexts {
  const currentPeriod = Math.floor(Date.now() / TICK_MS);
  const isOlderThanMinute = Date.now() - time > 60_000;
  if (cache.period !== currentPeriod || cache.texts.size >= CACHED_TEXTS_MAX) {
    cache.period = currentPeriod;
    cache.texts.clear();
  }
  const cached = cache.texts.get(time);
  if (cached !== undefined) return cached;
  const date = new Date(time);
  const texts = {
    iso: date.toISOString(),
    exact: format(date, 'yyyy-MM-dd HH:mm:ss xxx'),
    // “just now” also covers a difference between the clocks of server and browser, and fits a column.
    relative: Math.abs(Date.now() - time) < JUST_NOW_MS ? 'just now' : formatDistanceToNow(date, { addSuffix: true }),
  };
  if (isOlderThanMinute) cache.texts.set(time, texts);
  return texts;
}

export interface TimelineEntry {
  id: string | number;
  /** The seq of the event, if the page can be displayed as of this event. */
  seq?: number;
  at: string | Date;
  actor: string;
  title: ReactNode;
  status?: VersionStatus;
  version?: number;
  comment?: string | null;
  /** Further content, such as a diff. */
  details?: ReactNode;
  onCompare?: () => void;
}

/** A permanent link to the page as it was after this event. */
function AsOfLink({ seq }: { seq: number }) {
  const { search } = useLocation();
  return (
    <Button asChild variant="ghost" size="sm">
      <Link to={{ search: searchAt(search, `seq:${seq}`) }} title={`This page as of event ${seq}`}>
        Open the page as of this change
      </Link>
    </Button>
  );
}

export function Timeline({ entries, label = 'History' }: { entries: readonly TimelineEntry[]; label?: string }) {
  if (entries.length === 0) return <EmptyState title="No history yet" />;
  return (
    <ol aria-label={label} className="flex flex-col">
      {entries.map((entry) => (
        <li key={entry.id} className="relative flex gap-3 pb-4 last:pb-0">
          <span aria-hidden="true" className="absolute top-4 bottom-0 left-[5.5px] w-px bg-hairline" />
          <span className="z-10 mt-1 flex size-3 shrink-0 items-center justify-center bg-raised">
            {entry.status === undefined ? (
              <span className="size-2 rounded-full bg-control" />
            ) : (
              <StatusShape status={entry.status} />
            )}
          </span>
          <div className="min-w-0 flex-1">
            <p className="break-words text-sm">{entry.title}</p>
            <p className="text-muted text-xs">
              {entry.actor}
              {entry.version !== undefined && <span className="font-mono"> · v{entry.version}</span>} ·{' '}
              <RelativeTime at={entry.at} />
            </p>
            {entry.comment !== undefined && entry.comment !== null && entry.comment !== '' && (
              <p className="mt-1 border-hairline border-l-2 pl-2 text-sm">{entry.comment}</p>
            )}
            {entry.details !== undefined && <div className="mt-1">{entry.details}</div>}
            {(entry.onCompare !== undefined || entry.seq !== undefined) && (
              <p className="-ml-2 flex flex-wrap">
                {entry.onCompare !== undefined && (
                  <Button variant="ghost" size="sm" onClick={entry.onCompare}>
                    Compare with the current version
                  </Button>
                )}
                {entry.seq !== undefined && <AsOfLink seq={entry.seq} />}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
