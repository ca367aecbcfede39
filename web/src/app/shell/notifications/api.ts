/** Queries and commands for notifications. */
import { NOTIFICATIONS_KEPT, type NotificationsPage } from '@rdm/contracts/notifications/notifications';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';
import { reloadQueries } from '../../../lib/live/index.tsx';

const PATH = '/api/notifications';
export const notificationsKey = ['notifications'] as const;

/** The number of notifications that are loaded first. Each “Show older” doubles the number. */
export const FIRST_NOTIFICATIONS = 50;
export const nextPageSize = (count: number): number => Math.min(count * 2, NOTIFICATIONS_KEPT);

export const notificationsQuery = (pageSize: number) =>
  queryOptions({
    queryKey: [...notificationsKey, pageSize],
    queryFn: async ({ client }) => applyPendingChanges(client, await read(PATH, { query: { pageSize } })),
    placeholderData: keepPreviousData,
  });

type Change = (page: NotificationsPage) => NotificationsPage;

/**
 * Applies the changes in progress to a response, which can be older than the changes. Otherwise the next key press
 * would act on the previous state.
 */
const applyPendingChanges = (queries: QueryClient, answer: NotificationsPage): NotificationsPage =>
  queries
    .getMutationCache()
    .findAll({ mutationKey: notificationsKey, status: 'pending' })
    .map(({ state }) => state.variables as Change)
    .reduce((page, change) => change(page), answer);

/** Reloads the notifications. Does nothing during changes, because `applyChange` reloads after the last change. */
export async function reloadNotifications(queries: QueryClient): Promise<void> {
  if (queries.isMutating({ mutationKey: notificationsKey }) === 0) await reloadQueries(queries, notificationsKey);
}

/**
 * Applies a change to the cache immediately, and sends changes in order, so that the last one wins. Reloads only after
 * the last change, because an earlier response would show the previous state.
 */
async function applyChange(queries: QueryClient, change: Change, send: () => Promise<unknown>): Promise<void> {
  const mutation = queries.getMutationCache().build<void, Error, Change, void>(queries, {
    mutationKey: notificationsKey,
    scope: { id: 'notifications' },
    networkMode: 'always',
    mutationFn: async () => void (await send()),
    onMutate: async () => {
      await queries.cancelQueries({ queryKey: notificationsKey });
      queries.setQueriesData<NotificationsPage>({ queryKey: notificationsKey }, (page) => page && change(page));
    },
  });
  try {
    await mutation.execute(change);
  } finally {
    await reloadNotifications(queries);
  }
}

/** Marks one notification as read or as unread. */
export const setRead = (queries: QueryClient, id: string, isRead: boolean): Promise<void> =>
  applyChange(
    queries,
    (page) => {
      const items = page.items.map((item) => (item.id === id ? { ...item, read: isRead } : item));
      const wasRead = page.items.find((item) => item.id === id)?.read ?? isRead;
      return { ...page, items, unread: page.unread + Number(wasRead) - Number(isRead) };
    },
    () => write('POST', PATH, { ids: [id], read: isRead }),
  );

/** Marks all notifications up to the newest displayed notification as read. */
export const markAllRead = (queries: QueryClient, upTo: string): Promise<void> =>
  applyChange(
    queries,
    (page) => ({ ...page, unread: 0, items: page.items.map((item) => ({ ...item, read: true })) }),
    () => write('POST', PATH, { upTo, read: true }),
  );

export const dismiss = (queries: QueryClient, id: string): Promise<void> =>
  applyChange(
    queries,
    (page) => ({
      ...page,
      items: page.items.filter((item) => item.id !== id),
      unread: page.unread - page.items.filter((item) => item.id === id && !item.read).length,
    }),
    () => write('DELETE', PATH, { ids: [id] }),
  );

export const dismissAll = (queries: QueryClient, upTo: string): Promise<void> =>
  applyChange(
    queries,
    (page) => ({ ...page, items: [], unread: 0 }),
    () => write('DELETE', PATH, { upTo }),
  );
