/** Tests the results of a bulk action, and the dialog that requests a reason before the action. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../testing/page.tsx';
import { CommentDialog } from '../comment-dialog/index.tsx';
import { type Outcome, OutcomesDialog } from '../row-outcomes/index.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});
const outcomes: Outcome[] = [
  { id: 1, label: 'AT → AUT', outcome: 'done' },
  {
    id: 2,
    label: 'DE → DEU',
    outcome: 'refused',
    message: 'This row is not under review',
    changed: { by: 7, at: '2026-01-31T12:00:00Z' },
  },
];

describe('the results for many rows', () => {
  it('count the rows, and list each refused row with its reason and last change', async () => {
    fakeServer({ 'GET /api/users/names': { body: [{ id: 7, username: 'ada', displayName: 'Ada Approver' }] } });
    showPage(<OutcomesDialog title="Submitted" outcomes={outcomes} onClose={() => undefined} />);
    expect(screen.getByText('1 done, 1 refused.')).toBeDefined();
    expect(await screen.findByText(/last changed by Ada Approver/)).toBeDefined();
    const listed = screen.getAllByRole('listitem').map((row) => row.textContent);
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatch(/^DE → DEURefused: This row is not under review – last changed by Ada Approver, /);
  });

  it('are shown after a full success only with a note', () => {
    const close = vi.fn();
    const done = outcomes.slice(0, 1);
    showPage(<OutcomesDialog title="Submitted" outcomes={done} onClose={close} />);
    expect(close).toHaveBeenCalled();
    expect(screen.queryByRole('dialog')).toBeNull();
    cleanup();
    showPage(<OutcomesDialog title="Drafted" outcomes={done} note="60 had no suggestion" onClose={() => undefined} />);
    expect(screen.getByRole('dialog').textContent).toContain('60 had no suggestion');
  });

  it('cannot be closed while rows are being processed', () => {
    const close = vi.fn();
    showPage(<OutcomesDialog title="Drafting" running={{ done: 500, total: 2_000 }} outcomes={[]} onClose={close} />);
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
    expect(close).not.toHaveBeenCalled();
  });
});

describe('a reason', () => {
  it('is required for a rejection and sent without surrounding blanks', () => {
    const confirm = vi.fn();
    showPage(
      <CommentDialog
        title="Reject 2 items?"
        description="They go back."
        confirm="Reject"
        reasonRequired
        onConfirm={confirm}
        onCancel={() => undefined}
      />,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Reject' }));
    expect(screen.getByText('A reason is required')).toBeDefined();
    expect(confirm).not.toHaveBeenCalled();

    fireEvent.change(screen.getByRole('textbox'), { target: { value: '  Wrong region ' } });
    fireEvent.click(screen.getByRole('button', { name: 'Reject' }));
    expect(confirm).toHaveBeenCalledExactlyOnceWith('Wrong region');
  });

  it('is optional for a submission', () => {
    const confirm = vi.fn();
    showPage(
      <CommentDialog
        title="Submit?"
        description="An approver decides."
        confirm="Submit"
        onConfirm={confirm}
        onCancel={() => undefined}
      />,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
    expect(confirm).toHaveBeenCalledExactlyOnceWith(undefined);
  });
});
