/**
 * Reads a list of any length in chunks: first the visible chunks, then the adjacent ones. Cancels requests for chunks
 * that the user scrolls past, and caches a limited number of chunks.
 */
import { PAGE_SIZE_DEFAULT } from '@rdm/contracts/constants';
import type { Page, Total } from '@rdm/contracts/lists/filter';
import { hashKey, type QueryKey, type UseQueryOptions, useQueries, useQueryClient } from '@tanstack/react-query';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ListParams, ListState } from '../../../lib/url-state/list-state.ts';
import type { LongList } from '../types.ts';

const CHUNK_SIZE = PAGE_SIZE_DEFAULT;
/** After a jump, such as a drag of the scrollbar, reads wait until the list has not moved for this time. */
const SETTLE_MS = 80;
/** The number of rows above and below the visible rows that are read in advance. */
const MARGIN = 12;
/** The maximum number of cached chunks that are no longer visible. */
const KEPT_CHUNKS = 20;

type ChunkQuery<Row, Key extends QueryKey> = Pick<
  UseQueryOptions<Page<Row>, Error, Page<Row>, Key>,
  'queryKey' | 'queryFn'
>;

export interface LongListOptions<Row, Key extends QueryKey> {
  state: ListState;
  /** A stable function. A query must pass its `signal` to the request, so that the list can cancel the request. */
  query: (params: ListParams) => ChunkQuery<Row, Key>;
}

interface Chunk<Row> {
  number: number;
  items: readonly Row[];
}

interface VisibleChunks<Row> {
  view: string;
  chunks: readonly Chunk<Row>[];
  total: Total;
  knownLength: KnownLength;
}

export function useLongList<Row, Key extends QueryKey>({ state, query }: LongListOptions<Row, Key>): LongList<Row> {
  const { params } = state;
  const { sort, order, q, filter } = params;
  const queries = useQueryClient();
  const view = JSON.stringify([sort, order, q, filter]);
  const chunkQuery = useCallback(
    (number: number) => query({ sort, order, q, filter, page: number, pageSize: CHUNK_SIZE }),
    [query, sort, order, q, filter],
  );

  const linkedChunk = chunkOf((params.page - 1) * params.pageSize);
  const [visibleRange, setVisibleRange] = useState({ view, first: linkedChunk, last: linkedChunk });
  const { first, last } = visibleRange.view === view ? visibleRange : { first: linkedChunk, last: linkedChunk };
  const numbers = useMemo(() => Array.from({ length: last - first + 1 }, (_, offset) => first + offset), [first, last]);
  const results = useQueries({ queries: numbers.map(chunkQuery) });

  const lastShown = useRef<VisibleChunks<Row>>(undefined);
  const before = lastShown.current;
  const newest = results.reduce<(typeof results)[number] | undefined>(
    (best, result) => (result.data !== undefined && result.dataUpdatedAt > (best?.dataUpdatedAt ?? -1) ? result : best),
    undefined,
  );
  const loadedChunks = numbers.flatMap((number, at) => {
    const data = results[at]?.data;
    return data === undefined ? [] : [{ number, items: data.items }];
  });
  const total = newest?.data?.total ?? (before?.view === view ? before.total : undefined);
  const failedResult = results.find((result) => result.error !== null && result.data === undefined);
  // The rows of the previous view stay visible until this view has loaded or failed.
  let shown = failedResult === undefined || before?.view === view ? before : undefined;
  if (total !== undefined) {
    const knownLength = updateLength(before?.view === view ? before.knownLength : UNKNOWN_LENGTH, total, loadedChunks);
    if (
      before?.view !== view ||
      before.total !== total ||
      !areSameChunks(before.chunks, loadedChunks) ||
      !isSameLength(before.knownLength, knownLength)
    )
      shown = { view, chunks: loadedChunks, total, knownLength };
  }
  useEffect(() => {
    lastShown.current = shown;
  });

  const chunks = shown?.chunks;
  const items = useMemo(() => chunks?.flatMap((chunk) => chunk.items), [chunks]);
  const contentKey = `${shown?.view} ${chunks?.map(({ number }) => number).join(' ')}`;
  const count = shown === undefined ? 0 : countOf(shown.knownLength);
  const exactCount = shown?.knownLength.end;
  const shownTotal = exactCount ?? shown?.total;
  const data = useMemo(
    () => (items === undefined || shownTotal === undefined ? undefined : { items, total: shownTotal }),
    [items, shownTotal],
  );

  const settleTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settleTimer.current), []);
  const show = useCallback(
    (firstRow: number, lastRow: number) => {
      const next = {
        view,
        first: chunkOf(Math.max(0, firstRow - MARGIN)),
        last: chunkOf(Math.max(lastRow, Math.min(count - 1, lastRow + MARGIN))),
      };
      clearTimeout(settleTimer.current);
      if (next.first === first && next.last === last) return;
      const isNear = next.first <= last + 1 && next.last >= first - 1;
      const isKept = (number: number) => queries.getQueryData(chunkQuery(number).queryKey) !== undefined;
      const isLoaded = Array.from({ length: next.last - next.first + 1 }, (_, at) => next.first + at).every(isKept);
      // A transition, because new chunks re-render the whole page and scrolling has priority.
      const change = () => startTransition(() => setVisibleRange(next));
      if (isNear || isLoaded) change();
      else settleTimer.current = setTimeout(change, SETTLE_MS);
    },
    [view, first, last, count, queries, chunkQuery],
  );

  const isComplete = loadedChunks.length === numbers.length;
  useEffect(() => {
    if (!isComplete) return;
    // Starting a request takes longer than rendering a row, so the prefetch waits until it delays no frame.
    return whenIdle(() => {
      for (const number of [last + 1, first - 1]) {
        if (number >= 1 && (number - 1) * CHUNK_SIZE < count) void queries.prefetchQuery(chunkQuery(number));
      }
    });
  }, [isComplete, first, last, count, chunkQuery, queries]);

  const keptKeys = useRef<QueryKey[]>([]);
  useEffect(() => {
    const currentKeys = [first - 1, ...numbers, last + 1].map((number) => chunkQuery(number).queryKey);
    const hashes = new Set(currentKeys.map(hashKey));
    keptKeys.current = [...keptKeys.current.filter((key) => !hashes.has(hashKey(key))), ...currentKeys];
    const surplus = Math.max(0, keptKeys.current.length - KEPT_CHUNKS - currentKeys.length);
    for (const queryKey of keptKeys.current.splice(0, surplus))
      queries.removeQueries({ queryKey, exact: true, type: 'inactive' });
  }, [first, last, numbers, chunkQuery, queries]);

  const load = useCallback(
    async (from: number, to: number) => {
      const chunkNumbers = Array.from(
        { length: chunkOf(to) - chunkOf(from) + 1 },
        (_, offset) => chunkOf(from) + offset,
      );
      const pages = await Promise.all(chunkNumbers.map((number) => queries.fetchQuery(chunkQuery(number))));
      const start = ((chunkNumbers[0] ?? 1) - 1) * CHUNK_SIZE;
      return pages.flatMap((page) => page.items).slice(from - start, to - start + 1);
    },
    [chunkQuery, queries],
  );

  return {
    data,
    isPending: data === undefined && failedResult === undefined,
    // A getter, so that only callers that read this property render again whenever a request starts or ends.
    get isFetching() {
      return results.some((result) => result.isFetching);
    },
    error: failedResult?.error ?? null,
    refetch: () => Promise.all(results.filter((result) => result.error !== null).map((result) => result.refetch())),
    long: {
      count,
      contentKey,
      view: shown?.view ?? view,
      chunks: useMemo(() => chunks?.map(({ number }) => number) ?? [], [chunks]),
      chunkSize: CHUNK_SIZE,
      show,
      load,
    },
  };
}

