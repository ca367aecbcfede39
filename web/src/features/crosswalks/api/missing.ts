/** Queries and commands for missing mappings: requested values without a served mapping. */

import type { Level } from '@rdm/contracts/access/permissions';
import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import { BULK_ANSWER_ROWS } from '@rdm/contracts/constants';
import type { Page } from '@rdm/contracts/lists/filter';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { queryOptions } from '@tanstack/react-query';
import type { BulkAnswer } from '../../../components/review/commands.ts';
import { read, write } from '../../../lib/api/index.ts';
import { fieldIn } from '../../../lib/filters/field-in.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import type { NewMapping } from './mappings.ts';

export interface MissingMapping {
  id: number;
  crosswalkId: number;
  crosswalkName: string;
  sourceValue: string;
  requestCount: number;
  requestedAt: string;
  lastRequestedAt: string;
  requestUserId: number | null;
  requestUsername: string | null;
  /** The API key of the last request, or null. The user of a request with a key is the creator of the key. */
  requestApiKeyName: string | null;
  requestContext: string | null;
  ignored: boolean;
  ignoreReason: string | null;
  /** The draft or pending mapping of the value; null if there is none. */
  proposed: { targetValue: string; status: 'DRAFT' | 'PENDING' } | null;
  level: Level;
  suggestion?: { targetValue: string; targetLabel: string | null; confidence: number; reason: string } | null;
}

/** Limits the list to one crosswalk, if defined, and to either open or ignored missing mappings. */
export interface MissingLimits {
  crosswalkId: number | undefined;
  ignored: boolean;
}

const queryParamsOf = ({ crosswalkId, ignored }: MissingLimits) => ({
  crosswalkId,
  ignored: ignored ? 'true' : undefined,
  include: 'suggestion',
});

export const missingMappingsQuery = (params: ListParams, limits: MissingLimits) =>
  queryOptions({
    queryKey: ['missing-mappings', params, limits],
    queryFn: () =>
      read<Page<MissingMapping>>('/api/missing-mappings', { query: { ...params, ...queryParamsOf(limits) } }),
  });

export const ignoreMissing = (id: number, comment: string) =>
  write('POST', `/api/missing-mappings/${id}/ignore`, { comment });

/** Reopens an ignored missing mapping. */
export const reopenMissing = (id: number) => write('POST', `/api/missing-mappings/${id}/reopen`, {});

/** Drafts a mapping for the missing value. */
export const mapMissing = (id: number, target: Omit<NewMapping, 'sourceValue'>) =>
  write<BulkAnswer>('POST', `/api/missing-mappings/${id}/map`, target);

/** Stores a selection of all missing mappings that match the limits, the search and the filter. */
export const freezeMissing = ({ crosswalkId, ignored }: MissingLimits, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'missing-mappings',
    parentId: crosswalkId,
    tab: ignored ? 'ignored' : undefined,
    q,
    filter,
  });

/** Missing mappings by their ids, or all missing mappings of a stored selection. */
export type MissingSelection = { ids: readonly number[] } | { selectionId: string; count: number };

/** Returns the bodies of requests with at most `BULK_ANSWER_ROWS` rows each. */
function bodiesOf(selection: MissingSelection): ({ ids: readonly number[] } | { selectionId: string; from: number })[] {
  const count = 'ids' in selection ? selection.ids.length : selection.count;
  const starts = Array.from({ length: Math.ceil(count / BULK_ANSWER_ROWS) }, (_, index) => index * BULK_ANSWER_ROWS);
  return starts.map((from) =>
    'ids' in selection
      ? { ids: selection.ids.slice(from, from + BULK_ANSWER_ROWS) }
      : { selectionId: selection.selectionId, from },
  );
}

/** `ignoreAgain` ignores reopened rows with their previous reasons. */
export type MissingVerb = 'ignore' | 'ignoreAgain' | 'reopen';

/** Ignores or reopens many missing mappings, and reports the results of each request. */
export async function decideMissing(
  verb: MissingVerb,
  selection: MissingSelection,
  comment: string | undefined,
  onResults: (results: readonly RowOutcome[]) => void,
): Promise<void> {
  for (const body of bodiesOf(selection)) {
    const reason = verb === 'ignoreAgain' ? { again: true } : comment === undefined ? {} : { comment };
    const path = `/api/missing-mappings/${verb === 'reopen' ? 'reopen' : 'ignore'}`;
    onResults((await write<BulkAnswer>('POST', path, { ...body, ...reason })).results);
  }
}

const VALUES_MAX = 500;

/** Loads the source values of open and ignored missing mappings by id, for the first `VALUES_MAX` ids. */
export async function missingMappingValues(ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const filter = fieldIn('id', ids.slice(0, VALUES_MAX));
  const pages = await Promise.all(
    [undefined, 'true'].map((ignored) =>
      read<Page<MissingMapping>>('/api/missing-mappings', {
        query: { filter, pageSize: VALUES_MAX, ignored, fields: 'sourceValue' },
        fresh: true,
      }),
    ),
  );
  return new Map(pages.flatMap(({ items }) => items.map(({ id, sourceValue }) => [id, sourceValue])));
}

const SUGGESTIONS_PAGE_SIZE = 200;

/**
 * Yields all matching missing mappings with their best suggestions, page by page. Pages are sorted by id, because a new
 * draft must not move rows to another page.
 */
export async function* missingMappingPages(
  limits: MissingLimits,
  { q, filter }: ListParams,
): AsyncGenerator<MissingMapping[]> {
  for (let page = 1; ; page++) {
    const { items } = await read<Page<MissingMapping>>('/api/missing-mappings', {
      query: { q, filter, ...queryParamsOf(limits), sort: 'id', order: 'ASC', page, pageSize: SUGGESTIONS_PAGE_SIZE },
      fresh: true,
    });
    yield items;
    if (items.length < SUGGESTIONS_PAGE_SIZE) return;
  }
}
