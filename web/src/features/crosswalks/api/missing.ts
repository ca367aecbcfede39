/** Missing mappings on the wire: values that were asked for and that no approved mapping answers. */

import type { Level } from '@rdm/contracts/access/permissions';
import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import { BULK_ANSWER_ROWS } from '@rdm/contracts/constants';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import { queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import type { BulkAnswer, NewMapping } from './mappings.ts';

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
  /** The key that asked; the user above created it. */
  requestApiKeyName: string | null;
  requestContext: string | null;
  ignored: boolean;
  ignoreReason: string | null;
  /** What it is mapped to already, and waits to be submitted or approved. */
  proposed: { targetValue: string; status: 'DRAFT' | 'PENDING' } | null;
  level: Level;
  suggestion?: { targetValue: string; targetLabel: string | null; confidence: number; reason: string } | null;
}

/** Of one crosswalk or of all, those to be mapped or those that are ignored. */
export interface MissingOf {
  crosswalkId: number | undefined;
  ignored: boolean;
}

export const missingMappingsQuery = (params: ListParams, of: MissingOf) =>
  queryOptions({
    queryKey: ['missing-mappings', params, of],
    queryFn: () =>
      read<Page<MissingMapping>>('/api/missing-mappings', {
        query: {
          ...params,
          crosswalkId: of.crosswalkId,
          ignored: of.ignored ? 'true' : undefined,
          include: 'suggestion',
        },
      }),
  });

export const ignoreMissing = (id: number, comment: string) =>
  write('POST', `/api/missing-mappings/${id}/ignore`, { comment });

/** Lists again what was ignored. */
export const reopenMissing = (id: number) => write('POST', `/api/missing-mappings/${id}/reopen`, {});

/** Drafts a mapping of the missing value. */
export const mapMissing = (id: number, target: Omit<NewMapping, 'sourceValue'>) =>
  write<BulkAnswer>('POST', `/api/missing-mappings/${id}/map`, target);

/** Freezes all that match. */
export const freezeMissing = ({ crosswalkId, ignored }: MissingOf, { q, filter }: ListParams) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: 'missing-mappings',
    parentId: crosswalkId,
    tab: ignored ? 'ignored' : undefined,
    q,
    filter,
  });

/** Missing mappings by id, or as many as a selection froze. */
export type ChosenMissing = { ids: readonly number[] } | { selectionId: string; count: number };

/** The calls that many take, each answering a bounded number of them. */
function bodiesOf(chosen: ChosenMissing): ({ ids: readonly number[] } | { selectionId: string; from: number })[] {
  const count = 'ids' in chosen ? chosen.ids.length : chosen.count;
  const starts = Array.from({ length: Math.ceil(count / BULK_ANSWER_ROWS) }, (_, place) => place * BULK_ANSWER_ROWS);
  return starts.map((from) =>
    'ids' in chosen
      ? { ids: chosen.ids.slice(from, from + BULK_ANSWER_ROWS) }
      : { selectionId: chosen.selectionId, from },
  );
}

/** What is done to many; `again` ignores each for the reason it was last. */
export type MissingVerb = 'ignore' | 'again' | 'reopen';

/** Ignores many, or lists them again; what was answered is told after each call. */
export async function decideMissing(
  verb: MissingVerb,
  chosen: ChosenMissing,
  comment: string | undefined,
  onAnswer: (results: BulkAnswer['results']) => void,
): Promise<void> {
  for (const body of bodiesOf(chosen)) {
    const reason = verb === 'again' ? { again: true } : comment === undefined ? {} : { comment };
    const path = `/api/missing-mappings/${verb === 'reopen' ? 'reopen' : 'ignore'}`;
    onAnswer((await write<BulkAnswer>('POST', path, { ...body, ...reason })).results);
  }
}

const NAMED_MAX = 500;

/** What these are called, as far as a page of them says so; wherever they are listed by now. */
export async function missingNames(ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const filter: FilterGroup = {
    logic: 'AND',
    conditions: [{ field: 'id', operator: 'in', value: ids.slice(0, NAMED_MAX) }],
  };
  const pages = await Promise.all(
    [undefined, 'true'].map((ignored) =>
      read<Page<MissingMapping>>('/api/missing-mappings', {
        query: { filter: JSON.stringify(filter), pageSize: NAMED_MAX, ignored, fields: 'sourceValue' },
        fresh: true,
      }),
    ),
  );
  return new Map(pages.flatMap(({ items }) => items.map(({ id, sourceValue }) => [id, sourceValue])));
}

/** Values that are looked at with their suggestions in one call. */
const WITH_SUGGESTIONS = 200;

/** All that match with the best suggestion of each, a page at a time, in an order that drafting them does not change. */
export async function* everyMissing(of: MissingOf, { q, filter }: ListParams): AsyncGenerator<MissingMapping[]> {
  for (let page = 1; ; page++) {
    const { items } = await read<Page<MissingMapping>>('/api/missing-mappings', {
      query: {
        q,
        filter,
        crosswalkId: of.crosswalkId,
        ignored: of.ignored ? 'true' : undefined,
        include: 'suggestion',
        sort: 'id',
        order: 'ASC',
        page,
        pageSize: WITH_SUGGESTIONS,
      },
      fresh: true,
    });
    yield items;
    if (items.length < WITH_SUGGESTIONS) return;
  }
}
