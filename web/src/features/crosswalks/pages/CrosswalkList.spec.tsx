/** Tests that the list of crosswalks waits for the levels of the user. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { definitionsKey } from '../../../lib/definitions/index.ts';
import { fakeServer, showPage } from '../../../testing/page.tsx';
import CrosswalkList from './CrosswalkList.tsx';

afterEach(() => vi.unstubAllGlobals());

const crosswalk: Partial<CrosswalkView> = {
  id: 3,
  name: 'Local to national',
  description: '',
  sourceName: 'Local',
  targetName: 'National',
  approvalStatus: 'DRAFT',
  counts: { draft: 0, pending: 0, approved: 0, rejected: 0, served: 0 },
  mappedPercent: 0,
  missingCount: 0,
  level: 'ADMIN',
};

// A key press on a row that is not selectable yet would be lost.
it('displays no row until the levels that make rows selectable are loaded', async () => {
  fakeServer({
    'GET /api/crosswalks': { body: { items: [crosswalk], page: 1, pageSize: 50, total: 1 } },
    'GET /api/reference-data': { body: { items: [{ id: 1 }], page: 1, pageSize: 50, total: 1 } },
  });
  const fakeFetch = fetch;
  let sendLevels = () => {};
  const levelsSent = new Promise<void>((resolve) => {
    sendLevels = resolve;
  });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url.includes('minLevel=WRITE')) await levelsSent;
    return fakeFetch(url, init);
  });
  const { queries } = showPage(<CrosswalkList />, { at: '/crosswalks' });
  const isListLoaded = () => queries.getQueriesData({ queryKey: definitionsKey('crosswalk') }).some(([, page]) => page);
  await vi.waitFor(() => expect(isListLoaded()).toBe(true));
  expect(screen.queryByText('Local to national')).toBeNull();
  sendLevels();
  await screen.findByText('Local to national');
  fireEvent.keyDown(document.body, { key: 'x' });
  expect(screen.getByText('1 selected')).toBeTruthy();
});
