/** Tests the import of a file from its upload to the start: reading, questions, the check, fixes and refusals. */
import { changedSettings, type ImportDraft } from '@rdm/contracts/imports/drafts';
import type { ColumnProfile } from '@rdm/contracts/imports/file-profile';
import type { Fix, ProblemGroup, Question } from '@rdm/contracts/imports/problems';
import { act, cleanup, createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FakeServer, fakeServer, showPage, steward } from '../../../testing/page.tsx';
import { DRAFT_ID, readyDraft } from './draft.fixture.ts';
import { ImportWizard } from './ImportWizard.tsx';

beforeAll(() => {
  Element.prototype.scrollIntoView = () => {};
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const creator = { ...steward, permissions: ['types.write', 'dataSets.create', 'collections.create'] };
const dateOrder: Question = {
  ...{ id: 'dateOrder:1', kind: 'dateOrder', column: 1, text: 'Does "03/04/2025" begin with the day?', answer: null },
  options: [
    { value: 'DMY', label: 'The day comes first', examples: ['03/04/2025 → 2025-04-03'] },
    { value: 'MDY', label: 'The month comes first', examples: ['03/04/2025 → 2025-03-04'] },
  ],
};
const group: ProblemGroup = {
  ...{ id: 'WRONG_TYPE|1|aaaa', rule: 'WRONG_TYPE', column: 1, shape: 'aaaa', severity: 'error', count: 1 },
  message: '1 row: "since" is not a date: soon',
  values: [{ value: 'soon', count: 1 }],
  fixes: [{ kind: 'skip', group: 'WRONG_TYPE|1|aaaa' }],
};
const problemRecord = {
  ...{ record: 3, place: 'line 3', cells: ['B', 'soon'] },
  problems: [{ column: 1, value: 'soon', rule: 'WRONG_TYPE', reason: '"soon" is not a date: use DD.MM.YYYY', fix: '' }],
};
const FILE = new File(['code,since\nA,03/04/2025\nB,soon\n'], 'codes.csv');

/** Simulates a server that has read the file at the second request for the draft, and that checks rows immediately. */
function draftServer(findings: Partial<ImportDraft> = {}) {
  let draft: ImportDraft = { ...readyDraft, state: 'READING', format: null, profiles: [], columns: [], records: 0 };
  let reads = 0;
  const isFixed = () => draft.fixes.length > 0;
  const server: FakeServer = fakeServer({
    'GET /api/imports': { body: [] },
    'GET /api/reference-data': { body: { items: [], page: 1, pageSize: 50, total: 0, position: '1' } },
    'GET /api/reference-types': { body: [{ id: 1, name: 'Country' }] },
    'GET /api/collections': { body: { items: [], page: 1, pageSize: 1000, total: 0, position: '1' } },
    'POST /api/imports': { status: 201, body: draft },
    [`GET /api/imports/${DRAFT_ID}`]: () => {
      reads += 1;
      if (draft.state === 'READING' && reads > 1) draft = { ...readyDraft, ...findings };
      return { body: draft };
    },
    [`GET /api/imports/${DRAFT_ID}/targets`]: { body: [] },
    [`PATCH /api/imports/${DRAFT_ID}`]: ({ body }) => {
      const settings = changedSettings(draft.settings, body as object);
      draft = { ...draft, revision: draft.revision + 1, settings, fixes: settings.fixes ?? [], check: null };
      return { body: draft };
    },
    [`POST /api/imports/${DRAFT_ID}/validate`]: () => {
      const counts = {
        new: isFixed() ? 2 : 1,
        changed: 0,
        unchanged: 0,
        invalid: isFixed() ? 0 : 1,
        skipped: 0,
        removed: 0,
        kept: 0,
      };
      const rows = { new: [], changed: [], unchanged: [], invalid: [], skipped: [], removed: [], kept: [] };
      draft = {
        ...draft,
        check: {
          ...{ jobId: draft.revision, revision: draft.revision, status: 'DONE', processed: 2, total: 2, counts, rows },
          ...{ cleared: 0, fields: ['code', 'since'], reason: null },
        },
      };
      return { status: 202, body: { jobId: draft.revision } };
    },
    [`GET /api/imports/${DRAFT_ID}/problems`]: () => ({
      body: isFixed() ? { revision: 1, records: 0, groups: [] } : { revision: 1, records: 1, groups: [group] },
    }),
    [`GET /api/imports/${DRAFT_ID}/problems/all`]: {
      body: { items: [problemRecord], total: 1, page: 1, pageSize: 200 },
    },
    [`POST /api/imports/${DRAFT_ID}/start`]: { status: 202, body: { jobId: 9, dataSetId: 3 } },
    // Other specs test the page of the job.
    'GET /api/jobs/9': { status: 404, body: { code: 'NOT_FOUND', error: 'Not found' } },
  });
  const changes = () => server.sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
  return { ...server, changes };
}

const show = (at = '/onboarding') => showPage(<ImportWizard />, { at, user: creator });
const choose = (file = FILE) => fireEvent.change(screen.getByLabelText('File'), { target: { files: [file] } });
const nextButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Next' });
const expectFocusOn = async (name: string) => {
  const heading = await findHeading(name);
  expect(document.activeElement).toBe(heading);
};
const findHeading = (name: string) => screen.findByRole('heading', { name }, { timeout: 3_000 });

describe('the proposed target', () => {
  const proposal = {
    ...{ target: { kind: 'dataSet', dataSetId: 3 }, name: 'Countries', reason: 'Its columns match', score: 1 },
    ...{ isPreselected: true, sharesNoKey: false },
  };
  /** Shows a draft whose proposed targets arrive after the draft. */
  async function showWithLateProposal() {
    const server = draftServer();
    server.on(`GET /api/imports/${DRAFT_ID}`, { body: readyDraft });
    const { queries } = show(`/onboarding?import=${DRAFT_ID}&step=content`);
    const name = await screen.findByLabelText('Name of the data set');
    const receiveProposal = () =>
      queries.setQueriesData({ queryKey: ['imports', 'targets'] }, [proposal] satisfies unknown[]);
    return { ...server, name, receiveProposal };
  }

  it('is set when the server returns it as preselected', async () => {
    const { receiveProposal, changes } = await showWithLateProposal();
    receiveProposal();
    await waitFor(() => expect(changes()).toEqual([{ target: proposal.target }]));
  });

  it('is listed after the new data set if its rows share no key with the file', async () => {
    const server = draftServer();
    server.on(`GET /api/imports/${DRAFT_ID}`, { body: readyDraft });
    const reason = 'No row has a key of the first records';
    const unlikelyProposal = { ...proposal, reason, isPreselected: false, sharesNoKey: true };
    server.on(`GET /api/imports/${DRAFT_ID}/targets`, { body: [unlikelyProposal] });
    show(`/onboarding?import=${DRAFT_ID}&step=content`);
    await screen.findByText(reason);
    const choices = screen.getAllByRole<HTMLInputElement>('radio');
    const names = choices.map(({ labels }) => labels?.[0]?.textContent ?? '');
    expect(names.map((name) => /^(A new data set|Rows of Countries|Rows of another)/.exec(name)?.[0])).toEqual([
      'A new data set',
      'Rows of Countries',
      'Rows of another',
    ]);
    expect(choices[0]?.checked).toBe(true);
    expect(server.changes()).toEqual([]);
  });

  it('is not set while the user types into the form of another target', async () => {
    const { receiveProposal, changes, name } = await showWithLateProposal();
    fireEvent.input(name, { target: { value: 'Own name' } });
    receiveProposal();
    // Waits until the proposal is offered.
    await screen.findByRole('radio', { name: /^Rows of Countries/ });
    expect(changes()).toEqual([]);
    expect((screen.getByLabelText('Name of the data set') as HTMLInputElement).value).toBe('Own name');
  });
});

describe('the import of a file', () => {
  it('reads the file, shows a question, checks the rows, edits a cell, and starts', async () => {
    const { sent, changes } = draftServer({ questions: [dateOrder] });
    show();
    choose();
    expect(await screen.findByText('Reading codes.csv…')).toBeTruthy();

    await expectFocusOn('How is the file read?');
    expect(nextButton().disabled).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: /^The month comes first/ }));
    await waitFor(() => expect(nextButton().disabled).toBe(false));
    expect(changes()).toEqual([{ answers: { 'dateOrder:1': 'MDY' } }]);

    fireEvent.click(nextButton());
    await expectFocusOn('What will be imported?');
    expect(await screen.findByRole('button', { name: 'Import 1 row, skip 1' })).toBeTruthy();
    expect(await screen.findByText('1 row: "since" is not a date: soon')).toBeTruthy();
    fireEvent.click(screen.getAllByRole('button', { name: 'Edit cells' })[0] as HTMLElement);
    const cell = await screen.findByRole('textbox', { name: 'since, line 3' });
    await waitFor(() => expect(document.activeElement).toBe(cell));
    fireEvent.change(cell, { target: { value: '12/31/2025' } });
    expect(screen.getByRole('img', { name: 'No problem' })).toBeTruthy();
    fireEvent.keyDown(cell, { key: 'Enter' });

    const start = await screen.findByRole('button', { name: 'Import 2 rows' });
    const edit: Fix = { kind: 'setCell', record: 3, column: 1, value: '12/31/2025' };
    await waitFor(() => expect(document.activeElement).toBe(start));
    expect(changes().at(-1)).toEqual({ fixes: [edit] });
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.click(start);
    expect(await screen.findByText('Import not found')).toBeTruthy();
    expect(sent.find(({ path }) => path.endsWith('/start'))?.body).toEqual({ description: 'Import of codes.csv' });
    expect(window.location.search).toBe('?job=9');
  });

  it('counts the values that are not numbers in a column whose data type is changed to number', async () => {
    const [code, since] = readyDraft.profiles as [ColumnProfile, ColumnProfile];
    const asNumber = { format: { decimal: ',' as const, blank: 'empty' as const }, misfits: 2 };
    draftServer({
      profiles: [code, { ...since, dataType: 'string', asNumber }],
      settings: { columns: { 1: { dataType: 'number' } } },
    });
    show(`/onboarding?import=${DRAFT_ID}&step=content`);
    expect(await screen.findByText('2 values do not match the type')).toBeTruthy();
    expect(screen.getByRole('combobox', { name: 'Format of the numbers of since' }).textContent).toBe('1.234,5');
  });

  it('counts the values that are not dates in a column whose data type is changed to date', async () => {
    const [code, since] = readyDraft.profiles as [ColumnProfile, ColumnProfile];
    const asDate = { format: { date: 'DMY' as const, blank: 'empty' as const }, misfits: 1 };
    draftServer({
      profiles: [code, { ...since, dataType: 'string', asDate }],
      settings: { columns: { 1: { dataType: 'date' } } },
    });
    show(`/onboarding?import=${DRAFT_ID}&step=content`);
    expect(await screen.findByText('1 value does not match the type')).toBeTruthy();
    expect(screen.getByRole('combobox', { name: 'Format of the dates of since' }).textContent).toBe('31.12.2025');
  });

  it('shows no count for a format that the server did not check', async () => {
    const [code, since] = readyDraft.profiles as [ColumnProfile, ColumnProfile];
    const asDate = { format: { date: 'DMY' as const, blank: 'empty' as const }, misfits: 1 };
    draftServer({
      profiles: [code, { ...since, dataType: 'string', asDate }],
      settings: { columns: { 1: { dataType: 'date', format: { date: 'YMD' } } } },
    });
    show(`/onboarding?import=${DRAFT_ID}&step=content`);
    const format = await screen.findByRole('combobox', { name: 'Format of the dates of since' });
    expect(format.textContent).toBe('2025-12-31');
    expect(screen.queryByText(/not match the type/)).toBeNull();
  });

  it('offers no format for a column whose values are stored as numbers', async () => {
    const [code, since] = readyDraft.profiles as [ColumnProfile, ColumnProfile];
    draftServer({ profiles: [code, { ...since, dataType: 'number', isTyped: true }] });
    show(`/onboarding?import=${DRAFT_ID}&step=content`);
    expect(await screen.findByRole('combobox', { name: 'Data type of since' })).toBeTruthy();
    expect(screen.queryByRole('combobox', { name: /^Format of/ })).toBeNull();
  });

  it('does not start without a description', async () => {
    const { sent } = draftServer();
    show(`/onboarding?import=${DRAFT_ID}&step=check`);
    const start = await screen.findByRole('button', { name: 'Import 1 row, skip 1' });
    fireEvent.change(screen.getByRole('textbox', { name: /^Job description/ }), { target: { value: ' ' } });
    fireEvent.click(start);
    expect(await screen.findByText('Job description is required')).toBeTruthy();
    expect(sent.some(({ path }) => path.endsWith('/start'))).toBe(false);
  });

  it('uploads a file that is dropped anywhere on the page', async () => {
    const { sent } = draftServer();
    show();
    await findHeading('Which file?');
    const drop = createEvent.drop(document.body);
    Object.defineProperty(drop, 'dataTransfer', { value: { types: ['Files'], files: [FILE] } });
    fireEvent(document.body, drop);
    await findHeading('How is the file read?');
    expect(sent.some(({ method, path }) => method === 'POST' && path === '/api/imports')).toBe(true);
  });

  it('continues at the step in the URL', async () => {
    draftServer();
    show(`/onboarding?import=${DRAFT_ID}&step=check`);
    expect(await findHeading('What will be imported?')).toBeTruthy();
    expect(await screen.findByRole('button', { name: 'Import 1 row, skip 1' })).toBeTruthy();
  });

  it('shows the newer settings when the draft was changed in another window', async () => {
    const { on } = draftServer();
    show(`/onboarding?import=${DRAFT_ID}&step=check`);
    await screen.findByRole('button', { name: 'Import 1 row, skip 1' });
    const newer = { ...readyDraft, revision: 7, settings: { description: 'Changed elsewhere' } };
    on(`PATCH /api/imports/${DRAFT_ID}`, { status: 412, body: { code: 'STALE', error: 'Changed', details: {} } });
    on(`GET /api/imports/${DRAFT_ID}`, { body: newer });
    fireEvent.click(screen.getByRole('switch', { name: 'All or nothing' }));
    expect(await screen.findByText('This import was changed in another window')).toBeTruthy();
    expect(await screen.findByDisplayValue('Changed elsewhere')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'OK' }));
    expect(screen.getByRole('switch', { name: 'All or nothing' }).getAttribute('aria-checked')).toBe('false');
  });

  it('disables Next while the name of the new type is taken', async () => {
    draftServer({ fileName: 'country.csv' });
    show();
    choose();
    const name = await screen.findByRole('textbox', { name: 'Name of the type' });
    await waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'));
    expect(nextButton().disabled).toBe(true);
    fireEvent.change(name, { target: { value: 'Nations' } });
    fireEvent.blur(name);
    await waitFor(() => expect(nextButton().disabled).toBe(false));
  });

  it('offers to use the existing type if the name of the new type is taken', async () => {
    const { changes, on } = draftServer({ fileName: 'country.csv' });
    on('GET /api/reference-types/1/schemas', {
      body: [{ id: 1, name: 'code', dataType: 'string', isPrimaryKey: true }],
    });
    show();
    choose();
    fireEvent.click(await screen.findByRole('button', { name: 'Use the existing type' }));
    await waitFor(() => expect(changes()).toEqual([{ target: expect.objectContaining({ typeId: 1 }) }]));
    await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Name of the type' })).toBeNull());
    expect(nextButton().disabled).toBe(false);
  });

  it('saves the name of the new collection if a click on another button moves the focus', async () => {
    const { changes, on } = draftServer({
      fileName: 'country.csv',
      settings: { target: { kind: 'newDataSet', name: 'country', newCollection: 'country' } },
    });
    on('GET /api/reference-types/1/schemas', {
      body: [{ id: 1, name: 'code', dataType: 'string', isPrimaryKey: true }],
    });
    show();
    choose();
    const name = await screen.findByRole('textbox', { name: 'Name of the collection' });
    const useType = await screen.findByRole('button', { name: 'Use the existing type' });
    fireEvent.change(name, { target: { value: 'Geography codes' } });
    // The page does not render between the two events of one click.
    act(() => {
      fireEvent.blur(name);
      fireEvent.click(useType);
    });
    const renamed = { kind: 'newDataSet', name: 'country', newCollection: 'Geography codes' };
    await waitFor(() => expect(changes()).toEqual([{ target: renamed }, { target: { ...renamed, typeId: 1 } }]));
  });

  it('explains that several key columns together identify a row', async () => {
    draftServer();
    show();
    choose();
    fireEvent.click(await screen.findByRole('button', { name: 'Let since identify a row' }));
    const note = await screen.findByText(/^code and since identify a row together/);
    fireEvent.click(screen.getByRole('button', { name: 'since identifies a row' }));
    await waitFor(() => expect(note.isConnected).toBe(false));
  });
});

