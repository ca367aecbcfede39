/** The first page of the collections that the user can read, with the user's level on each. */
import type { CollectionView } from '@rdm/contracts/collections/collections';
import { PAGE_SIZE_MAX } from '@rdm/contracts/constants';
import type { Page } from '@rdm/contracts/lists/filter';
import { queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';

export const ownCollectionsQuery = queryOptions({
  queryKey: ['collections', 'own'],
  queryFn: () => read<Page<CollectionView>>('/api/collections', { query: { sort: 'name', pageSize: PAGE_SIZE_MAX } }),
});
