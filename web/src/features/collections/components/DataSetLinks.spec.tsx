/** Tests the sidebar's links to data sets. */
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSessionEntries } from '../../../lib/api/index.ts';
import { rememberOpenedDataSet } from '../../../lib/data-sets/recent-data-sets.ts';
import { fakeServer, showPage, steward } from '../../../testing/page.tsx';
import { DataSetLinks } from './DataSetLinks.tsx';

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const answer = (...ids: number[]) => ({ body: { items: ids.map((id) => ({ id, name: `Data set ${id}` })) } });
const show = (at = '/') => showPage(<DataSetLinks onNavigate={() => undefined} />, { at });
const links = () => screen.getAllByRole('link').map((link) => link.textContent);

it('the sidebar lists the five most recently opened data sets, newest first', async () => {
  fakeServer({ 'GET /api/reference-data': answer(1, 2, 3, 4, 5, 6) });
  for (const id of [1, 2, 3, 4, 5, 6, 3]) rememberOpenedDataSet(steward.id, id);
  rememberOpenedDataSet(steward.id + 1, 7);
  show();
  await screen.findByText('Data set 3');
  expect(links()).toEqual(['Reference Data Sets', ...[3, 6, 5, 4, 2].map((id) => `Data set ${id}`)]);
});

it('the sidebar omits a data set that the user may no longer read', async () => {
  fakeServer({ 'GET /api/reference-data': answer(2) });
  for (const id of [1, 2]) rememberOpenedDataSet(steward.id, id);
  show();
  await screen.findByText('Data set 2');
  expect(links()).toEqual(['Reference Data Sets', 'Data set 2']);
});

it('the sidebar adds a data set when it is opened, and the stored list is removed at sign-out', async () => {
  fakeServer({ 'GET /api/reference-data': answer(3) });
  show();
  expect(links()).toEqual(['Reference Data Sets']);
  act(() => rememberOpenedDataSet(steward.id, 3));
  await screen.findByText('Data set 3');
  forgetSessionEntries();
  expect(localStorage).toHaveLength(0);
});

it('the sidebar marks exactly one link as the current page', async () => {
  fakeServer({ 'GET /api/reference-data': answer(3) });
  rememberOpenedDataSet(steward.id, 3);
  const { router } = show('/reference-data/3/edit');
  await screen.findByText('Data set 3');
  expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('Data set 3');
  await act(() => router.navigate('/reference-data/create'));
  expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('Reference Data Sets');
});
