/** Tests the panel of an import job: publishing, exact counts, failed rows, and the next actions. */
import type { JobLogView } from '@rdm/contracts/jobs/jobs';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeServer, fakeServer, showPage } from '../../../testing/page.tsx';
import type { Job } from '../api/jobs.ts';
import { JobPanel } from './JobPanel.tsx';

const counts = { total: 3, created: 2, changed: 0, unchanged: 0, failed: 1, skipped: 0 };
const job: Job = {
  id: 9,
  jobId: 9,
  parentJobId: null,
  jobType: 'DATASET_INSTANCES_IMPORT',
  jobLevel: 'PARENT',
  workflowPhase: 'COMPLETE',
  status: 'DONE',
  description: 'Countries of 2026',
  commandId: null,
  dataSetId: 3,
  dataSetName: 'Countries',
  userId: null,
  progress: 100,
  phaseRows: null,
  publishing: null,
  rate: null,
  secondsLeft: null,
  counts,
  startTime: '2026-01-01T00:00:00Z',
  endTime: '2026-01-01T00:00:01Z',
  errorMessage: null,
  logsUrl: '/api/jobs/9/logs',
  metadata: {
    mode: 'insert',
    columns: { code: 1, name: 2 },
    fileId: null,
    allOrNothing: false,
    commandId: null,
    undoes: null,
    questions: null,
  },
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:01Z',
  undo: null,
  children: [],
};
const failedRow: JobLogView = {
  id: 1,
  jobId: 9,
  timestamp: '2026-01-01T00:00:00Z',
  level: 'ERROR',
  message: 'Line 3, column "code": The key field "code" is empty. Fill it.',
  recordIndex: 3,
  recordKey: null,
  tried: 'Insert',
  recordData: { code: '', name: 'Nowhere' },
  status: 'ERROR',
  errorType: 'MISSING_KEY',
  errorMessage: 'Line 3, column "code": The key field "code" is empty. Fill it.',
  errorDetails: [{ column: 'code', value: '', rule: 'The key field "code" is empty', fix: 'Fill it.' }],
  metadata: { recordKey: null, tried: 'Insert' },
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const page = (items: unknown[]) => ({ body: { items, page: 1, pageSize: 50, total: items.length, position: '1' } });

let server: FakeServer;
const onNewImport = vi.fn();

beforeEach(() => {
  onNewImport.mockReset();
  server = fakeServer({
    'GET /api/jobs/9': { body: job },
    'GET /api/jobs/9/logs': page([failedRow]),
    'POST /api/jobs/9/retry': { status: 202, body: { jobId: 9 } },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = () => showPage(<JobPanel jobId={9} mayWrite onNewImport={onNewImport} onJob={() => {}} />);
const button = (name: string | RegExp) => screen.findByRole('button', { name });

describe('the end of an import', () => {
  it('shows the progress of publishing, and no longer offers to cancel', async () => {
    const publishing = { rows: 150, of: 200 };
    const working = { ...job, status: 'IN_PROGRESS' as const, workflowPhase: 'IMPORT' as const, progress: 99 };
    let currentJob: Job = {
      ...working,
      publishing,
      children: [{ ...working, jobId: 10, jobLevel: 'CHILD', publishing: null }],
    };
    server.on('GET /api/jobs/9', () => ({ body: currentJob }));
    show();
    expect(await screen.findByText('Publishing rows: 150 of 200')).toBeTruthy();
    expect(screen.getByLabelText('Progress of publishing').getAttribute('aria-valuenow')).toBe('75');
    expect(screen.queryByRole('button', { name: /Cancel/ })).toBeNull();
    currentJob = job;
    expect(await screen.findByText('Rows in the file')).toBeTruthy();
  });
});

describe('the result of an import', () => {
  it('shows exact counts, and for each failed row its line, column, rule and solution', async () => {
    show();
    const figures = (await screen.findByText('Rows in the file')).closest('dl') as HTMLElement;
    expect(within(figures).getByText('Created').nextSibling?.textContent).toBe('2');
    expect(within(figures).getByText('Failed').nextSibling?.textContent).toBe('1');
    const row = (await screen.findByText('The key field "code" is empty')).closest('tr') as HTMLElement;
    expect(within(row).getByText('3')).toBeTruthy();
    expect(within(row).getByText('code')).toBeTruthy();
    expect(within(row).getByText('Fill it.')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Download error file' }).getAttribute('href')).toBe(
      '/api/imports/9/errors',
    );
  });

  it('offers another import if the job does not exist, but no retry of the request', async () => {
    server.on('GET /api/jobs/9', { status: 404, body: { error: 'Not found', code: 'NOT_FOUND' } });
    show();
    expect(await screen.findByText('Import not found')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull();
    fireEvent.click(await button('Import a file'));
    expect(onNewImport).toHaveBeenCalledOnce();
  });

  it('does not link to a data set that was deleted', async () => {
    server.on('GET /api/jobs/9', { body: { ...job, dataSetName: '' } });
    show();
    expect(await screen.findByText('The data set of this import was deleted.')).toBeTruthy();
    expect(screen.queryByRole('link', { name: /^Open/ })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Show the imported rows' })).toBeNull();
  });

  it('offers to retry an import that failed', async () => {
    server.on('GET /api/jobs/9', { body: { ...job, status: 'FAILED', errorMessage: 'The file is gone' } });
    show();
    expect(await screen.findByText('The file is gone')).toBeTruthy();
    fireEvent.click(await button('Try again'));
    await waitFor(() => expect(server.sent.some((call) => call.path === '/api/jobs/9/retry')).toBe(true));
  });
});
