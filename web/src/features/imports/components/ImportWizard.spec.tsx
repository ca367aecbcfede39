/** Tests the import of a file from the choice of columns to the failed rows. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { StagedFileView } from '@rdm/contracts/imports/imports';
import type { JobLogView } from '@rdm/contracts/jobs/jobs';
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeServer, fakeServer, showPage } from '../../../testing/page.tsx';
import type { Job } from '../api/jobs.ts';
import { ImportWizard } from './ImportWizard.tsx';

const dataSet: DataSetView = {
  id: 3,
  name: 'Countries',
  description: '',
  typeId: 1,
  typeName: 'Country',
  primaryKeyField: 'code',
  primaryKeyFields: ['code'],
  labelField: null,
  chosenLabelField: null,
  collections: [],
  instanceCount: 0,
  pendingCount: 0,
  crosswalkCount: 0,
  isPublic: false,
  level: 'WRITE',
  exclusiveJobId: null,
  revision: 1,
  createdAt: '2026-01-01T00:00:00Z',
  createdBy: 2,
  updatedAt: '2026-01-01T00:00:00Z',
  updatedBy: 2,
};

const field = (fieldId: number, name: string, isPrimaryKey: boolean): SchemaFieldView => ({
  id: fieldId,
  fieldId,
  referenceDataTypeId: 1,
  name,
  dataType: 'string',
  isPrimaryKey,
  isReferenced: false,
  isKeyOfDataSets: false,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});

const staged: StagedFileView = {
  id: '396d4ffe-36d7-4621-9591-c00894e0be53',
  dataSetId: 3,
  fileName: 'countries.csv',
  size: 40,
  hash: 'h',
  format: 'csv',
  delimiter: ';',
  encoding: 'utf-8',
  hasHeader: true,
  columns: ['code', 'name'],
  suggestedColumns: { code: 1, name: 2 },
  sample: [['004', 'Afghanistan']],
};

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
  publishing: null,
  rate: null,
  secondsLeft: null,
  counts,
  startTime: '2026-01-01T00:00:00Z',
  endTime: '2026-01-01T00:00:01Z',
  errorMessage: null,
  logsUrl: '/api/jobs/9/logs',
  metadata: {
    ...{ mode: 'insert', columns: { code: 1, name: 2 }, fileId: staged.id },
    ...{ allOrNothing: false, commandId: null, undoes: null },
  },
  undo: null,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:01Z',
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
vi.setConfig({ testTimeout: 20_000 });

beforeEach(() => {
  server = fakeServer({
    'GET /api/reference-data/3': { body: dataSet },
    'GET /api/reference-types/1/schemas': { body: [field(1, 'code', true), field(2, 'name', false)] },
    'GET /api/jobs': page([]),
    [`GET /api/imports/${staged.id}`]: { body: staged },
    [`POST /api/imports/${staged.id}/start`]: { status: 202, body: { jobId: 9 } },
    'GET /api/jobs/9': { body: job },
    'GET /api/jobs/9/logs': page([failedRow]),
    'POST /api/jobs/9/retry': { status: 202, body: { jobId: 9 } },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const started = () => server.sent.filter((call) => call.path.endsWith('/start'));
const button = (name: string | RegExp) => screen.findByRole('button', { name });

describe('an import', () => {
  it('continues after a reload at the step of the URL, and sends the chosen columns', async () => {
    showPage(<ImportWizard dataSetId={3} />, { at: `/?file=${staged.id}` });
    expect(
      await screen.findByText('2 of 2 columns are used. Columns named like a field are chosen already.'),
    ).toBeTruthy();
    expect(screen.getAllByText('004').length).toBeGreaterThan(0);
    fireEvent.click(await button('Next'));
    fireEvent.click(await screen.findByRole('radio', { name: /Upsert/ }));
    fireEvent.change(screen.getByLabelText(/Job description/), { target: { value: 'Countries of 2026' } });
    fireEvent.click(await button('Start import'));
    await screen.findByText('Rows in the file');
    expect(started()[0]?.body).toEqual({
      description: 'Countries of 2026',
      mode: 'upsert',
      allOrNothing: false,
      columns: { code: 1, name: 2 },
    });
    expect(new URL(window.location.href).searchParams.get('job')).toBe('9');
  });

  it('does not start without a description', async () => {
    showPage(<ImportWizard dataSetId={3} />, { at: `/?file=${staged.id}&step=options` });
    fireEvent.click(await button('Start import'));
    expect(await screen.findByText('Job description is required')).toBeTruthy();
    expect(started()).toEqual([]);
  });

  it('requires the column of the key', async () => {
    server.on(`GET /api/imports/${staged.id}`, { body: { ...staged, suggestedColumns: { name: 2 } } });
    showPage(<ImportWizard dataSetId={3} />, { at: `/?file=${staged.id}&step=options` });
    expect(await screen.findByText(/No column fills the key field/)).toBeTruthy();
    expect((await button('Next')).hasAttribute('disabled')).toBe(true);
  });

  it('shows why it was not started', async () => {
    server.on(`POST /api/imports/${staged.id}/start`, {
      status: 409,
      body: { error: 'Another import of this data set is under way', code: 'EXCLUSIVE_IMPORT' },
    });
    showPage(<ImportWizard dataSetId={3} />, { at: `/?file=${staged.id}&step=options` });
    fireEvent.change(await screen.findByLabelText(/Job description/), { target: { value: 'x' } });
    fireEvent.click(await button('Start import'));
    expect(await screen.findByText('Another import of this data set is under way')).toBeTruthy();
  });

  it('is not available to users who can only read', async () => {
    server.on('GET /api/reference-data/3', { body: { ...dataSet, level: 'READ' } });
    showPage(<ImportWizard dataSetId={3} />);
    expect(await screen.findByText('You may not import here')).toBeTruthy();
  });
});

describe('its end', () => {
  it('shows the number of published rows, and cannot be cancelled any more', async () => {
    const publishing = { rows: 150, of: 200 };
    const working = { ...job, status: 'IN_PROGRESS' as const, workflowPhase: 'IMPORT' as const, progress: 99 };
    let answer: Job = {
      ...working,
      publishing,
      children: [{ ...working, jobId: 10, jobLevel: 'CHILD', publishing: null }],
    };
    server.on('GET /api/jobs/9', () => ({ body: answer }));
    showPage(<ImportWizard dataSetId={3} />, { at: '/?job=9' });
    expect(await screen.findByText('Publishing rows …')).toBeTruthy();
    expect(screen.getByText('150 of 200 rows published')).toBeTruthy();
    expect(screen.getByLabelText('Progress of publishing').getAttribute('aria-valuenow')).toBe('75');
    expect(screen.queryByRole('button', { name: /Cancel/ })).toBeNull();
    answer = job;
    expect(await screen.findByText('Rows in the file')).toBeTruthy();
  });
});

describe('its result', () => {
  it('shows exact counts, and for each failed row its line, column, rule and solution', async () => {
    showPage(<ImportWizard dataSetId={3} />, { at: '/?job=9' });
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

  it('links to another import if the job does not exist, without retrying', async () => {
    server.on('GET /api/jobs/9', { status: 404, body: { error: 'Not found', code: 'NOT_FOUND' } });
    showPage(<ImportWizard dataSetId={3} />, { at: '/?job=9' });
    expect(await screen.findByText('Import not found')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull();
    fireEvent.click(await button('Import a file'));
    await waitFor(() => expect(screen.queryByText('Import not found')).toBeNull());
  });

  it('offers to retry only after a failure', async () => {
    server.on('GET /api/jobs/9', { body: { ...job, status: 'FAILED', errorMessage: 'The file is gone' } });
    showPage(<ImportWizard dataSetId={3} />, { at: '/?job=9' });
    expect(await screen.findByText('The file is gone')).toBeTruthy();
    fireEvent.click(await button('Try again'));
    await waitFor(() => expect(server.sent.some((call) => call.path === '/api/jobs/9/retry')).toBe(true));
  });
});
