/** Searches the server for the text that the user types in the palette. */
import type { FoundCode, SearchAnswer } from '@rdm/contracts/search/search';
import { holdsStorableText } from '@rdm/contracts/text/text';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';
import { useDebounced } from '../../../lib/debounce/index.ts';
import { matchesQuery } from './matches.ts';

const PAUSE_MS = 120;
const FRESH_MS = 5_000;
/** An incomplete search is repeated at this interval, at most REPEATS times, because rows become searchable later. */
const REPEAT_MS = 2_000;
const REPEATS = 3;

const NO_RESULTS: SearchAnswer = { dataSets: [], definitions: [], codes: [], people: [], complete: true };

export interface SearchState {
  answer: SearchAnswer | undefined;
  /** Whether the search for the typed text is still running. */
  isSearching: boolean;
  error: Error | null;
  retry: () => void;
}

/** `recent` are the ids of recently opened data sets, whose rows come first. */
export function useServerSearch(typed: string, recent: readonly number[]): SearchState {
  const q = useDebounced(typed, PAUSE_MS);
  const result = useQuery({
    queryKey: ['search', q, recent],
    queryFn: ({ signal }) => read<SearchAnswer>('/api/search', { query: { q, recent: recent.join(',') }, signal }),
    enabled: q !== '' && typed !== '' && holdsStorableText(q),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.complete === false && dataUpdateCount <= REPEATS ? REPEAT_MS : false,
  });
  if (typed === '') return { answer: undefined, isSearching: false, error: null, retry: () => undefined };
  // The server refuses texts with characters that it does not store.
  if (!holdsStorableText(typed)) return { answer: NO_RESULTS, isSearching: false, error: null, retry: () => undefined };
  const isAnswered = q === typed && !result.isPlaceholderData && !result.isPending;
  return {
    answer: result.data && (isAnswered ? result.data : matchingHits(typed, result.data)),
    isSearching: q !== typed || result.isPlaceholderData || (result.isFetching && result.data === undefined),
    error: q === typed && !result.isFetching ? result.error : null,
    retry: () => void result.refetch(),
  };
}

/** Returns the hits of an earlier answer that also match the current text. */
function matchingHits(typed: string, answer: SearchAnswer): SearchAnswer {
  return {
    dataSets: answer.dataSets.filter(({ name }) => matchesQuery(typed, name)),
    definitions: answer.definitions.filter(({ name }) => matchesQuery(typed, name)),
    codes: answer.codes.filter(({ code, label }: FoundCode) => matchesQuery(typed, code, label)),
    people: answer.people.filter(({ username, displayName }) => matchesQuery(typed, username, displayName)),
    complete: true,
  };
}
