/** Queries and commands for crosswalks: the list, one crosswalk, its counts, and its definition. */
import type {
  ChangeCrosswalk,
  CrosswalkCopied,
  CrosswalkHistoryView,
  CrosswalkView,
  DefineCrosswalk,
} from '@rdm/contracts/crosswalks/crosswalks';
import type { SuggestionView } from '@rdm/contracts/crosswalks/mappings';
import type { Page } from '@rdm/contracts/lists/filter';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, readHistory, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/crosswalks';

export const crosswalksKey = ['crosswalks'] as const;
export const crosswalkKey = (id: number) => ['crosswalks', id] as const;

/** Existing or deleted ones. */
export const crosswalksQuery = (params: ListParams, deleted = false) =>
  queryOptions({
    queryKey: ['crosswalks', 'list', params, deleted],
    queryFn: () => read<Page<CrosswalkView>>(PATH, { query: { ...params, deleted: deleted || undefined } }),
  });

export const crosswalkQuery = (id: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(id), 'header'],
    queryFn: () => read<CrosswalkView>(`${PATH}/${id}`),
  });

/** Every version of the definition. */
export const historyQuery = (id: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(id), 'history'],
    queryFn: () => readHistory<CrosswalkHistoryView>(`${PATH}/${id}`),
  });

export interface Statistics {
  sourceRows: number;
  targetRows: number;
  brokenSources: number;
  brokenTargets: number;
  ambiguousSources: number;
  ambiguousTargets: number;
}

export const statisticsQuery = (id: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(id), 'statistics'],
    queryFn: () => read<Statistics>(`${PATH}/${id}/statistics`),
  });

export interface Preview {
  items: SuggestionView[];
  /** The share of source values with a similar target value. */
  suggested: number;
  sourceValues: number;
}

export interface PreviewOf {
  sourceSystemId: number;
  targetSystemId: number;
  sourceAttribute: string;
  targetAttribute: string;
  sourceLabelField: string | undefined;
  targetLabelField: string | undefined;
  threshold: number;
}

/** The suggestions for two attributes, before a crosswalk exists. */
export const previewQuery = (of: PreviewOf | undefined) =>
  queryOptions({
    queryKey: ['crosswalks', 'preview', of],
    queryFn: () => read<Preview>(`${PATH}/suggestions-preview`, { query: { ...of } }),
    enabled: of !== undefined,
  });

export interface WrittenCrosswalk extends Written {
  id: number;
}

export const defineCrosswalk = (crosswalk: DefineCrosswalk) => write<WrittenCrosswalk>('POST', PATH, crosswalk);

export const changeCrosswalk = (id: number, revision: number, change: ChangeCrosswalk) =>
  write<WrittenCrosswalk>('PATCH', `${PATH}/${id}`, change, { revision });

/** A copy in the same direction, or reversed. */
export type CopyMode = 'duplicate' | 'reverse';

export const copyCrosswalk = (id: number, copying: CopyMode, body: { name: string; mappings: boolean }) =>
  write<CrosswalkCopied & Written>('POST', `${PATH}/${id}/${copying}`, body);

/** What a copy would contain, and what it would omit. */
export const copyPreviewQuery = (id: number, copying: CopyMode) =>
  queryOptions({
    queryKey: [...crosswalkKey(id), 'copy', copying],
    queryFn: () =>
      write<CrosswalkCopied>('POST', `${PATH}/${id}/${copying}`, { name: '?', mappings: true, preview: true }),
    gcTime: 0,
  });

export type HeaderVerb = 'submit' | 'recall' | 'approve' | 'reject' | 'revoke' | 'discard' | 'delete' | 'restore';

export function reviewHeader(
  crosswalk: Pick<CrosswalkView, 'id' | 'revision'>,
  verb: HeaderVerb,
  comment: string | undefined,
): Promise<Written & { commandId: string; deletionRequested: boolean; deleted: boolean }> {
  const path = `${PATH}/${crosswalk.id}`;
  const { revision } = crosswalk;
  return verb === 'delete'
    ? write('DELETE', path, { comment }, { revision })
    : write('POST', `${path}/${verb}`, { comment }, { revision });
}

/** Reloads all pages about crosswalks after a bulk change. */
export const reloadCrosswalks = (queries: QueryClient) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: crosswalksKey }),
    queries.invalidateQueries({ queryKey: ['missing-mappings'] }),
  ]);

/** Reloads the pages of one crosswalk, the list and the missing mappings. */
export const reloadCrosswalk = (queries: QueryClient, id: number) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: crosswalkKey(id) }),
    queries.invalidateQueries({ queryKey: ['crosswalks', 'list'] }),
    queries.invalidateQueries({ queryKey: ['missing-mappings'] }),
  ]);
