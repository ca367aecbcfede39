/** Tests which rows of an open list are highlighted after changes, and when the list is read again. */
import type { LiveChange } from '@rdm/contracts/live/live';
import { useQuery } from '@tanstack/react-query';
import { act, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../testing/page.tsx';
import { read } from '../api/index.ts';
import { PAUSE_MS } from './coalesce.ts';
import { LiveProvider, useFlash, useLive } from './index.tsx';

const handlers = new Map<string, (argument?: unknown) => void>();
let missed: LiveChange[] = [];
vi.mock('socket.io-client', () => ({
  io: () => ({
    connected: true,
    active: true,
    recovered: false,
    on: (event: string, handler: (argument?: unknown) => void) => handlers.set(event, handler),
    emit: (event: string, _: unknown, answer?: (response: unknown) => void) => {
      if (event === 'join') answer?.({ ok: true, seq: 1 });
      if (event === 'since') answer?.({ changes: missed, seq: 9, complete: true });
    },
    connect: () => undefined,
    disconnect: () => ({ connect: () => undefined }),
  }),
}));

afterEach(() => {
  missed = [];
  vi.unstubAllGlobals();
});

const creation = (seq: number, id: number): LiveChange => ({
  seq,
  position: `${seq}/${seq}`,
  type: 'ReferenceTypeDefined',
  entity: 'reference-type',
  entityId: id,
  ids: [id],
  count: 1,
  revisions: [0],
  changedFields: null,
  actorId: 7,
  commandId: `c${seq}`,
});

interface Row {
  id: number;
  revision: number;
}

function Item({ id }: Row) {
  const flash = useFlash('reference-type', id);
  return <li>{flash === undefined ? `${id}` : `${id} by ${flash.actorId}`}</li>;
}

function List() {
  const { data } = useQuery({ queryKey: ['things'], queryFn: () => read<{ items: Row[] }>('/api/things') });
  useLive({ rooms: ['types'], keys: [['things']] });
  return (
    <ul>
      {data?.items.map((row) => (
        <Item key={row.id} {...row} />
      ))}
    </ul>
  );
}

const texts = () => screen.queryAllByRole('listitem').map((item) => item.textContent);
const receive = (event: string, argument?: unknown) => act(async () => handlers.get(event)?.(argument));

/** Shows a list that has read rows 1 and 2, on a page that listens for live messages. */
async function showList() {
  const items = [
    { id: 1, revision: 0 },
    { id: 2, revision: 0 },
  ];
  const server = fakeServer({ 'GET /api/things': { body: { items } } });
  showPage(
    <LiveProvider>
      <List />
    </LiveProvider>,
  );
  await vi.waitFor(() => expect(texts()).toHaveLength(items.length));
  await vi.waitFor(() => expect(handlers.has('connect')).toBe(true));
  return { server, items };
}

it('a list highlights a new row even if it has read the row before the message', async () => {
  const { items } = await showList();
  // The message of the third row causes the reload that reads the fourth.
  items.push({ id: 3, revision: 0 }, { id: 4, revision: 0 });
  await receive('change', creation(3, 3));
  await vi.waitFor(() => expect(texts()).toEqual(['1', '2', '3 by 7', '4']));
  await receive('change', creation(4, 4));
  await vi.waitFor(() => expect(texts()).toEqual(['1', '2', '3 by 7', '4 by 7']));
});

it('after a reconnect, a list does not highlight a row that it had read before', async () => {
  const { items } = await showList();
  await receive('change', creation(2, 2));
  await vi.waitFor(() => expect(texts()).toEqual(['1', '2 by 7']));
  missed = [creation(1, 1)];
  items.push({ id: 3, revision: 0 });
  await receive('disconnect');
  await receive('connect');
  await receive('change', creation(3, 3));
  await vi.waitFor(() => expect(texts()).toContain('3 by 7'));
  expect(texts()).toContain('1');
});

it('a list with current rows is read again after a change by another user, but not after an own change', async () => {
  const { server } = await showList();
  const reads = () => server.sent.filter(({ path }) => path === '/api/things').length;
  const before = reads();
  await receive('change', { ...creation(1, 1), actorId: steward.id });
  // A reload after own changes would begin only after this pause.
  await new Promise((resolve) => setTimeout(resolve, 2 * PAUSE_MS));
  expect(reads()).toBe(before);
  // The page reads again, although it shows the changed row: its counts may be older than the change.
  await receive('change', creation(2, 2));
  await vi.waitFor(() => expect(reads()).toBe(before + 1));
});
