/**
 * Tests the dialog that undoes an import: the text of its preview, the start of the job, and the deletion of a data set
 * that the import created.
 */
import type { CreatedByImport, ImportUndoPreview } from '@rdm/contracts/imports/import-undo';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Route, Routes, useLocation } from 'react-router-dom';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeServer, fakeServer, showPage } from '../../testing/page.tsx';
import { ImportUndo, type UndoableJob } from './index.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const undoableJob: UndoableJob = {
  jobId: 9,
  description: 'Countries of July',
  dataSetName: 'Countries',
  undo: { state: 'possible', jobId: null, at: null },
};
const preview: ImportUndoPreview = {
  removed: 292,
  restored: 1,
  addedBack: 40,
  kept: 101,
  keptRows: [
    {
      ...{ id: 1, key: '00161', reason: 'EDITED' },
      ...{ userId: 3, userName: 'Ada Approver', at: '2026-01-01T10:32:00Z', job: null },
    },
    { id: 2, key: 'DE', reason: 'REFERENCED', userId: null, userName: null, at: null, job: null },
    {
      ...{ id: 3, key: 'FR', reason: 'EDITED', userId: 3, userName: 'Ada Approver', at: null },
      job: { id: 15, undoes: 14 },
    },
    {
      id: 4,
      key: 'IT',
      reason: 'EDITED',
      userId: 3,
      userName: 'Ada Approver',
      at: null,
      job: { id: 14, undoes: null },
    },
  ],
  created: null,
};
const created: CreatedByImport = {
  dataSet: { id: 3, name: 'Codes', revision: 2 },
  type: { id: 4, name: 'Code', revision: 1 },
  collection: null,
};

/** Shows the address to which the dialog navigates. */
function CurrentAddress() {
  const { pathname, search } = useLocation();
  return <p>{`at ${pathname}${search}`}</p>;
}

const open = async () => {
  fireEvent.click(await screen.findByRole('button', { name: 'Undo import' }));
  return screen.findByRole('dialog', { name: 'Undo import' });
};

