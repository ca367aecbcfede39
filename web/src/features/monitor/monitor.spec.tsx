/** Tests the monitor: jobs, read models, problems for operators, and the charts of the last hour. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../testing/page.tsx';
import Monitor from './pages/Monitor.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const state = {
  reader: null,
  projections: [],
  throughput: [],
  errors: [],
  endedJobs: [],
  jobs: {},
  clients: 0,
  problems: [],
};
const checkJob = {
  ...{
    id: 77,
    jobId: 77,
    parentJobId: null,
    jobType: 'VALIDATION',
    jobLevel: 'STANDALONE',
    workflowPhase: 'VALIDATION',
  },
  ...{ status: 'IN_PROGRESS', description: 'Check of codes.xlsx', commandId: null, dataSetId: null, dataSetName: '' },
  ...{ userId: null, progress: 41, phaseRows: { processed: 412, total: 1_000 }, publishing: null, rate: null },
  ...{
    secondsLeft: null,
    startTime: null,
    endTime: null,
    errorMessage: null,
    logsUrl: '/api/jobs/77/logs',
    undo: null,
  },
  counts: { total: 1_000, created: 400, changed: 0, unchanged: 0, failed: 12, skipped: 0 },
  metadata: {
    mode: null,
    columns: null,
    fileId: 'f-1',
    allOrNothing: null,
    commandId: null,
    undoes: null,
    questions: null,
  },
};

it('a job is opened with one click on its row, and with Enter', async () => {
  fakeServer({
    'GET /api/monitor': { body: state },
    'GET /api/jobs': { body: { items: [checkJob], total: 1, exact: true } },
    'GET /api/jobs/77': { body: { ...checkJob, children: [] } },
    'GET /api/jobs/77/logs': { body: { items: [], total: 0, exact: true } },
  });
  showPage(<Monitor />, { user: steward, at: '/monitor' });
  const text = await screen.findByText('Check of codes.xlsx');
  fireEvent.click(text);
  expect(await screen.findByRole('dialog', { name: 'Check of codes.xlsx' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  fireEvent.keyDown(text.closest('tr') as HTMLElement, { key: 'Enter' });
  expect(await screen.findByRole('dialog', { name: 'Check of codes.xlsx' })).toBeTruthy();
});

it('read models are listed with descriptive names', async () => {
  const readModel = {
    ...{ name: 'audit_log', title: 'Audit log: events', version: 1, build: 1, state: 'SERVING', serving: true },
    ...{ seq: 7, position: '70', lag: 0, failure: null },
  };
  fakeServer({
    'GET /api/monitor': { body: state },
    'GET /api/monitor/projections': { body: { items: [readModel], total: 1, page: 1, pageSize: 50, position: '1' } },
    'GET /api/saved-filters': { body: [] },
    'GET /api/filter-configurations': { body: [] },
  });
  showPage(<Monitor />, { user: steward, at: '/monitor?tab=system' });
  expect((await screen.findByText('Audit log: events')).title).toMatch(/^audit_log, version 1/);
  expect(screen.queryByText('audit_log')).toBeNull();
});

it('the phase and the counts of a running job are shown, and the check of a draft links to its file', async () => {
  fakeServer({
    'GET /api/monitor': { body: state },
    'GET /api/jobs': { body: { items: [checkJob], total: 1, exact: true } },
    'GET /api/jobs/77': { body: { ...checkJob, children: [] } },
    'GET /api/jobs/77/logs': { body: { items: [], total: 0, exact: true } },
  });
  showPage(<Monitor />, { user: steward, at: '/monitor?job=77' });
  const link = await screen.findByRole('link', { name: 'Continue with this file' });
  expect(link.getAttribute('href')).toBe('/onboarding?import=f-1&step=check');
  // The list and the drawer show this text.
  expect(await screen.findAllByText('Checking rows: 412 of 1,000')).toHaveLength(2);
  expect((await screen.findByText('Created')).nextSibling?.textContent).toBe('400');
  expect(screen.queryByRole('link', { name: 'Download the failed rows' })).toBeNull();
});

it('the charts show events, ended jobs and errors per minute', async () => {
  const minute = new Date().toISOString();
  fakeServer({
    'GET /api/monitor': {
      body: {
        ...state,
        throughput: [{ minute, events: 7 }],
        endedJobs: [{ minute, jobs: 2 }],
        errors: [{ minute, errors: 3 }],
      },
    },
    'GET /api/monitor/projections': { body: { items: [], total: 0, exact: true } },
  });
  showPage(<Monitor />, { user: steward, at: '/monitor?tab=system' });
  const chart = (name: string) => screen.findByRole('img', { name });
  await chart('7 events in the last hour, at most 7 in a minute');
  await chart('2 ended jobs in the last hour, at most 2 in a minute');
  await chart('3 errors of your requests in the last hour, at most 3 in a minute');
});

it('problems for operators are shown', async () => {
  fakeServer({
    'GET /api/monitor': { body: { ...state, problems: ['The disk is full.'] } },
    'GET /api/jobs': { body: { items: [], total: 0, exact: true } },
  });
  showPage(<Monitor />, { user: steward });
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.');
});

it.each([
  [{ unread: 0 }, '3'],
  [{ unread: 100 }, '3 or more'],
  [{ unread: null }, 'Unknown'],
])('the greatest lag with the reader %j is shown as %s', async (reader, shown) => {
  const projection = { name: 'instances', title: 'Rows of data sets', version: 1, build: 1, state: 'SERVING', lag: 3 };
  const projections = [{ ...projection, serving: true, seq: 7, position: '9', failure: null }];
  fakeServer({
    'GET /api/monitor': { body: { ...state, reader: { seq: 10, position: '9', at: null, ...reader }, projections } },
    'GET /api/monitor/projections': { body: { items: projections, total: 1, exact: true } },
  });
  showPage(<Monitor />, { user: steward, at: '/monitor?tab=system' });
  await waitFor(() => expect(screen.getByText('Greatest lag').parentElement?.textContent).toBe(`Greatest lag${shown}`));
});
