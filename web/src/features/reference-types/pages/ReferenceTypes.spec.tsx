/** Tests the Reference Data Types page against specification §2, §5, §7 and §8. */
import type {
  DependencyAnalysis,
  ReferenceTypeView,
  SchemaFieldView,
} from '@rdm/contracts/reference-types/reference-types';
import type { SchemaPreview } from '@rdm/contracts/reference-types/schema-changes';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeServer, fakeServer, type Reply, showPage, steward } from '../../../testing/page.tsx';
import { ImpactDialog } from '../components/ImpactDialog.tsx';
import ReferenceTypes from './ReferenceTypes.tsx';

const country: ReferenceTypeView = {
  id: 1,
  name: 'Country',
  description: '',
  revision: 3,
  schemaCount: 2,
  dataSetCount: 1,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const unit: ReferenceTypeView = { ...country, id: 2, name: 'Unit', description: 'Units of measure', schemaCount: 1 };

const field = (name: string, overrides: Partial<SchemaFieldView> = {}): SchemaFieldView => ({
  id: 1,
  fieldId: name === 'code' ? 1 : 2,
  referenceDataTypeId: 1,
  name,
  dataType: 'string',
  isPrimaryKey: false,
  isReferenced: false,
  isKeyOfDataSets: false,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  ...overrides,
});

const noDependencies: DependencyAnalysis = {
  datasets: [],
  relationships: [],
  crosswalkMappings: [],
  primaryKeyFields: [],
  totalAffectedInstances: 0,
  hidden: { datasets: 0, relationships: 0, crosswalkMappings: 0 },
};
const someDependencies: DependencyAnalysis = {
  ...noDependencies,
  datasets: [{ id: 5, name: 'Countries', collection: 'Geography', instanceCount: 249 }],
  relationships: [{ id: 6, name: 'uses', source: 'Countries', target: 'Currencies' }],
  crosswalkMappings: [{ id: 7, name: 'ISO', source: 'Countries', target: 'Alpha 3', mappingCount: 240 }],
  primaryKeyFields: [{ name: 'code', isReferenced: true }],
  totalAffectedInstances: 249,
};

let server: FakeServer;

beforeEach(() => {
  window.pendingErrors = [];
  server = fakeServer({
    'GET /api/reference-types': { body: [country, unit] },
    'GET /api/reference-types/1/schemas': { body: [field('code', { isPrimaryKey: true }), field('name')] },
    'GET /api/reference-types/2/schemas': { body: [field('label')] },
    'GET /api/reference-types/1/dependencies': { body: noDependencies },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const row = async (name: string) => {
  const cell = await screen.findByText(name, { selector: 'td' });
  return within(cell.closest('tr') as HTMLElement);
};
const writes = () => server.sent.filter((call) => call.method !== 'GET');
const errors = () => (window.pendingErrors ?? []).map(({ title, description }) => [title, description]);

async function click(name: string, area = screen as Pick<typeof screen, 'findByRole' | 'getByRole'>) {
  await area.findByRole('button', { name });
  await waitFor(() => expect((area.getByRole('button', { name }) as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(area.getByRole('button', { name }));
}

describe('the list', () => {
  it('shows the totals of types and schemas, and the columns of the specification', async () => {
    showPage(<ReferenceTypes />);
    await row('Country');
    expect(screen.getByText('Total Types').parentElement?.textContent).toBe('Total Types2');
    expect(screen.getByText('Total Schemas').parentElement?.textContent).toBe('Total Schemas3');
    const headers = screen.getAllByRole('columnheader').map((header) => header.textContent);
    expect(headers).toEqual(['ID', 'Name', 'Description', 'Schema Count', 'Schema Details', 'Actions']);
    expect((await row('Country')).getByText('No description')).toBeTruthy();
  });

  it.each(['/reference-types', '/reference-types?q=Country', '/reference-types-list'])(
    'links from %s back to the whole list',
    async (at) => {
      showPage(<ReferenceTypes />, { at });
      await screen.findByText('Total Types');
      expect(screen.getByRole('link', { name: 'Back to Reference Types' }).getAttribute('href')).toBe(
        '/reference-types',
      );
    },
  );

  it('shows only the primary keys, or all columns if the switch is on', async () => {
    showPage(<ReferenceTypes />);
    expect(await (await row('Country')).findByText('code: string (PK)')).toBeTruthy();
    expect((await row('Country')).queryByText('name: string')).toBeNull();
    expect((await row('Unit')).getByText('No primary key')).toBeTruthy();
    fireEvent.click(screen.getByRole('switch', { name: 'Show all columns' }));
    expect(await (await row('Country')).findByText('name: string')).toBeTruthy();
    expect((await row('Unit')).getByText('label: string')).toBeTruthy();
  });

  it('shows “No schemas” only for the type whose schemas cannot be loaded', async () => {
    server.on('GET /api/reference-types/1/schemas', { status: 500, body: { error: 'broken' } });
    showPage(<ReferenceTypes />);
    expect(await (await row('Country')).findByText('No schemas')).toBeTruthy();
    expect(await (await row('Unit')).findByText('No primary key')).toBeTruthy();
  });

  it('shows an error with Try Again if the list cannot be loaded', async () => {
    server.on('GET /api/reference-types', { status: 500, body: { error: 'The database is away' } });
    showPage(<ReferenceTypes />);
    expect(await screen.findByText('The database is away')).toBeTruthy();
    expect(errors()).toEqual([['Error', 'Failed to fetch reference types']]);
    server.on('GET /api/reference-types', { body: [country] });
    await click('Try Again');
    expect(await row('Country')).toBeTruthy();
  });

  it('offers no changes to users without the permission', async () => {
    showPage(<ReferenceTypes />, { user: { ...steward, permissions: [] } });
    const countryRow = await row('Country');
    expect(screen.queryByRole('button', { name: 'Add New Type' })).toBeNull();
    expect(countryRow.queryByRole('button', { name: 'Edit' })).toBeNull();
    expect(countryRow.queryByRole('button', { name: 'Delete' })).toBeNull();
  });
});

describe('adding a type', () => {
  const open = async () => {
    showPage(<ReferenceTypes />);
    await row('Country');
    await click('Add New Type');
    return within(await screen.findByRole('dialog', { name: 'Add New Type' }));
  };
  const type = (label: string, text: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value: text } });

  it('requires a name', async () => {
    const dialog = await open();
    await click('Create Type', dialog);
    expect(dialog.getByText('Validation Error')).toBeTruthy();
    expect(dialog.getByText('Name is required')).toBeTruthy();
    expect(writes()).toEqual([]);
  });

  it('requires a name for every field, and a primary key', async () => {
    const dialog = await open();
    type('Name *', 'Currency');
    await click('Create Type', dialog);
    expect(dialog.getByText('All schemas must have names')).toBeTruthy();
    type('Name of field 1', 'code');
    fireEvent.click(dialog.getByRole('checkbox', { name: 'code is a primary key' }));
    await click('Create Type', dialog);
    expect(dialog.getByText('At least one field must be selected as the primary key')).toBeTruthy();
    expect(writes()).toEqual([]);
  });

  it('never removes the only field', async () => {
    const dialog = await open();
    const remove = () => dialog.getAllByRole('button', { name: /^Remove/ }) as HTMLButtonElement[];
    expect(remove().map((button) => button.disabled)).toEqual([true]);
    await click('Add Field', dialog);
    expect(remove().map((button) => button.disabled)).toEqual([false, false]);
    fireEvent.click(remove()[0] as HTMLElement);
    expect(remove().map((button) => button.disabled)).toEqual([true]);
  });

  it('moves the focus on Enter instead of creating the type', async () => {
    const dialog = await open();
    type('Name *', 'Currency');
    fireEvent.keyDown(dialog.getByLabelText('Name *'), { key: 'Enter' });
    expect(document.activeElement).toBe(dialog.getByLabelText('Description'));
    type('Name of field 1', 'code');
    fireEvent.keyDown(dialog.getByLabelText('Name of field 1'), { key: 'Enter' });
    expect(document.activeElement).toBe(dialog.getByLabelText('Name of field 2'));
    fireEvent.keyDown(dialog.getByLabelText('Name of field 2'), { key: 'Enter' });
    expect(dialog.queryByLabelText('Name of field 3')).toBeNull();
    expect(writes()).toEqual([]);
  });

  it('creates a type whose first field is the primary key', async () => {
    server.on('POST /api/reference-types', { status: 201, body: { id: 3, revision: 1 } });
    const dialog = await open();
    type('Name *', ' Currency ');
    type('Name of field 1', 'code');
    // The new list is set before the creation, because the page can reload the list while this test waits.
    server.on('GET /api/reference-types', { body: [country, unit, { ...unit, id: 3, name: 'Currency' }] });
    server.on('GET /api/reference-types/3/schemas', { body: [] });
    await click('Create Type', dialog);
    expect(await screen.findByText('Reference type created successfully')).toBeTruthy();
    expect(writes()[0]?.body).toEqual({
      name: 'Currency',
      description: '',
      schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
    });
    expect(await row('Currency')).toBeTruthy();
  });

  it('reloads the list 500 ms after the success', async () => {
    server.on('POST /api/reference-types', { status: 201, body: { id: 3, revision: 1 } });
    const dialog = await open();
    type('Name *', 'Currency');
    type('Name of field 1', 'code');
    const lists = () => server.sent.filter(({ method, path }) => method === 'GET' && path === '/api/reference-types');
    const before = lists().length;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    fireEvent.click(dialog.getByRole('button', { name: 'Create Type' }));
    // Lets the response arrive without advancing the fake time.
    for (let turn = 0; turn < 100 && screen.queryByRole('dialog') !== null; turn++)
      await vi.advanceTimersByTimeAsync(0);
    expect(screen.queryByRole('dialog')).toBeNull();
    await vi.advanceTimersByTimeAsync(499);
    expect(lists()).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(lists().length).toBeGreaterThan(before);
    vi.useRealTimers();
  });

  it.each<[string, Reply]>([
    ['The name is taken', { status: 409, body: { error: 'The name is taken' } }],
    // The real server never responds with this, because the dialog always sends a data type.
    ['Data type is required', { status: 400, body: { error: 'Data type is required' } }],
    ['Unknown error', { status: 409 }],
  ])('shows the reason for a failure and keeps the input: %s', async (reason, reply) => {
    server.on('POST /api/reference-types', reply);
    const dialog = await open();
    type('Name *', 'Country');
    type('Name of field 1', 'code');
    await click('Create Type', dialog);
    expect(await dialog.findByText(`Failed to create reference type: ${reason}`)).toBeTruthy();
    expect((dialog.getByLabelText('Name *') as HTMLInputElement).value).toBe('Country');
  });
});

describe('editing a type', () => {
  const begin = async () => {
    showPage(<ReferenceTypes />);
    await click('Edit', await row('Country'));
    await click('Proceed with Edit');
    return (await screen.findByRole('textbox', { name: 'Name' })) as HTMLInputElement;
  };

  it('states that nothing depends on the type', async () => {
    showPage(<ReferenceTypes />);
    await click('Edit', await row('Country'));
    expect(await screen.findByText('No dependencies found. This reference data type is safe to edit.')).toBeTruthy();
  });

  it('requires that the user acknowledges what depends on the type', async () => {
    server.on('GET /api/reference-types/1/dependencies', { body: { success: true, data: someDependencies } });
    showPage(<ReferenceTypes />);
    await click('Edit', await row('Country'));
    const dialog = within(await screen.findByRole('dialog', { name: 'Impact Analysis' }));
    expect(await dialog.findByText('Geography · 249 instances')).toBeTruthy();
    expect(dialog.getByText('Countries → Currencies')).toBeTruthy();
    expect(dialog.getByText('Countries → Alpha 3 · 240 mappings')).toBeTruthy();
    expect(dialog.getByText('Locked primary-key fields')).toBeTruthy();
    const proceed = dialog.getByRole('button', { name: 'Proceed with Edit' }) as HTMLButtonElement;
    expect(proceed.disabled).toBe(true);
    fireEvent.click(dialog.getByRole('checkbox'));
    expect(proceed.disabled).toBe(false);
  });

  it('shows an error if the server returns no dependency data', async () => {
    server.on('GET /api/reference-types/1/dependencies', { body: null });
    vi.stubGlobal('fetch', wrapNull(globalThis.fetch));
    showPage(<ReferenceTypes />);
    await click('Edit', await row('Country'));
    expect(await screen.findByText('No dependency data received from server')).toBeTruthy();
  });

  it('shows an error if the type has no id', async () => {
    const type = { id: undefined as unknown as number, name: 'Country' };
    showPage(<ImpactDialog type={type} intent="edit" onCancel={() => undefined} onProceed={() => undefined} />);
    expect(await screen.findByText('Type ID is required')).toBeTruthy();
    expect(server.sent).toEqual([]);
  });

  it('saves name and description in the row, with the expected revision', async () => {
    server.on('PATCH /api/reference-types/1', { body: { id: 1, revision: 4 } });
    fireEvent.change(await begin(), { target: { value: 'Countries' } });
    fireEvent.change(screen.getByRole('textbox', { name: 'Description' }), { target: { value: 'ISO 3166' } });
    await click('Save');
    expect(await screen.findByText('Reference type updated successfully')).toBeTruthy();
    expect(writes()[0]?.body).toEqual({ name: 'Countries', description: 'ISO 3166' });
    expect(writes()[0]?.headers.get('If-Match')).toBe('"3"');
  });

  it('saves nothing if the user cancels', async () => {
    fireEvent.change(await begin(), { target: { value: 'Countries' } });
    await click('Cancel');
    expect(await row('Country')).toBeTruthy();
    expect(writes()).toEqual([]);
  });

  it('shows the error, and leaves the row editable', async () => {
    server.on('PATCH /api/reference-types/1', { status: 409, body: { error: 'The name is taken' } });
    const name = await begin();
    fireEvent.change(name, { target: { value: 'Unit' } });
    fireEvent.keyDown(name, { key: 'Enter' });
    expect(await screen.findByText('Failed to update reference type')).toBeTruthy();
    expect(screen.getByText('The name is taken')).toBeTruthy();
    expect(screen.getByDisplayValue('Unit')).toBeTruthy();
  });

  it('merges changes to different fields', async () => {
    const current = { ...country, description: 'Theirs', revision: 9 };
    server.on('PATCH /api/reference-types/1', ({ headers }) =>
      headers.get('If-Match') === '"9"'
        ? { body: { id: 1, revision: 10 } }
        : { status: 412, body: { error: 'Changed meanwhile', code: 'STALE', details: { current } } },
    );
    fireEvent.change(await begin(), { target: { value: 'Countries' } });
    await click('Save');
    expect(await screen.findByText('Reference type updated successfully')).toBeTruthy();
    expect(writes().at(-1)?.body).toEqual({ name: 'Countries', description: 'Theirs' });
  });

  it('shows a choice of values if both users changed the same field', async () => {
    const current = { ...country, name: 'Nations', revision: 9 };
    server.on('PATCH /api/reference-types/1', ({ headers }) =>
      headers.get('If-Match') === '"9"'
        ? { body: { id: 1, revision: 10 } }
        : { status: 412, body: { error: 'Changed meanwhile', code: 'STALE', details: { current } } },
    );
    fireEvent.change(await begin(), { target: { value: 'Countries' } });
    await click('Save');
    const dialog = within(await screen.findByRole('dialog', { name: 'Another user changed the same fields' }));
    fireEvent.click(dialog.getByLabelText(/Mine/));
    await click('Save', dialog);
    expect(await screen.findByText('Reference type updated successfully')).toBeTruthy();
    expect(writes().at(-1)?.body).toEqual({ name: 'Countries', description: '' });
  });
});

describe('deleting a type', () => {
  const confirm = async () => {
    await click('Delete', await row('Country'));
    return within(await screen.findByRole('alertdialog'));
  };

  it('requests confirmation with the text of the specification', async () => {
    server.on('DELETE /api/reference-types/1', {});
    showPage(<ReferenceTypes />);
    const dialog = await confirm();
    const words = 'This will permanently delete the reference data type "Country". This action cannot be undone.';
    expect(dialog.getByText(words)).toBeTruthy();
    await click('Delete', dialog);
    expect(await screen.findByText('Reference type deleted successfully')).toBeTruthy();
  });

  it('shows what depends on the type before the confirmation', async () => {
    server.on('GET /api/reference-types/1/dependencies', { body: someDependencies });
    showPage(<ReferenceTypes />);
    await click('Delete', await row('Country'));
    fireEvent.click(await screen.findByRole('checkbox', { name: /I understand/ }));
    await click('Proceed with Delete');
    expect(await screen.findByText(/This action cannot be undone/)).toBeTruthy();
  });

  it.each([
    [
      { status: 400, statusText: 'Bad Request', body: { error: 'In use' } },
      'Cannot Delete Reference Type',
      'This reference type has associated datasets. You must delete all datasets that use this type before you can delete it.',
    ],
    [
      { status: 404, statusText: 'Not Found', body: { error: 'Gone' } },
      'Error',
      'Failed to delete reference type: Not Found',
    ],
    [
      { status: 409, statusText: '', body: { error: 'No' } },
      'Error',
      'Failed to delete reference type. It may be in use by reference data sets.',
    ],
  ])('shows the error: %j', async (reply, title, text) => {
    server.on('DELETE /api/reference-types/1', reply);
    showPage(<ReferenceTypes />);
    await click('Delete', await confirm());
    await waitFor(() => expect(errors()).toEqual([[title, text]]));
    const dialog = within(await screen.findByRole('alertdialog', { name: title }));
    expect(dialog.getByText(text)).toBeTruthy();
    await click('OK', dialog);
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  });
});

describe('changing the schema', () => {
  const preview: SchemaPreview = {
    problems: [],
    steps: [{ kind: 'retired', field: 'name' }],
    datasets: [
      {
        id: 9,
        name: 'Countries',
        instanceCount: 1,
        issues: [
          {
            field: 'name',
            kind: 'RETIRED',
            rule: 'no longer shown',
            count: 1,
            examples: [{ instanceId: 64, key: 'DE', value: 'Germany' }],
          },
        ],
      },
    ],
    others: { untouched: 0, more: 0, hidden: 0, hiddenCells: 0 },
    savedFilters: [{ id: 5, name: 'Germans', dataSet: { id: 9, name: 'Countries' }, fields: ['name'] }],
    broken: 0,
    retired: 1,
  };

  it('adds, renames and retires fields in one command, after showing the impact on rows', async () => {
    server.on('POST /api/reference-types/1/schema-preview', { body: preview });
    server.on('PUT /api/reference-types/1/schemas', { body: { id: 1, revision: 4 } });
    showPage(<ReferenceTypes />);
    fireEvent.keyDown(
      await screen.findByText('Country', { selector: 'td' }).then((cell) => cell.closest('tr') as HTMLElement),
      { key: 'Enter' },
    );
    const drawer = within(await screen.findByRole('dialog', { name: 'Schema of Country' }));
    fireEvent.change(await drawer.findByLabelText('Name of field 1'), { target: { value: 'alpha2' } });
    await click('Remove name', drawer);
    await click('Add Field', drawer);
    fireEvent.change(drawer.getByLabelText('Name of field 3'), { target: { value: 'capital' } });
    await click('Save Schema', drawer);
    const impact = within(await screen.findByRole('dialog', { name: 'Impact Analysis' }));
    const proceed = impact.getByRole('button', { name: 'Proceed with Edit' }) as HTMLButtonElement;
    expect(await impact.findByText(/1 row, no longer shown/)).toBeTruthy();
    expect(impact.getByRole('row', { name: 'DE Germany' })).toBeTruthy();
    expect(impact.getByText('Germans').closest('li')?.textContent).toBe('Germans · Countriesname');
    expect(proceed.disabled).toBe(true);
    fireEvent.click(impact.getByRole('checkbox'));
    fireEvent.click(proceed);
    expect(await screen.findByText('Schema saved')).toBeTruthy();
    const [previewRequest, saveRequest] = writes();
    expect(previewRequest?.path).toContain('/schema-preview');
    expect(saveRequest?.body).toEqual(previewRequest?.body);
    expect(saveRequest?.body).toEqual({
      schemas: [
        { fieldId: 1, name: 'alpha2', dataType: 'string', isPrimaryKey: true },
        { name: 'capital', dataType: 'string', isPrimaryKey: false },
      ],
    });
    expect(saveRequest?.headers.get('If-Match')).toBe('"3"');
  });

  it('does not save changes that the server would refuse', async () => {
    server.on('POST /api/reference-types/1/schema-preview', {
      body: {
        ...preview,
        problems: [
          {
            code: 'FIELD_LOCKED',
            field: 'name',
            message: 'The field "name" is locked',
            usedBy: [{ kind: 'crosswalk', id: 4, name: 'Lands' }],
            hidden: 2,
          },
        ],
      },
    });
    showPage(<ReferenceTypes />);
    fireEvent.keyDown(
      await screen.findByText('Country', { selector: 'td' }).then((cell) => cell.closest('tr') as HTMLElement),
      { key: 'Enter' },
    );
    const drawer = within(await screen.findByRole('dialog', { name: 'Schema of Country' }));
    await drawer.findByLabelText('Name of field 1');
    await click('Save Schema', drawer);
    const impact = within(await screen.findByRole('dialog', { name: 'Impact Analysis' }));
    const problem = within(await impact.findByRole('alert'));
    expect(problem.getByText(/The field "name" is locked/).textContent).toContain(
      'Used by Lands and 2 crosswalks or relationships that you cannot read',
    );
    expect((impact.getByRole('button', { name: 'Proceed with Edit' }) as HTMLButtonElement).disabled).toBe(true);
    expect(impact.queryByRole('checkbox')).toBeNull();
  });

  it('begins with a button beside Edit and Delete', async () => {
    showPage(<ReferenceTypes />);
    const row = await screen
      .findByText('Country', { selector: 'td' })
      .then((cell) => cell.closest('tr') as HTMLElement);
    const names = within(row)
      .getAllByRole('button')
      .map((button) => button.getAttribute('aria-label'));
    expect(names.filter((name) => name !== null && !name.startsWith('Actions'))).toEqual(['Edit', 'Delete', 'Schema']);
    await click('Schema', within(row));
    expect(await screen.findByRole('dialog', { name: 'Schema of Country' })).toBeTruthy();
  });

  it('locks primary keys that are referenced', async () => {
    server.on('GET /api/reference-types/1/schemas', {
      body: [field('code', { isPrimaryKey: true, isReferenced: true }), field('name')],
    });
    showPage(<ReferenceTypes />);
    fireEvent.keyDown(
      await screen.findByText('Country', { selector: 'td' }).then((cell) => cell.closest('tr') as HTMLElement),
      { key: 'Enter' },
    );
    const drawer = within(await screen.findByRole('dialog', { name: 'Schema of Country' }));
    const removal = await drawer.findByRole<HTMLButtonElement>('button', { name: 'code cannot be removed' });
    expect(removal.disabled).toBe(true);
    expect((drawer.getByRole('checkbox', { name: 'code is a primary key' }) as HTMLButtonElement).disabled).toBe(true);
  });
});

/** Wraps `fetch` so that the request for dependencies returns the JSON `null`. */
function wrapNull(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) =>
    String(input).includes('/dependencies')
      ? new Response('null', { headers: { 'Content-Type': 'application/json' } })
      : fetch(input, init);
}
