/** Mapping values of a crosswalk on the wire: tabs with their counts, suggestions, history, translation and commands. */

import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import type { RowOutcome } from '@rdm/contracts/crosswalks/crosswalks';
import {
  MAPPING_TABS,
  type MappedPair,
  type MappingHistoryView,
  type MappingView,
  type SuggestionView,
} from '@rdm/contracts/crosswalks/mappings';
import type { TranslationView } from '@rdm/contracts/crosswalks/translation';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import type { ReviewVerb } from '@rdm/contracts/review/approval';
import { queryOptions } from '@tanstack/react-query';
import { read, readHistory, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { crosswalkKey } from './crosswalks.ts';

export { MAPPING_TABS };
export type MappingTab = (typeof MAPPING_TABS)[number];
/** Tabs of mappings that exist, each by its status. */
export type StatusTab = Exclude<MappingTab, 'unmapped' | 'suggested' | 'dismissed'>;

/** A mapping as the tab Suggested proposes it. */
export type SuggestedMapping = MappingView & { reason: string };

const path = (crosswalkId: number) => `/api/crosswalks/${crosswalkId}/mappings`;
const SIBLINGS_MAX = 1_000;

/** Large data sets are weighed against each other for a while: how far that is, where it is not done. */
export interface Weighed {
  progress?: { done: number; total: number } | null;
}
const WEIGHING_ASKED_EVERY_MS = 2_000;
const whileWeighing = ({ state }: { state: { data?: Weighed | undefined } }) =>
  state.data?.progress ? WEIGHING_ASKED_EVERY_MS : false;

export const mappingsQuery = <Row extends MappingView = MappingView>(
  crosswalkId: number,
  tab: MappingTab,
  params: ListParams,
) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', tab, params],
    queryFn: () => read<Page<Row> & Weighed>(path(crosswalkId), { query: { ...params, tab } }),
    refetchInterval: whileWeighing,
  });

export const tabCountsQuery = (crosswalkId: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'counts'],
    queryFn: () => read<Record<MappingTab, number> & Weighed>(`${path(crosswalkId)}/counts`),
    refetchInterval: whileWeighing,
  });

/** Every mapping, of any status, that shares a source value with those on screen: a value with several targets shows. */
export const siblingsQuery = (crosswalkId: number, sourceValues: readonly string[]) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', 'siblings', sourceValues],
    queryFn: () => {
      const filter: FilterGroup = {
        logic: 'AND',
        conditions: [{ field: 'sourceValue', operator: 'in', value: sourceValues }],
      };
      return read<Page<MappingView>>(path(crosswalkId), {
        query: { filter: JSON.stringify(filter), pageSize: SIBLINGS_MAX, sort: 'sourceValue' },
      });
    },
    enabled: sourceValues.length > 0,
  });

/** Mappings of any status that share the source value or the target with a pair; of one end where only one is known. */
export const besideQuery = (crosswalkId: number, sourceValue: string | undefined, targetValue: string | undefined) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', 'beside', sourceValue, targetValue],
    queryFn: () => {
      const filter: FilterGroup = {
        logic: 'OR',
        conditions: Object.entries({ sourceValue, targetValue }).flatMap(([field, value]) =>
          value === undefined ? [] : [{ field, operator: 'in' as const, value: [value] }],
        ),
      };
      return read<Page<MappingView>>(path(crosswalkId), {
        query: { filter: JSON.stringify(filter), pageSize: SIBLINGS_MAX },
      });
    },
    enabled: sourceValue !== undefined || targetValue !== undefined,
  });

export const historyQuery = (crosswalkId: number, id: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'history', id],
    queryFn: () => readHistory<MappingHistoryView>(`${path(crosswalkId)}/${id}`),
  });

/** A mapping as it is stored now; undefined when it is gone. Never from a cache. */
export async function currentMapping(crosswalkId: number, id: number): Promise<MappingView | undefined> {
  const filter: FilterGroup = { logic: 'AND', conditions: [{ field: 'id', operator: 'equals', value: id }] };
  const page = await read<Page<MappingView>>(path(crosswalkId), {
    query: { filter: JSON.stringify(filter) },
    fresh: true,
  });
  return page.items[0];
}

/** A page of unmapped values, each with its candidates, found or not. */
export const suggestionsQuery = (crosswalkId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'suggestions', params],
    queryFn: () => read<Page<SuggestionView>>(`/api/crosswalks/${crosswalkId}/suggestions`, { query: params }),
  });

