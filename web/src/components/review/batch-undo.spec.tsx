/** Tests the undo of a large batch by a job, and of a batch that cannot be undone. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../testing/page.tsx';
import { type Undoable, UndoBar } from '../undo-bar/index.tsx';
import { useBatchUndo } from './batch-undo.tsx';

const BATCH = '6f1ed0b5-7a0e-4f2b-9f43-0d6f4a8c1e57';
const batchWithoutLaterChanges = {
  commandId: BATCH,
  parts: [],
  undo: { possible: true, count: 12_000, laterCount: 0, ownCount: 0, message: null },
};
const counts = { total: 12_000, created: 0, changed: 0, unchanged: 0, failed: 0, skipped: 0 };
const job = { jobId: 7, status: 'IN_PROGRESS', progress: 25, counts, errorMessage: null };

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function DecidedBatch({ reload }: { reload: () => Promise<unknown> }) {
  const undo = useBatchUndo({ labelsOf: async () => new Map(), reload });
  const [action, setAction] = useState<Undoable | undefined>(undo.undoable('Approved: 12,000 mappings.', [BATCH]));
  return (
    <>
      {action && <UndoBar action={action} onClose={() => setAction(undefined)} />}
      {undo.dialogs}
    </>
  );
}

describe('the undo of a large batch', () => {
  it('shows a job in place of the undo bar, and then the result of the job', async () => {
    const server = fakeServer({
      [`GET /api/batches/${BATCH}`]: { body: batchWithoutLaterChanges },
      [`POST /api/batches/${BATCH}/undo`]: { status: 202, body: { jobId: 7, commandId: 'undo', total: 12_000 } },
      'GET /api/jobs/7': { body: job },
    });
    const reload = vi.fn(async () => undefined);
    showPage(<DecidedBatch reload={reload} />);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText('Undoing 12,000 rows as a job')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
    await waitFor(() => expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25'));
    server.on('GET /api/jobs/7', {
      body: { ...job, status: 'DONE', progress: 100, counts: { ...counts, changed: 11_999, failed: 1 } },
    });
    expect(await screen.findByText('11,999 done, 1 refused', {}, { timeout: 5_000 })).toBeTruthy();
    await waitFor(() => expect(screen.queryByText('Undoing 12,000 rows as a job')).toBeNull());
    expect(reload).toHaveBeenCalledTimes(2);
  }, 20_000);
});

describe('the undo of a batch without undoable rows', () => {
  it('shows the reason that the server returns', async () => {
    const message = 'You approved these rows: another approver must undo them';
    const undo = { possible: false, count: 0, laterCount: 0, ownCount: 2, message };
    fakeServer({ [`GET /api/batches/${BATCH}`]: { body: { ...batchWithoutLaterChanges, undo } } });
    showPage(<ConfirmedBatch />);
    fireEvent.click(screen.getByRole('button', { name: 'Undo the batch' }));
    expect(await screen.findByText('Nothing is left to undo')).toBeTruthy();
    expect(screen.getByText(message)).toBeTruthy();
  });
});

function ConfirmedBatch() {
  const { confirmUndo, dialogs } = useBatchUndo({ labelsOf: async () => new Map(), reload: async () => undefined });
  return (
    <>
      <button type="button" onClick={() => void confirmUndo(BATCH)}>
        Undo the batch
      </button>
      {dialogs}
    </>
  );
}
