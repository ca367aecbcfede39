/** Tests the list of crosswalks while its requests are answered one after the other. */
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

it('displays no row before it is known whether rows can be selected, so that no key is lost', async () => {
  fakeServer({
    'GET /api/crosswalks': { body: { items: [crosswalk], page: 1, pageSize: 50, total: 1 } },
    'GET /api/reference-data': { body: { items: [{ id: 1 }], page: 1, pageSize: 50, total: 1 } },
  });
  const answer = fetch;
  let answerLevels = () => {};
  const levels = new Promise<void>((resolve) => {
    answerLevels = resolve;
  });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (url.includes('minLevel=WRITE')) await levels;
    return answer(url, init);
  });
  const { queries } = showPage(<CrosswalkList />, { at: '/crosswalks' });
  const isRead = () => queries.getQueriesData({ queryKey: definitionsKey('crosswalk') }).some(([, page]) => page);
  await vi.waitFor(() => expect(isRead()).toBe(true));
  expect(screen.queryByText('Local to national')).toBeNull();
  answerLevels();
  await screen.findByText('Local to national');
  fireEvent.keyDown(document.body, { key: 'x' });
  expect(screen.getByText('1 selected')).toBeTruthy();
});
