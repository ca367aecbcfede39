/** Tests the page of a data set's rows: display, adding, editing, deleting and restoring. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { useQuery } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Link, Route, Routes } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { notify } from '../../../components/toast/index.ts';
import { openedDataSetsQuery } from '../../../lib/data-sets/index.ts';
import { type FakeServer, fakeServer, showPage } from '../../../testing/page.tsx';
import Instances from './Instances.tsx';

const dataSet: DataSetView = {
  id: 3,
  name: 'Countries, numeric',
  description: '',
  typeId: 1,
  typeName: 'Country',
  primaryKeyField: 'code',
  primaryKeyFields: ['code'],
  labelField: null,
  chosenLabelField: null,
  collections: [{ id: 1, name: 'Geography' }],
  instanceCount: 2,
  pendingCount: 0,
  crosswalkCount: 0,
  isPublic: false,
  level: 'WRITE',
  exclusiveJobId: null,
  revision: 1,
  createdAt: '2026-01-01T00:00:00Z',
  createdBy: null,
  updatedAt: '2026-01-01T00:00:00Z',
  updatedBy: null,
};

const field = (fieldId: number, name: string, more: Partial<SchemaFieldView> = {}): SchemaFieldView => ({
  id: fieldId,
  fieldId,
  referenceDataTypeId: 1,
  name,
  dataType: 'string',
  isPrimaryKey: false,
  isReferenced: false,
  isKeyOfDataSets: false,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  ...more,
});

const row = (id: number, code: string, name: string, revision = 1): InstanceView => ({
  id,
  revision,
  key: code,
  data: { name, area: null, code },
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  updatedBy: null,
});
const afghanistan = row(64, '004', 'Afghanistan');

let server: FakeServer;
const ROWS = '/api/reference-data/3/instances';
const NO_REFERENCES = { crosswalks: [], relationships: [], hidden: 0 };
const savedAnswer = (id: number, revision: number) => ({ body: { results: [{ id, outcome: 'done', revision }] } });
vi.setConfig({ testTimeout: 20_000 });

beforeEach(() => {
  window.pendingErrors = [];
  server = fakeServer({
    'GET /api/reference-data/3': { body: dataSet },
    'GET /api/reference-types/1/schemas': {
      body: [field(2, 'name'), field(3, 'area', { dataType: 'number' }), field(1, 'code', { isPrimaryKey: true })],
    },
    [`GET ${ROWS}`]: {
      body: { items: [afghanistan, row(128, '008', 'Albania')], page: 1, pageSize: 50, total: 2, position: '1' },
    },
    [`POST ${ROWS}`]: { status: 201, body: { results: [], id: 192, revision: 1 } },
    [`PATCH ${ROWS}`]: savedAnswer(64, 2),
    [`DELETE ${ROWS}`]: savedAnswer(64, 2),
    [`POST ${ROWS}/restore`]: savedAnswer(64, 3),
    [`POST ${ROWS}/deletion-impact`]: { body: { ...NO_REFERENCES, rowCount: 1, referencedCount: 0 } },
    [`GET ${ROWS}/64/references`]: { body: { mappings: [], mappingCount: 0 } },
    [`GET ${ROWS}/64/relationships`]: { body: { items: [], page: 1, pageSize: 100, total: 0, position: '1' } },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const page = (
  <Routes>
    <Route path="/reference-data/:id" element={<Instances />} />
  </Routes>
);
const open = () => showPage(page, { at: '/reference-data/3' });
/** Returns an array that collects the URLs of all later requests. */
function recordUrls(): string[] {
  const requests: string[] = [];
  const fetch = window.fetch;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    requests.push(url);
    return fetch(url, init);
  });
  return requests;
}
const writes = () => server.sent.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/deletion-impact'));

async function chooseAction(code: string, action: string) {
  const cell = await screen.findByText(code);
  fireEvent.keyDown(within(cell.closest('tr') as HTMLElement).getByRole('button', { name: /Actions for row/ }), {
    key: 'Enter',
  });
  fireEvent.click(await screen.findByRole('menuitem', { name: action }));
}

