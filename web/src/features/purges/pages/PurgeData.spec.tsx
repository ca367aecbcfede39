/** Tests the page of a purge whose disk space is not reclaimed yet. */
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../../testing/page.tsx';
import PurgeData from './PurgeData.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const PURGE = {
  ...{ id: 7, jobId: 7, kind: 'dataSets', scope: { collectionId: null }, before: '2026-01-01T00:00:00Z' },
  ...{ status: 'RECLAIMING', isPlanned: true, expiresAt: null, phrase: null, counts: { items: 3, events: 1_204 } },
  ...{ reason: 'R7', requestedBy: 'admin', requestedAt: '2026-11-20T09:00:00Z', confirmedBy: 'olga' },
  ...{ confirmedAt: '2026-11-20T10:00:00Z', mayConfirm: false, confirmNeedsPassword: false, confirmFrom: null },
  ...{ isSealed: true, step: null, problem: null, bytes: null, leftovers: [], endedAt: null },
  ...{ command: "curl -u ops -X POST -d '{}' https://one:2113/admin/scavenge", stored: 640 },
  createdAt: '2026-11-20T08:00:00Z',
};

it('shows the command that reclaims the space of purged events, and repeats the check on request', async () => {
  const server = fakeServer({
    'GET /api/purges': { body: { items: [PURGE], total: 1 } },
    'GET /api/purges/7': { body: { ...PURGE, plan: null } },
    'POST /api/purges/7/reclaim': { body: { id: 7 } },
  });
  showPage(<PurgeData />, { at: '/admin/purge-data?tab=waiting', user: { ...steward, isAdmin: true } });
  const row = (await screen.findByText(/still contain 640 purged events/)).closest('tr') as HTMLElement;
  const choose = async (action: string) => {
    fireEvent.keyDown(within(row).getByRole('button', { name: /^Actions for row/ }), { key: 'Enter' });
    fireEvent.click(await screen.findByRole('menuitem', { name: action }));
  };
  await choose('Details');
  expect(await screen.findByText(PURGE.command)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  await choose('Check again');
  await vi.waitFor(() =>
    expect(server.sent.filter(({ path }) => path === '/api/purges/7/reclaim')).toMatchObject([{ method: 'POST' }]),
  );
});
