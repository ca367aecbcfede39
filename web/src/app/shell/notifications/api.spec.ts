/** Tests that changes of notifications are sent in order, and that an older response does not hide a change. */
import type { NotificationsPage } from '@rdm/contracts/notifications/notifications';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { notificationsKey, notificationsQuery, reloadNotifications, setRead } from './api.ts';

afterEach(() => vi.unstubAllGlobals());

it('sends consecutive changes in order, and shows only the last one', async () => {
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

  const marking = [setRead(queries, '7-0', false), setRead(queries, '7-0', true)];
  await vi.waitFor(() => expect(isDisplayedAsRead()).toBe(true));
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  // A live message reloads nothing while a change is in progress.
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

it('shows a change in progress despite an older response', async () => {
  const requests: { method: string; answer: (response: Response) => void }[] = [];
  vi.stubGlobal(
    'fetch',
    (_url: string, { method }: { method: string }) =>
      new Promise<Response>((answer) => requests.push({ method, answer })),
  );
  const page = (read: boolean): NotificationsPage =>
    ({ items: [{ id: '7-0', read }], unread: Number(!read) }) as unknown as NotificationsPage;
  const queries = new QueryClient();
  const query = notificationsQuery(50);
  queries.setQueryData(query.queryKey, page(true));
  const displayed = () => queries.getQueryData(query.queryKey);
  const stopObserving = new QueryObserver(queries, { ...query, staleTime: 60_000 }).subscribe(() => undefined);

  const marking = setRead(queries, '7-0', false);
  await vi.waitFor(() => expect(displayed()).toEqual(page(false)));
  // A change of access levels reloads all queries.
  const reloading = queries.invalidateQueries();
  await vi.waitFor(() => expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']));
  requests[1]?.answer(Response.json(page(true)));
  await reloading;
  expect(displayed()).toEqual(page(false));

  // After the server has refused the change, the page shows the state of the server.
  requests[0]?.answer(Response.json({ error: 'Refused' }, { status: 422 }));
  await vi.waitFor(() => expect(requests).toHaveLength(3));
  requests[2]?.answer(Response.json(page(true)));
  await expect(marking).rejects.toThrow('Refused');
  expect(displayed()).toEqual(page(true));
  stopObserving();
});