describe('the undo of an import', () => {
  it('shows before the start how many rows change and why rows are kept', async () => {
    const server = fakeServer({
      'GET /api/jobs/9/undo': { body: preview },
      'POST /api/jobs/9/undo': { status: 202, body: { jobId: 12 } },
    });
    const onStarted = vi.fn();
    showPage(<ImportUndo job={undoableJob} onStarted={onStarted} />);
    const dialog = await open();
    expect(
      await within(dialog).findByText('Removes 292 rows, returns 1 row to its earlier values and adds back 40 rows.'),
    ).toBeTruthy();
    expect(within(dialog).getByText('Keeps 101 rows that were changed after the import or are in use:')).toBeTruthy();
    const [edited, referenced, undone, imported] = within(dialog).getAllByRole('listitem');
    expect(edited?.textContent).toContain('changed by Ada Approver, ');
    expect(referenced?.textContent).toBe('DEused by mappings or relationship values');
    expect(undone?.textContent).toBe('FRchanged by the undo of import 14');
    expect(imported?.textContent).toBe('ITchanged by import 14');
    expect(within(dialog).getByText('And 97 rows more.')).toBeTruthy();
    expect(server.sent.map(({ method }) => method)).toEqual(['GET']);
    expect(onStarted).not.toHaveBeenCalled();
    fireEvent.click(within(dialog).getByRole('button', { name: 'Undo import' }));
    await waitFor(() => expect(onStarted).toHaveBeenCalledWith(12));
  });

  it('cannot be started when there is nothing to undo', async () => {
    fakeServer({
      'GET /api/jobs/9/undo': { body: { removed: 0, restored: 0, addedBack: 0, kept: 0, keptRows: [], created: null } },
    });
    showPage(<ImportUndo job={undoableJob} onStarted={() => undefined} />);
    const dialog = await open();
    expect(await within(dialog).findByText('There is nothing to undo.')).toBeTruthy();
    expect(within(dialog).getByRole('button', { name: 'Undo import' }).hasAttribute('disabled')).toBe(true);
  });

  it('links to its job after it is done, and is absent for imports that cannot be undone', async () => {
    fakeServer({});
    const { undo: _, ...job } = undoableJob;
    showPage(
      <>
        <ImportUndo
          job={{ ...job, undo: { state: 'done', jobId: 12, at: '2026-01-01T00:00:00Z' } }}
          onStarted={() => undefined}
        />
        <ImportUndo job={{ ...job, undo: null }} onStarted={() => undefined} />
      </>,
    );
    expect((await screen.findByRole('link', { name: /^Import undone/ })).getAttribute('href')).toBe('/monitor?job=12');
    expect(screen.queryByRole('button')).toBeNull();
  });

  describe('that created its data set', () => {
    const CHECKBOX = 'Also delete the data set “Codes” and the type “Code”, which only this import uses';
    const previewWithoutKeptRows = { ...preview, kept: 0, keptRows: [], created };
    const undoJob = { endTime: '2026-01-01T00:00:00Z', status: 'DONE', counts: { changed: 300, skipped: 0 } };
    const serverWith = (instanceCount: number) =>
      fakeServer({
        'GET /api/jobs/9/undo': { body: previewWithoutKeptRows },
        'POST /api/jobs/9/undo': { status: 202, body: { jobId: 12 } },
        'GET /api/jobs/12': { body: undoJob },
        'GET /api/reference-data/3': { body: { instanceCount } },
        'DELETE /api/reference-data/3': { body: {} },
        'DELETE /api/reference-types/4': { body: {} },
      });
    const deletionsOf = ({ sent }: FakeServer) =>
      sent.filter(({ method }) => method === 'DELETE').map(({ path, headers }) => [path, headers.get('If-Match')]);

    const onStarted = vi.fn();
    beforeEach(() => onStarted.mockReset());

    async function undo(isTicked: boolean): Promise<void> {
      showPage(
        <Routes>
          <Route path="/" element={<ImportUndo job={undoableJob} onStarted={onStarted} />} />
          <Route path="/monitor" element={<CurrentAddress />} />
        </Routes>,
      );
      const dialog = await open();
      const checkbox = await within(dialog).findByRole('checkbox', { name: CHECKBOX });
      expect(checkbox.getAttribute('aria-checked')).toBe('false');
      if (isTicked) fireEvent.click(checkbox);
      fireEvent.click(within(dialog).getByRole('button', { name: 'Undo import' }));
    }

    it('deletes the empty data set and its type if the checkbox is ticked', async () => {
      const server = serverWith(0);
      await undo(true);
      expect(await screen.findByText('300 rows, the data set “Codes” and the type “Code” were deleted')).toBeTruthy();
      expect(await screen.findByText('at /monitor?job=12')).toBeTruthy();
      expect(onStarted).not.toHaveBeenCalled();
      expect(deletionsOf(server)).toEqual([
        ['/api/reference-data/3', '"2"'],
        ['/api/reference-types/4', '"1"'],
      ]);
    });

    it('keeps the data set and its type if the checkbox is not ticked or rows remain', async () => {
      const untouched = serverWith(0);
      await undo(false);
      await waitFor(() => expect(onStarted).toHaveBeenCalledWith(12));
      expect(deletionsOf(untouched)).toEqual([]);
      cleanup();
      onStarted.mockReset();
      const filled = serverWith(1);
      await undo(true);
      expect(await screen.findByText('Codes was not deleted')).toBeTruthy();
      await waitFor(() => expect(onStarted).toHaveBeenCalledWith(12));
      expect(deletionsOf(filled)).toEqual([]);
    });

    it('does not offer to delete the data set if rows are kept', async () => {
      fakeServer({ 'GET /api/jobs/9/undo': { body: { ...preview, created } } });
      showPage(<ImportUndo job={undoableJob} onStarted={() => undefined} />);
      const dialog = await open();
      await within(dialog).findByText(/^Keeps 101 rows/);
      expect(within(dialog).queryByRole('checkbox')).toBeNull();
    });
  });
});
