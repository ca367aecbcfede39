/** Tests the summary line of a data set. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { MomentContext } from '../../../lib/past/index.ts';
import { fakeServer, showPage, steward } from '../../../testing/page.tsx';
import { Facts } from './Facts.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const dataSet = {
  ...{ id: 5, name: 'Countries', typeName: 'Country', primaryKeyFields: ['code'], collections: [], level: 'ADMIN' },
  ...{ instanceCount: 1, crosswalkCount: 0, pendingCount: 0, isPublic: false },
} as unknown as DataSetView;

it.each<[string, string | undefined, number]>([
  ['shows the current level of the user', undefined, 1],
  ['hides the level of the user in the past', 'seq:7', 0],
])('the summary %s', (_, moment, times) => {
  fakeServer({});
  showPage(
    <MomentContext value={moment}>
      <Facts dataSet={dataSet} />
    </MomentContext>,
  );
  expect(screen.getByText('Country')).toBeTruthy();
  expect(screen.queryAllByText('My level')).toHaveLength(times);
});

it('the summary links to the relationships that have the data set as their source or target', async () => {
  const items = [1, 2, 3].map((id) => ({ id, name: `Relationship ${id}` }));
  const server = fakeServer({ 'GET /api/relationships': { body: { items, total: 4, page: 1, pageSize: 3 } } });
  showPage(<Facts dataSet={dataSet} />, { user: { ...steward, routes: ['/relationships'] } });
  const link = await screen.findByRole('link', { name: 'Relationship 2' });
  expect(link.getAttribute('href')).toBe('/relationships/2/values');
  const allLink = new URL((await screen.findByRole<HTMLAnchorElement>('link', { name: 'All 4' })).href);
  const filter = JSON.parse(allLink.searchParams.get('filter') ?? '');
  expect(filter).toMatchObject({ logic: 'OR', conditions: [{ field: 'sourceDataSetId', value: 5 }, { value: 5 }] });
  const request = server.sent.find(({ path }) => path === '/api/relationships');
  expect(JSON.parse(request?.query.get('filter') ?? '')).toEqual(filter);
});

it('the summary requests no relationships if the user may not open relationships', () => {
  const server = fakeServer({});
  showPage(<Facts dataSet={dataSet} />);
  expect(server.sent.filter(({ path }) => path === '/api/relationships')).toEqual([]);
});
