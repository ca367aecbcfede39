/** Queries and commands for crosswalks: one crosswalk, its counts, its definition and its copies. */
import type { CrosswalkCopied, CrosswalkView, DefineCrosswalk } from '@rdm/contracts/crosswalks/crosswalks';
import type { SuggestionView } from '@rdm/contracts/crosswalks/mappings';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, type Written, write } from '../../../lib/api/index.ts';
import { definitionKey, definitionQuery, definitionsKey } from '../../../lib/definitions/index.ts';

const PATH = '/api/crosswalks';

export const crosswalksKey = ['crosswalks'] as const;
export const crosswalkKey = (id: number) => definitionKey('crosswalk', id);

export const crosswalkQuery = (id: number) => definitionQuery<CrosswalkView>('crosswalk', id);

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
  /**
   * The number of source values that have a target with an equal value, label or synonym. The comparison ignores case,
   * accents and punctuation.
   */
  suggested: number;
  sourceValues: number;
}

export interface PreviewInput {
  sourceSystemId: number;
  targetSystemId: number;
  sourceAttribute: string;
  targetAttribute: string;
  sourceLabelField: string | undefined;
  targetLabelField: string | undefined;
  threshold: number;
}

/** The suggestions for two attributes, for the form of a new or existing crosswalk. */
export const previewQuery = (input: PreviewInput | undefined) =>
  queryOptions({
    queryKey: ['crosswalks', 'preview', input],
    queryFn: () => read<Preview>(`${PATH}/suggestions-preview`, { query: { ...input } }),
    enabled: input !== undefined,
  });

export const defineCrosswalk = (crosswalk: DefineCrosswalk) => write<Written & { id: number }>('POST', PATH, crosswalk);

/** Whether a copy of a crosswalk has the same direction or the reverse direction. */
export type CopyMode = 'duplicate' | 'reverse';

export const copyCrosswalk = (id: number, mode: CopyMode, body: { name: string; mappings: boolean }) =>
  write<CrosswalkCopied & Written>('POST', `${PATH}/${id}/${mode}`, body);

/**
 * The preview of a copy: the counts of mappings, and the first hundred mappings that cannot be copied. The request
 * requires a name, but the preview ignores it.
 */
export const copyPreviewQuery = (id: number, mode: CopyMode) =>
  queryOptions({
    queryKey: [...crosswalkKey(id), 'copy', mode],
    queryFn: () =>
      write<CrosswalkCopied>('POST', `${PATH}/${id}/${mode}`, { name: '?', mappings: true, preview: true }),
    gcTime: 0,
  });

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
    queries.invalidateQueries({ queryKey: definitionsKey('crosswalk') }),
    queries.invalidateQueries({ queryKey: ['missing-mappings'] }),
  ]);
