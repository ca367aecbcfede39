/** Tests the display of problems in the monitor. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../testing/page.tsx';
import Monitor from './pages/Monitor.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('shows problems for operators above both tabs', async () => {
  const state = {
    reader: null,
    projections: [],
    throughput: [],
    jobs: {},
    clients: 0,
    problems: ['The disk is full.'],
  };
  fakeServer({
    'GET /api/monitor': { body: state },
    'GET /api/jobs': { body: { items: [], total: 0, exact: true } },
  });
  showPage(<Monitor />, { user: steward });
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.');
});