describe('an import that is refused', () => {
  it('shows why its file cannot be read, and offers to choose another file', async () => {
    draftServer({ state: 'REFUSED', refusal: 'The workbook is encrypted: remove its password.', format: null });
    show();
    choose();
    expect(
      await screen.findByText('The workbook is encrypted: remove its password.', {}, { timeout: 3_000 }),
    ).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Choose a file' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Next' })).toBeNull();
  });

  it('does not upload a file with the ending of an unsupported format', async () => {
    const { sent } = draftServer();
    show();
    choose(new File(['x'], 'old.xls'));
    const alert = await screen.findByRole('alert');
    expect(within(alert).getByText('XLS files cannot be imported: save the rows as XLSX or CSV first.')).toBeTruthy();
    expect(sent.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('prompts the user to choose the file again if the draft was deleted', async () => {
    const { on } = draftServer();
    on(`GET /api/imports/${DRAFT_ID}`, { status: 404, body: { code: 'NOT_FOUND', error: 'Gone' } });
    show(`/onboarding?import=${DRAFT_ID}&step=check`);
    expect(await screen.findByText('This draft could not be loaded: choose the file again.')).toBeTruthy();
  });

  it('shows why it was not started', async () => {
    const { on, sent } = draftServer();
    on(`POST /api/imports/${DRAFT_ID}/start`, {
      status: 409,
      body: { error: 'Another import of this data set is under way', code: 'EXCLUSIVE_IMPORT' },
    });
    show(`/onboarding?import=${DRAFT_ID}&step=check`);
    const start = await screen.findByRole('button', { name: 'Import 1 row, skip 1' }, { timeout: 3_000 });
    const description = screen.getByLabelText(/Job description/);
    fireEvent.change(description, { target: { value: '' } });
    fireEvent.click(start);
    expect(await screen.findByText('Job description is required')).toBeTruthy();
    expect(sent.some(({ path }) => path.endsWith('/start'))).toBe(false);
    fireEvent.change(description, { target: { value: 'Codes' } });
    fireEvent.click(start);
    expect(await screen.findByText('Another import of this data set is under way')).toBeTruthy();
  });

  it('is not available to users who can only read the data set', async () => {
    fakeServer({
      'GET /api/reference-data/3': { body: { id: 3, name: 'Codes', typeId: 1, level: 'READ', primaryKeyFields: [] } },
    });
    showPage(<ImportWizard dataSetId={3} />);
    expect(await screen.findByText('You may not import here')).toBeTruthy();
  });
});
