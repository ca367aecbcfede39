/** The requests of the page API Testing: the crosswalks to choose from, and the translation with an API key. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { TranslationView } from '@rdm/contracts/crosswalks/translation';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { postWithKey, read } from '../../../lib/api/index.ts';

const PAGE_SIZE = 20;

export const crosswalkChoicesQuery = (q: string) =>
  queryOptions({
    queryKey: ['crosswalks', 'choices', q],
    queryFn: async () =>
      (await read<Page<CrosswalkView>>('/api/crosswalks', { query: { page: 1, pageSize: PAGE_SIZE, sort: 'name', q } }))
        .items,
    placeholderData: keepPreviousData,
  });

export const translatePath = (crosswalkId: number): string => `/api/crosswalks/${crosswalkId}/translate`;
/** Without the parameter `record=false`, the server records unmapped values as missing mappings. */
export const translateQuery = (isRecording: boolean) => (isRecording ? {} : { record: false });

export const translateWithKey = (
  apiKey: string,
  crosswalkId: number,
  values: readonly string[],
  isRecording: boolean,
) => postWithKey<TranslationView[]>(apiKey, translatePath(crosswalkId), { values }, translateQuery(isRecording));
