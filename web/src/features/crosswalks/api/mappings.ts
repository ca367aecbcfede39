/** Queries and commands for mappings: tabs with their counts, suggestions, history, translation and review. */

import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import {
  MAPPING_TABS,
  type MappedPair,
  type MappingHistoryView,
  type MappingView,
  type SuggestionView,
} from '@rdm/contracts/crosswalks/mappings';
import type { TranslationView } from '@rdm/contracts/crosswalks/translation';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import { queryOptions } from '@tanstack/react-query';
import { type BulkAnswer, type RowSelection, reviewRows } from '../../../components/review/commands.ts';
import type { RowVerb } from '../../../components/review/verbs.ts';
import { read, readHistory, write } from '../../../lib/api/index.ts';
import { fieldIn } from '../../../lib/filters/field-in.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { crosswalkKey } from './crosswalks.ts';

export { MAPPING_TABS };
export type MappingTab = (typeof MAPPING_TABS)[number];
/** Tabs of stored mappings: one for each status, one for broken targets, and one for deleted mappings. */
export type MappingStatusTab = Exclude<MappingTab, 'unmapped' | 'suggested' | 'dismissed'>;

/** A row on the tab Suggested: a value with its best candidate. */
export type SuggestedMapping = MappingView & { reason: string };

export const mappingsPath = (crosswalkId: number) => `/api/crosswalks/${crosswalkId}/mappings`;
const SIBLINGS_MAX = 1_000;

/** `progress` is set while the server compares two large data sets, and null or absent afterwards. */
export interface ComparisonState {
  progress?: { done: number; total: number } | null;
}
const COMPARISON_POLL_MS = 2_000;
const pollWhileComparing = ({ state }: { state: { data?: ComparisonState | undefined } }) =>
  state.data?.progress ? COMPARISON_POLL_MS : false;

export const mappingsQuery = <Row extends MappingView = MappingView>(
  crosswalkId: number,
  tab: MappingTab,
  params: ListParams,
) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', tab, params],
    queryFn: () => read<Page<Row> & ComparisonState>(mappingsPath(crosswalkId), { query: { ...params, tab } }),
    refetchInterval: pollWhileComparing,
  });

export const tabCountsQuery = (crosswalkId: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'counts'],
    queryFn: () => read<Record<MappingTab, number> & ComparisonState>(`${mappingsPath(crosswalkId)}/counts`),
    refetchInterval: pollWhileComparing,
  });

/** The mappings of any status with these source values, to show which values have several targets. */
export const siblingsQuery = (crosswalkId: number, sourceValues: readonly string[]) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', 'siblings', sourceValues],
    queryFn: () =>
      read<Page<MappingView>>(mappingsPath(crosswalkId), {
        query: { filter: fieldIn('sourceValue', sourceValues), pageSize: SIBLINGS_MAX, sort: 'sourceValue' },
      }),
    enabled: sourceValues.length > 0,
  });

/** Mappings of any status that have the source value or the target value of a pair; either value may be undefined. */
export const conflictingMappingsQuery = (
  crosswalkId: number,
  sourceValue: string | undefined,
  targetValue: string | undefined,
) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', 'conflicting', sourceValue, targetValue],
    queryFn: () => {
      const filter: FilterGroup = {
        logic: 'OR',
        conditions: Object.entries({ sourceValue, targetValue }).flatMap(([field, value]) =>
          value === undefined ? [] : [{ field, operator: 'in' as const, value: [value] }],
        ),
      };
      return read<Page<MappingView>>(mappingsPath(crosswalkId), {
        query: { filter: JSON.stringify(filter), pageSize: SIBLINGS_MAX },
      });
    },
    enabled: sourceValue !== undefined || targetValue !== undefined,
  });

export const historyQuery = (crosswalkId: number, id: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'history', id],
    queryFn: () => readHistory<MappingHistoryView>(`${mappingsPath(crosswalkId)}/${id}`),
  });

/** Reads the current mapping, never from a cache; undefined if the mapping was deleted. */
export async function currentMapping(crosswalkId: number, id: number): Promise<MappingView | undefined> {
  const page = await read<Page<MappingView>>(mappingsPath(crosswalkId), {
    query: { filter: fieldIn('id', [id]) },
    fresh: true,
  });
  return page.items[0];
}

