/** Queries for the mail outbox. */

import type { MailView } from '@rdm/contracts/identity/identity';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

export const mailKey = ['mail-outbox'] as const;

export const mailQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...mailKey, params],
    queryFn: () => read<Page<MailView>>('/api/mail-outbox', { query: params }),
    placeholderData: keepPreviousData,
  });
