/** Tests the palette without a typed text. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../../testing/page.tsx';
import Palette from './palette.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = (query: string, isAdmin: boolean) => {
  fakeServer({ 'GET /api/reference-data': { body: { items: [], page: 1, pageSize: 50, total: 0, position: '1' } } });
  const props = { label: 'Search', placeholder: 'Search', opener: undefined, onQuery: vi.fn(), onClose: vi.fn() };
  showPage(<Palette {...props} query={query} />, { user: { ...steward, isAdmin } });
};

it.each([
  [false, 'Search pages, actions, help, data sets, crosswalks, relationships, and rows by code or label.'],
  [true, 'Search pages, actions, help, data sets, crosswalks, relationships, people, and rows by code or label.'],
])('the empty palette lists what the user can search, administrator: %s', async (isAdmin, text) => {
  show('', isAdmin);
  expect(await screen.findByText(text)).toBeTruthy();
});