/** A page of unmapped values, each with its candidates. */
export const suggestionsQuery = (crosswalkId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'suggestions', params],
    queryFn: () => read<Page<SuggestionView>>(`/api/crosswalks/${crosswalkId}/suggestions`, { query: params }),
  });

/** A page of unmapped values at a past moment. The values have no candidates, because suggestions are not stored. */
export const unmappedQuery = (crosswalkId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', 'unmapped', params],
    queryFn: async (): Promise<Page<SuggestionView>> => {
      const page = await read<Page<MappingView>>(mappingsPath(crosswalkId), { query: { ...params, tab: 'unmapped' } });
      const items = page.items.map(({ sourceValue, sourceLabel }) => ({ sourceValue, sourceLabel, candidates: [] }));
      return { ...page, items };
    },
  });

/** All candidates of the given values. The rows of the tab Suggested contain only the best candidate. */
export const candidatesQuery = (crosswalkId: number, sourceValues: readonly string[]) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'suggestions', 'of', sourceValues],
    queryFn: () =>
      read<Page<SuggestionView>>(`/api/crosswalks/${crosswalkId}/suggestions`, {
        query: { filter: fieldIn('sourceValue', sourceValues), pageSize: sourceValues.length },
      }),
    enabled: sourceValues.length > 0,
  });

export interface ConfidentSuggestions extends Page<SuggestionView>, ComparisonState {
  /** Values with several equally good candidates; `items` does not contain them. */
  ambiguous: { total: number; examples: string[] };
  /** Whether only some of the values were compared, so that there may be more suggestions. */
  bounded: boolean;
}

/** Reads up to 10,000 unmapped values with an unambiguous candidate of at least this confidence. */
export const confidentSuggestions = (crosswalkId: number, minConfidence: number) =>
  read<ConfidentSuggestions>(`/api/crosswalks/${crosswalkId}/suggestions`, { query: { minConfidence }, fresh: true });

export const confidentSuggestionsQuery = (crosswalkId: number, minConfidence: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'suggestions', 'confident', minConfidence],
    queryFn: () => confidentSuggestions(crosswalkId, minConfidence),
    refetchInterval: pollWhileComparing,
    gcTime: 0,
  });

export const translate = (crosswalkId: number, value: string) =>
  read<TranslationView>(`/api/crosswalks/${crosswalkId}/translate`, { query: { value }, fresh: true });

export interface NewMapping {
  sourceValue: string;
  targetValue: string;
  confidence: number;
  origin: 'MANUAL' | 'SUGGESTION' | 'IMPORT';
}

/** Dismisses pairs. Each pair gets its own result. */
export const dismissSuggestions = (crosswalkId: number, rows: readonly MappedPair[]) =>
  write<BulkAnswer>('POST', `/api/crosswalks/${crosswalkId}/suggestions/dismiss`, {
    rows: rows.map(({ sourceValue, targetValue }) => ({ sourceValue, targetValue })),
  });

/** Undoes dismissals. */
export const restoreSuggestions = (crosswalkId: number, ids: readonly number[]) =>
  write<BulkAnswer>('POST', `/api/crosswalks/${crosswalkId}/suggestions/restore`, { ids });

/** Drafts pairs. Throws if `rows` has only one pair and it is refused; each of several pairs gets its own result. */
export const draftMappings = (crosswalkId: number, rows: readonly NewMapping[]) =>
  write<BulkAnswer>('POST', mappingsPath(crosswalkId), { rows });

export interface MappingEdit {
  id: number;
  revision: number;
  targetValue: string;
  confidence: number;
}

export const editMappings = (crosswalkId: number, rows: readonly MappingEdit[]) =>
  write<BulkAnswer>('PATCH', mappingsPath(crosswalkId), { rows });

export const reviewMappings = <Selected extends RowSelection>(
  crosswalkId: number,
  verb: RowVerb,
  selection: Selected,
) => reviewRows(mappingsPath(crosswalkId), verb, selection);

/** Stores a selection of the drafts that these commands created, without the drafts that were changed later. */
export const freezeDraftsOfCommands = (crosswalkId: number, commandIds: readonly string[]) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'mappings',
    parentId: crosswalkId,
    tab: 'draft',
    commandIds,
  });

/** Stores a selection of all rows of a tab that match the search and the filter. */
export const freezeMappings = (crosswalkId: number, tab: MappingStatusTab, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', { kind: 'mappings', parentId: crosswalkId, tab, q, filter });
