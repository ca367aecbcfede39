/** Tests the start page: the guided start, drafts, changes by others, and the note about a refused page. */
import type { HomeView } from '@rdm/contracts/home/home';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../testing/page.tsx';
import Home from './pages/Home.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const home: HomeView = {
  steps: [
    { act: 'import', doneAt: '2026-01-01T00:00:00Z' },
    { act: 'translate', doneAt: null },
  ],
  guideDismissed: false,
  previousVisitAt: null,
  drafts: [{ kind: 'crosswalk', id: 3, name: 'Countries', count: 2 }],
  figures: { dataSets: 2, rows: 300, mappedValues: 7, decisions: [0, 2, 1] },
};

const serve = (view: Partial<HomeView> = {}) =>
  fakeServer({
    'GET /api/home': { body: { ...home, ...view } },
    'GET /api/home/changes': {
      body: {
        items: [
          {
            id: 9,
            timestamp: '2026-01-01T00:00:00Z',
            line: 'Ada Approver approved 3 mappings of Countries',
            subjectType: 'crosswalk',
            subjectId: 3,
            statusAfter: 'APPROVED',
          },
        ],
        page: 1,
        pageSize: 8,
        total: 12,
      },
    },
    'PATCH /api/home': { status: 204 },
    'GET /api/monitor': { body: { jobs: {} } },
    'GET /api/reference-data': { body: { items: [], page: 1, pageSize: 50, total: 0 } },
  });

it('the guided start ticks the steps that are done, and explains the open steps', async () => {
  serve();
  showPage(<Home />);
  const steps = await screen.findByRole('region', { name: 'Your first steps' });
  expect(within(steps).getByText('1 of 2 done')).toBeTruthy();
  expect(
    within(steps)
      .getAllByRole('listitem')
      .map((step) => step.textContent),
  ).toEqual(['Import a list (done)', expect.stringMatching(/^Translate a code.*Only approved mappings are used/)]);
});

it('the guided start names file formats that can be imported', async () => {
  serve({ steps: [{ act: 'import', doneAt: null }] });
  showPage(<Home />);
  expect(await screen.findByText(/Excel, CSV, Parquet or another format/)).toBeTruthy();
});

it('the steps are hidden when they are dismissed, and shown again on request', async () => {
  const server = serve();
  showPage(<Home />);
  fireEvent.click(await screen.findByRole('button', { name: 'Dismiss' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Show the first steps' }));
  expect(await screen.findByRole('region', { name: 'Your first steps' })).toBeTruthy();
  const marks = server.sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
  expect(marks).toEqual([{ visited: true }, { guideDismissed: true }, { guideDismissed: false }]);
});

it('the steps are not shown to a user who has done all of them', async () => {
  serve({ steps: [{ act: 'import', doneAt: '2026-01-01T00:00:00Z' }] });
  showPage(<Home />);
  await screen.findByRole('region', { name: 'Key figures' });
  expect(screen.queryByText('Your first steps')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Show the first steps' })).toBeNull();
});

it('the start page links to the drafts of the user, and describes the chart of decisions', async () => {
  serve();
  showPage(<Home />);
  const link = await screen.findByRole('link', { name: /drafts of yours in Countries/ });
  expect(link.getAttribute('href')).toBe('/crosswalks/3/mappings?tab=draft');
  expect(screen.getByRole('img', { name: 'Decisions per day: 3 in the last 3 days' })).toBeTruthy();
});

it('changes by others are listed as sentences that link to the page of the changed entity', async () => {
  serve({ previousVisitAt: '2026-01-01T00:00:00Z' });
  showPage(<Home />);
  const changes = await screen.findByRole('region', { name: 'Changes by others since your last visit' });
  const link = await within(changes).findByRole('link', { name: 'Ada Approver approved 3 mappings of Countries' });
  expect(link.getAttribute('href')).toBe('/crosswalks/3/mappings');
  expect(changes.textContent).toContain('The latest 1 of 12.');
});

it('more changes by others are shown on request', async () => {
  const server = serve();
  showPage(<Home />);
  const changes = await screen.findByRole('region', { name: 'Changes by others in the last 7 days' });
  const showMore = await within(changes).findByRole('button', { name: 'Show more' });
  const change = { timestamp: '2026-01-01T00:00:00Z', subjectType: 'crosswalk', subjectId: 3, statusAfter: null };
  const items = Array.from({ length: 12 }, (_, id) => ({ ...change, id, line: `Ada Approver made change ${id}` }));
  server.on('GET /api/home/changes', ({ query }) => ({
    body: { items: items.slice(0, Number(query.get('pageSize'))), page: 1, pageSize: 40, total: 12 },
  }));
  fireEvent.click(showMore);
  await within(changes).findByRole('link', { name: 'Ada Approver made change 11' });
  expect(within(changes).queryByRole('button', { name: 'Show more' })).toBeNull();
});

it('a note names the requested page if the role of the user cannot open it', async () => {
  serve();
  const { router } = showPage(<Home />);
  await router.navigate('/', { state: { refusedPage: '/audit-logs' } });
  expect((await screen.findByRole('note')).textContent).toContain('Your role cannot open /audit-logs');
});

it('there is no note if no page was refused', () => {
  serve();
  showPage(<Home />);
  expect(screen.queryByRole('note')).toBeNull();
});
