/** Tests that changes of a draft are shown immediately and saved one after the other. */
import { changedSettings, type ImportDraft } from '@rdm/contracts/imports/drafts';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, type Reply, showPage } from '../../../testing/page.tsx';
import { draftKey } from '../api/drafts.ts';
import { DRAFT_ID, readyDraft } from './draft.fixture.ts';
import { type ChangeOfDraft, useDraft } from './use-draft.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const PATCH = `PATCH /api/imports/${DRAFT_ID}`;

let change: ChangeOfDraft;
let changesSaved: () => Promise<unknown>;
function Draft() {
  const { draft, ...actions } = useDraft(DRAFT_ID);
  ({ change, changesSaved } = actions);
  return (
    <p>{draft && `${draft.settings.mode ?? 'none'}, ${draft.settings.description ?? 'none'}, ${draft.revision}`}</p>
  );
}

/** Simulates a server that saves a change only if the request has the current revision. */
function draftServer() {
  let saved: ImportDraft = readyDraft;
  const server = fakeServer({
    [`GET /api/imports/${DRAFT_ID}`]: () => ({ body: saved }),
    [PATCH]: ({ body, headers }): Reply => {
      if (headers.get('If-Match') !== `"${saved.revision}"`) {
        return { status: 412, body: { code: 'STALE', error: 'Changed', details: { current: saved } } };
      }
      saved = { ...saved, revision: saved.revision + 1, settings: changedSettings(saved.settings, body as object) };
      return { body: saved };
    },
  });
  return { ...server, set: (next: Partial<ImportDraft>) => (saved = { ...saved, ...next }) };
}

it('a draft shows changes immediately and saves them in order, each with the revision that the previous change returned', async () => {
  const { sent } = draftServer();
  const { queries } = showPage(<Draft />);
  await screen.findByText('none, none, 1');
  act(() => {
    void change({ mode: 'insert' });
    void change({ description: 'Codes' });
  });
  expect(queries.getQueryData(draftKey(DRAFT_ID))).toMatchObject({
    ...{ revision: 1, settings: { mode: 'insert', description: 'Codes' } },
  });
  expect(await screen.findByText('insert, Codes, 3')).toBeTruthy();
  const changes = sent.filter(({ method }) => method === 'PATCH');
  expect(changes.map(({ body, headers }) => [body, headers.get('If-Match')])).toEqual([
    [{ mode: 'insert' }, '"1"'],
    [{ description: 'Codes' }, '"2"'],
  ]);
});

it('changesSaved resolves when all changes are saved', async () => {
  const { sent } = draftServer();
  showPage(<Draft />);
  await screen.findByText('none, none, 1');
  act(() => void change({ mode: 'insert' }));
  act(() => void change({ description: 'Codes' }));
  await act(changesSaved);
  expect(sent.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
  expect(await screen.findByText('insert, Codes, 3')).toBeTruthy();
});

it('a draft shows the newer settings and a message when another window changed the draft', async () => {
  const { set } = draftServer();
  showPage(<Draft />);
  await screen.findByText('none, none, 1');
  set({ revision: 5, settings: { mode: 'update' } });
  await act(() => change({ description: 'Mine' }));
  expect(await screen.findByText('update, none, 5')).toBeTruthy();
  expect(screen.getByText('This import was changed in another window')).toBeTruthy();
  await act(() => change({ description: 'Again' }));
  expect(await screen.findByText('update, Again, 6')).toBeTruthy();
});

it('a draft reverts a change that the server refuses', async () => {
  const { on } = draftServer();
  showPage(<Draft />);
  await screen.findByText('none, none, 1');
  on(PATCH, { status: 404, body: { code: 'NOT_FOUND', error: 'This data set does not exist' } });
  await act(() => change({ mode: 'insert' }));
  await waitFor(() => expect(screen.getByText('none, none, 1')).toBeTruthy());
  expect(screen.getByText('The change was not saved')).toBeTruthy();
});
