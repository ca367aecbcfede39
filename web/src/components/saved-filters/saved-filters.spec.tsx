/** Tests the menu of saved filters: its items, applying a filter, and the requests that create and change a filter. */
import type { SavedFilterView } from '@rdm/contracts/filters/saved-filters';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { useListState } from '../../lib/url-state/list-state.ts';
import { fakeServer, showPage, steward } from '../../testing/page.tsx';
import { SavedFilters } from './index.tsx';

const view = {
  // The server may return the keys of a filter in another order than the page.
  filter: { logic: 'AND' as const, conditions: [{ field: 'code', value: '00', operator: 'starts_with' as const }] },
  q: null,
  sort: 'code',
  order: 'DESC' as const,
  columns: ['code'],
};
const saved = (more: Partial<SavedFilterView>): SavedFilterView => ({
  ...{ id: 1, name: 'Zeros', entity: 'data-set:12', view, isShared: false, ownerId: steward.id, revision: 3 },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z', ...more },
});
const plain = { filter: null, q: null, sort: null, order: null, columns: null };
const items = [saved({}), saved({ id: 2, name: 'Whole', ownerId: 9, isShared: true, view: plain })];

function List() {
  return <SavedFilters entity="data-set:12" state={useListState()} />;
}

function show() {
  const server = fakeServer({
    'GET /api/saved-filters': { body: { items, total: items.length } },
    'GET /api/users/names': { body: [{ id: 9, username: 'ada', displayName: 'Ada' }] },
    'POST /api/saved-filters': { status: 201, body: { id: 3, revision: 1 } },
    'PATCH /api/saved-filters/1': { body: { id: 1, revision: 4 } },
  });
  showPage(<List />);
  return server;
}

const trigger = () => screen.getByRole('button', { name: /^Saved filters/ });
const open = () => fireEvent.keyDown(trigger(), { key: 'Enter' });

describe('saved filters', () => {
  it('are loaded when the menu is opened, including filters that other users share', async () => {
    const server = show();
    expect(server.sent).toEqual([]);
    open();
    expect(await screen.findByText('Mine')).toBeTruthy();
    expect(screen.getByText('Shared with me')).toBeTruthy();
    expect(await screen.findByText('Ada')).toBeTruthy();
    // The view of the shared filter is the initial view of the list.
    expect(screen.getByRole('menuitem', { name: /^Whole.*shown now$/ })).toBeTruthy();
  });

  it('restore the view of the list', async () => {
    show();
    open();
    fireEvent.click(await screen.findByRole('menuitem', { name: /^Zeros/ }));
    await waitFor(() => expect(trigger().textContent).toBe('Zeros'));
    const link = new URLSearchParams(window.location.search);
    expect([link.get('sort'), link.get('order'), link.get('columns')]).toEqual(['code', 'DESC', 'code']);
    expect(JSON.parse(link.get('filter') ?? '')).toEqual(view.filter);
  });

  it('are created from the current view of the list with a required name', async () => {
    const server = show();
    open();
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Save this view…' }));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
    expect(dialog.getByRole('alert').textContent).toBe('Name is required');
    fireEvent.change(dialog.getByLabelText(/^Name/), { target: { value: 'Everything' } });
    fireEvent.click(dialog.getByRole('switch'));
    fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(server.sent.find(({ method }) => method === 'POST')?.body).toEqual({
      name: 'Everything',
      entity: 'data-set:12',
      view: plain,
      isShared: true,
    });
  });

  it('can be changed only by their owner, with the expected revision', async () => {
    const server = show();
    open();
    await screen.findByText('Mine');
    fireEvent.click(screen.getByRole('menuitem', { name: 'Manage saved filters…' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.queryByLabelText('Name of Whole')).toBeNull();
    expect(dialog.queryByRole('button', { name: 'Delete Whole' })).toBeNull();
    fireEvent.click(dialog.getByRole('button', { name: 'Replace Zeros with the current view' }));
    await waitFor(() => expect(server.sent.some(({ method }) => method === 'PATCH')).toBe(true));
    const { body, headers } = server.sent.find(({ method }) => method === 'PATCH') ?? {};
    expect(body).toEqual({ view: plain });
    expect(headers?.get('If-Match')).toBe('"3"');
  });
});