/** The same without candidates: of the past, nobody knows what was suggested. */
export const unmappedQuery = (crosswalkId: number, params: ListParams) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'mappings', 'unmapped', params],
    queryFn: async (): Promise<Page<SuggestionView>> => {
      const page = await read<Page<MappingView>>(path(crosswalkId), { query: { ...params, tab: 'unmapped' } });
      const items = page.items.map(({ sourceValue, sourceLabel }) => ({ sourceValue, sourceLabel, candidates: [] }));
      return { ...page, items };
    },
  });

/** All candidates of the values on the tab Suggested, which itself names only the best. */
export const candidatesQuery = (crosswalkId: number, sourceValues: readonly string[]) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'suggestions', 'of', sourceValues],
    queryFn: () => {
      const filter: FilterGroup = {
        logic: 'AND',
        conditions: [{ field: 'sourceValue', operator: 'in', value: sourceValues }],
      };
      return read<Page<SuggestionView>>(`/api/crosswalks/${crosswalkId}/suggestions`, {
        query: { filter: JSON.stringify(filter), pageSize: sourceValues.length },
      });
    },
    enabled: sourceValues.length > 0,
  });

export interface SureSuggestions extends Page<SuggestionView>, Weighed {
  /** Values with several candidates that are equally sure: they are not among the items. */
  ambiguous: { total: number; examples: string[] };
  /** Not everything was weighed: there may be more. */
  bounded: boolean;
}

/** Every unmapped value with a candidate of at least this confidence; read when asked, for a decision about all of them. */
export const sureSuggestions = (crosswalkId: number, minConfidence: number) =>
  read<SureSuggestions>(`/api/crosswalks/${crosswalkId}/suggestions`, { query: { minConfidence }, fresh: true });

export const sureSuggestionsQuery = (crosswalkId: number, minConfidence: number) =>
  queryOptions({
    queryKey: [...crosswalkKey(crosswalkId), 'suggestions', 'sure', minConfidence],
    queryFn: () => sureSuggestions(crosswalkId, minConfidence),
    refetchInterval: whileWeighing,
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

export interface BulkAnswer extends Written {
  /** Names the batch: by it what was done is taken back. */
  commandId: string;
  results: RowOutcome[];
}

/** Pairs that are not to be suggested any more; each is answered for itself. */
export const dismissSuggestions = (crosswalkId: number, rows: readonly MappedPair[]) =>
  write<BulkAnswer>('POST', `/api/crosswalks/${crosswalkId}/suggestions/dismiss`, {
    rows: rows.map(({ sourceValue, targetValue }) => ({ sourceValue, targetValue })),
  });

/** Takes dismissals back. */
export const restoreSuggestions = (crosswalkId: number, ids: readonly number[]) =>
  write<BulkAnswer>('POST', `/api/crosswalks/${crosswalkId}/suggestions/restore`, { ids });

/** Drafts pairs. A single one that is refused throws; of many, each is answered for itself. */
export const draftMappings = (crosswalkId: number, rows: readonly NewMapping[]) =>
  write<BulkAnswer>('POST', path(crosswalkId), { rows });

export interface MappingEdit {
  id: number;
  revision: number;
  targetValue: string;
  confidence: number;
}

export const editMappings = (crosswalkId: number, rows: readonly MappingEdit[]) =>
  write<BulkAnswer>('PATCH', path(crosswalkId), { rows });

export type MappingVerb = Exclude<ReviewVerb, 'edit'>;

/** Rows with the revisions that were seen, or all that a selection froze. */
export type Chosen = { rows: readonly { id: number; revision: number }[] } | { selectionId: string };

export function reviewMappings(
  crosswalkId: number,
  verb: MappingVerb,
  chosen: Extract<Chosen, { rows: unknown }>,
  comment?: string,
): Promise<BulkAnswer>;
export function reviewMappings(
  crosswalkId: number,
  verb: MappingVerb,
  chosen: Chosen,
  comment?: string,
): Promise<BulkAnswer | DecidedAsJob>;
export function reviewMappings(
  crosswalkId: number,
  verb: MappingVerb,
  chosen: Chosen,
  comment?: string,
): Promise<BulkAnswer | DecidedAsJob> {
  const body = {
    ...('rows' in chosen ? { rows: chosen.rows.map(({ id, revision }) => ({ id, revision })) } : chosen),
    ...(comment === undefined ? {} : { comment }),
  };
  return verb === 'delete'
    ? write('DELETE', path(crosswalkId), body)
    : write('POST', `${path(crosswalkId)}/${verb}`, body);
}

/** Drafts that these commands made, and that nobody touched since. */
export const freezeDraftedBy = (crosswalkId: number, commandIds: readonly string[]) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'mappings',
    parentId: crosswalkId,
    tab: 'draft',
    commandIds,
  });

/** Freezes all rows of a tab that match. */
export const freezeMappings = (crosswalkId: number, tab: StatusTab, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', { kind: 'mappings', parentId: crosswalkId, tab, q, filter });