/** The maximum wait for an idle browser before the adjacent chunks are requested. */
const IDLE_MS = 200;

/** Calls `act` when the browser is idle; returns a function that cancels the call. */
function whenIdle(act: () => void): () => void {
  // Not every browser supports idle callbacks.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(act);
    return () => clearTimeout(timer);
  }
  const callback = requestIdleCallback(act, { timeout: IDLE_MS });
  return () => cancelIdleCallback(callback);
}

const chunkOf = (row: number): number => Math.floor(row / CHUNK_SIZE) + 1;

interface KnownLength {
  /** A lower bound of the number of rows. */
  lowerBound: number;
  /** Whether the list may continue after `lowerBound`, because the last loaded chunk is full. */
  mayContinue: boolean;
  /** The exact number of rows; undefined until the server returns it or a chunk is not full. */
  end: number | undefined;
}

const UNKNOWN_LENGTH: KnownLength = { lowerBound: 0, mayContinue: false, end: undefined };
const countOf = ({ lowerBound, mayContinue, end }: KnownLength): number =>
  end ?? (mayContinue ? lowerBound + CHUNK_SIZE : lowerBound);

/** If the total is a lower bound, the known length grows with full chunks until a chunk is not full. */
export function updateLength(previous: KnownLength, total: Total, chunks: readonly Chunk<unknown>[]): KnownLength {
  if (typeof total === 'number') return { lowerBound: total, mayContinue: false, end: total };
  const full = chunks.filter(({ items }) => items.length === CHUNK_SIZE).map(({ number }) => number * CHUNK_SIZE);
  const lowerBound = Math.max(previous.lowerBound, total.atLeast, ...full);
  const tail = chunks.find(({ number, items }) => items.length < CHUNK_SIZE && (number - 1) * CHUNK_SIZE <= lowerBound);
  if (tail !== undefined) {
    const end = (tail.number - 1) * CHUNK_SIZE + tail.items.length;
    return { lowerBound: end, mayContinue: false, end };
  }
  const mayContinue = full.includes(lowerBound) || (previous.mayContinue && previous.lowerBound === lowerBound);
  return { lowerBound, mayContinue, end: previous.lowerBound === lowerBound ? previous.end : undefined };
}

const isSameLength = (left: KnownLength, right: KnownLength): boolean =>
  left.lowerBound === right.lowerBound && left.mayContinue === right.mayContinue && left.end === right.end;

const areSameChunks = <Row>(left: readonly Chunk<Row>[], right: readonly Chunk<Row>[]): boolean =>
  left.length === right.length &&
  left.every(({ number, items }, at) => number === right[at]?.number && items === right[at]?.items);
