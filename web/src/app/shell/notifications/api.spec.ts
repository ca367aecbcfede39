/** Tests that changes of notifications are sent in order. */
import type { NotificationsPage } from '@rdm/contracts/notifications/notifications';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { markRead, notificationsKey, reloadNotifications } from './api.ts';

afterEach(() => vi.unstubAllGlobals());

it('sends consecutive changes one after the other, and shows no earlier state in between', async () => {
  const requests: { body: unknown; answer: (response: Response) => void }[] = [];
  vi.stubGlobal(
    'fetch',
    (_url: string, { body }: { body: string }) =>
      new Promise<Response>((answer) => requests.push({ body: JSON.parse(body), answer })),
  );
  const queries = new QueryClient();
  const key = [...notificationsKey, 50];
  queries.setQueryData(key, { items: [{ id: '7-0', read: true }], unread: 0 } as unknown as NotificationsPage);
  const isDisplayedAsRead = () => queries.getQueryData<NotificationsPage>(key)?.items[0]?.read;
  const isInvalidated = () => queries.getQueryState(key)?.isInvalidated;

  const marking = [markRead(queries, '7-0', false), markRead(queries, '7-0', true)];
  await vi.waitFor(() => expect(isDisplayedAsRead()).toBe(true));
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  // A live message reports a change.
  await reloadNotifications(queries);
  requests[0]?.answer(new Response(null, { status: 204 }));
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  expect([isDisplayedAsRead(), isInvalidated()]).toEqual([true, false]);
  requests[1]?.answer(new Response(null, { status: 204 }));
  await Promise.all(marking);
  expect(requests.map(({ body }) => body)).toEqual([
    { ids: ['7-0'], read: false },
    { ids: ['7-0'], read: true },
  ]);
  expect(isInvalidated()).toBe(true);
});