const dialog = async () => within(await screen.findByRole('dialog'));

it.each([
  ['/reference-data/3?row=192', /equals.*012/],
  ['/reference-data/3?row=192&q=Alb', /q=Alb/],
])('the page opens the row of the link %s, and filters the list', async (at, expected) => {
  server.on(`GET ${ROWS}/192`, { body: row(192, '012', 'Algeria') });
  server.on(`GET ${ROWS}/192/history`, { body: { items: [], page: 1, pageSize: 50, total: 0, position: '1' } });
  const requests = recordUrls();
  showPage(page, { at });
  expect(await screen.findByRole('dialog', { name: '012' })).toBeTruthy();
  const lists = () => requests.filter((url) => url.startsWith(`${ROWS}?`)).map(decodeURIComponent);
  await waitFor(() => expect(lists().at(-1)).toMatch(expected));
});

it('the history of a row names the API key of a change, and the creator of the key', async () => {
  const version = { seq: 9, revision: 1, at: '2026-01-01T00:00:00Z', userId: 1, jobId: null, deleted: false };
  const items = [{ ...version, apiKeyId: 7, apiKeyName: 'Nightly', data: { code: '012' }, changes: {} }];
  server.on(`GET ${ROWS}/192`, { body: row(192, '012', 'Algeria') });
  server.on(`GET ${ROWS}/192/history`, { body: { items, page: 1, pageSize: 50, total: 1, position: '1' } });
  showPage(page, { at: '/reference-data/3?row=192' });
  const history = await screen.findByRole('list', { name: 'History' });
  expect(history.textContent).toMatch(/API key "Nightly" \(.+\) · v1/);
});

describe('cells that do not match the type of their field', () => {
  it('are marked with an icon and a text', async () => {
    const misfit = { ...afghanistan, data: { ...afghanistan.data, area: '652,230' } };
    server.on(`GET ${ROWS}`, {
      body: { items: [misfit, row(128, '008', 'Albania')], page: 1, pageSize: 50, total: 2 },
    });
    const { container } = open();
    expect((await screen.findByText('652,230')).textContent).toBe('652,230 (Not a number: treated as empty)');
    expect(container.querySelectorAll('[data-misfit]')).toHaveLength(1);
  });
});

describe('switching to another data set', () => {
  it('does not report the fields of the new data set as renamed', async () => {
    const infoToast = vi.spyOn(notify, 'info');
    server.on('GET /api/reference-data/4', {
      body: { ...dataSet, id: 4, typeId: 2, primaryKeyField: 'key', primaryKeyFields: ['key'] },
    });
    server.on('GET /api/reference-types/2/schemas', {
      body: [field(1, 'key', { isPrimaryKey: true }), field(2, 'title')],
    });
    server.on('GET /api/reference-data/4/instances', {
      body: { items: [], page: 1, pageSize: 50, total: 0, position: '1' },
    });
    showPage(
      <>
        <Link to="/reference-data/3">Three</Link>
        <Link to="/reference-data/4">Four</Link>
        {page}
      </>,
      { at: '/reference-data/3' },
    );
    await screen.findByRole('columnheader', { name: /name/ });
    // Open both data sets twice: the second time all data is cached, and the page switches immediately.
    for (const [link, column] of [
      ['Four', /title/],
      ['Three', /name/],
      ['Four', /title/],
    ] as const) {
      fireEvent.click(screen.getByRole('link', { name: link }));
      await screen.findByRole('columnheader', { name: column });
    }
    expect(infoToast).not.toHaveBeenCalled();
  });
});

describe('the rows', () => {
  it('have the fields of the type as columns, the key first', async () => {
    open();
    await screen.findByText('004');
    const headers = screen.getAllByRole('columnheader').map((header) => header.textContent);
    expect(headers.slice(1, 4)).toEqual(['code', 'name', 'area']);
  });

  it('are requested in the order of the key', async () => {
    const urls = recordUrls();
    open();
    await screen.findByText('004');
    expect(urls.some((url) => url.includes(`${ROWS}?`) && url.includes('sort=code'))).toBe(true);
  });

  it('are requested without a sort if the key has several fields', async () => {
    server.on('GET /api/reference-data/3', { body: { ...dataSet, primaryKeyFields: ['code', 'name'] } });
    const urls = recordUrls();
    open();
    await screen.findByText('004');
    const lists = urls.filter((url) => url.includes(`${ROWS}?`));
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter((url) => url.includes('sort='))).toEqual([]);
  });

  it('can be sorted by the column for the order of entry, which is hidden by default', async () => {
    open();
    await screen.findByText('004');
    expect(screen.queryByRole('columnheader', { name: /Order of entry/ })).toBeNull();
    cleanup();
    const urls = recordUrls();
    showPage(page, { at: '/reference-data/3?columns=code,orderOfEntry' });
    fireEvent.click(await screen.findByRole('button', { name: 'Order of entry' }));
    await waitFor(() => expect(urls.some((url) => url.includes('sort=orderOfEntry&order=ASC'))).toBe(true));
  });

  it('cannot be changed by users who can only read', async () => {
    server.on('GET /api/reference-data/3', { body: { ...dataSet, level: 'READ' } });
    open();
    await screen.findByText('004');
    expect(screen.queryByRole('button', { name: 'Add row' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Import' })).toBeNull();
    expect(screen.queryByRole('checkbox')).toBeNull();
  });
});

describe('adding a row', () => {
  it('requires the key, and sends each cell as a value of its type', async () => {
    open();
    fireEvent.click(await screen.findByRole('button', { name: 'Add row' }));
    const form = await dialog();
    fireEvent.change(form.getByLabelText(/area/), { target: { value: '12.50' } });
    fireEvent.click(form.getByRole('button', { name: 'Add row' }));
    expect(await form.findByText('code is part of the key: fill it in')).toBeTruthy();
    expect(writes()).toEqual([]);
    fireEvent.change(form.getByLabelText(/code/), { target: { value: '012' } });
    fireEvent.click(form.getByRole('button', { name: 'Add row' }));
    await waitFor(() => expect(writes()[0]?.body).toEqual({ data: { code: '012', name: null, area: 12.5 } }));
  });

  it('reports a key that another row already has', async () => {
    server.on(`POST ${ROWS}`, {
      status: 409,
      body: { error: 'The key "004" exists already', code: 'DUPLICATE_KEY' },
    });
    open();
    fireEvent.click(await screen.findByRole('button', { name: 'Add row' }));
    const form = await dialog();
    fireEvent.change(form.getByLabelText(/code/), { target: { value: '004' } });
    fireEvent.click(form.getByRole('button', { name: 'Add row' }));
    expect(await form.findByText('A row with the key 004 exists already.')).toBeTruthy();
  });
});

describe('editing a row', () => {
  it('sends the changed cells with the expected revision', async () => {
    open();
    await chooseAction('004', 'Edit');
    const form = await dialog();
    fireEvent.change(form.getByLabelText(/name/), { target: { value: 'Afghanistan (the)' } });
    fireEvent.click(form.getByRole('button', { name: 'Save row' }));
    await waitFor(() =>
      expect(writes()[0]?.body).toEqual([{ id: 64, revision: 1, data: { name: 'Afghanistan (the)' } }]),
    );
  });

  it('merges the changes of two users to different cells', async () => {
    const stale = { body: { results: [{ id: 64, outcome: 'refused', code: 'STALE', revision: 2 }] } };
    let attempts = 0;
    server.on(`PATCH ${ROWS}`, () => (attempts++ === 0 ? stale : savedAnswer(64, 3)));
    server.on(`GET ${ROWS}/64`, { body: { ...afghanistan, revision: 2, data: { ...afghanistan.data, area: 652 } } });
    open();
    await chooseAction('004', 'Edit');
    const form = await dialog();
    fireEvent.change(form.getByLabelText(/name/), { target: { value: 'Mine' } });
    fireEvent.click(form.getByRole('button', { name: 'Save row' }));
    await waitFor(() => expect(writes()[1]?.body).toEqual([{ id: 64, revision: 2, data: { name: 'Mine' } }]));
    expect(screen.queryByText('Another user changed the same fields')).toBeNull();
  });

  it('shows a choice of values if both users changed the same cell', async () => {
    const stale = { body: { results: [{ id: 64, outcome: 'refused', code: 'STALE', revision: 2 }] } };
    let attempts = 0;
    server.on(`PATCH ${ROWS}`, () => (attempts++ === 0 ? stale : savedAnswer(64, 3)));
    server.on(`GET ${ROWS}/64`, { body: { ...row(64, '004', 'Theirs', 2) } });
    open();
    await chooseAction('004', 'Edit');
    const form = await dialog();
    fireEvent.change(form.getByLabelText(/name/), { target: { value: 'Mine' } });
    fireEvent.click(form.getByRole('button', { name: 'Save row' }));
    await screen.findByText('Another user changed the same fields');
    fireEvent.click(screen.getByRole('radio', { name: /Mine: Mine/ }));
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(writes()[1]?.body).toEqual([{ id: 64, revision: 2, data: { name: 'Mine' } }]));
  });
});

describe('deleting a row', () => {
  it('can be undone with the revision of the deletion', async () => {
    open();
    await chooseAction('004', 'Delete');
    await screen.findByText('004 deleted');
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(writes()[1]?.path).toBe(`${ROWS}/restore`));
    expect(writes()[0]?.body).toEqual({ rows: [{ id: 64, revision: 1 }] });
    expect(writes()[1]?.body).toEqual({ rows: [{ id: 64, revision: 2 }] });
  });

  it('first lists the references to the row', async () => {
    server.on(`POST ${ROWS}/deletion-impact`, {
      body: {
        rowCount: 1,
        referencedCount: 1,
        crosswalks: [{ id: 9, name: 'ISO to ERP', count: 2, servedCount: 1 }],
        relationships: [{ id: 5, name: 'Borders', count: 1, servedCount: 0 }],
        hidden: 1,
      },
    });
    open();
    await chooseAction('004', 'Delete');
    const confirmation = await dialog();
    expect(confirmation.getByText('This row is referenced')).toBeTruthy();
    expect(confirmation.getByRole('link', { name: 'ISO to ERP' }).closest('li')?.textContent).toContain(
      '2 mappings · 1 in use',
    );
    expect(confirmation.getByRole('link', { name: 'Borders' }).closest('li')?.textContent).toContain('1 value');
    expect(confirmation.getByText('1 more crosswalk or relationship that you cannot read.')).toBeTruthy();
    expect(writes()).toEqual([]);
    fireEvent.click(confirmation.getByRole('button', { name: 'Delete' }));
    await screen.findByText('004 deleted');
    expect(writes()[0]?.body).toEqual({ rows: [{ id: 64, revision: 1 }] });
  });

  it('reports why a row was not deleted', async () => {
    server.on(`DELETE ${ROWS}`, {
      body: {
        results: [{ id: 64, outcome: 'refused', code: 'STALE', message: 'Another user changed this row' }],
      },
    });
    open();
    await chooseAction('004', 'Delete');
    expect(await screen.findByText('Refused: Another user changed this row')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });
});

it('the page reloads the recently opened data sets if the data set was deleted', async () => {
  server.on('GET /api/reference-data/3', { status: 404, body: { code: 'NOT_FOUND', error: 'It does not exist' } });
  let reads = 0;
  server.on('GET /api/reference-data', () => {
    reads += 1;
    return { body: { items: reads === 1 ? [{ id: 3, name: 'Countries, numeric' }] : [], total: 1 } };
  });
  const OpenedDataSets = () => {
    const opened = useQuery(openedDataSetsQuery([3]));
    return <p>{opened.data && `${opened.data.length} opened`}</p>;
  };
  showPage(
    <>
      <OpenedDataSets />
      {page}
    </>,
    { at: '/reference-data/3' },
  );
  expect(await screen.findByText('0 opened')).toBeTruthy();
});
