/** Tests the dialog of a command while another command runs, and after an error. */
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { describe, expect, it } from 'vitest';
import { useReview } from './use-review.tsx';
import { VERB_WORDS } from './verbs.ts';

interface Row {
  id: number;
  revision: number;
}
const rows: Row[] = [
  { id: 1, revision: 1 },
  { id: 2, revision: 1 },
];

/** Two rows: one button approves the first row, the other opens the dialog for the second row. */
function ReviewedRows({ decided }: { decided: Promise<void> }) {
  const review = useReview<Row, { id: number; outcome: 'done'; revision: number }>({
    labelOf: ({ id }) => `Row ${id}`,
    labelsOf: async () => new Map(),
    fallbackLabelOf: (id) => `Row ${id}`,
    countText: (count) => `${count} rows`,
    words: VERB_WORDS,
    hasTabs: true,
    send: async () => {
      await decided;
      return { results: [{ id: 1, outcome: 'done', revision: 2 }], commandIds: [], jobs: [] };
    },
    resultOf: ({ id }) => ({ id }),
    reload: async () => undefined,
    isServed: () => false,
    onUndoable: () => undefined,
  });
  const [first, second] = rows as [Row, Row];
  return (
    <>
      <button type="button" onClick={() => void review.applyToRow('approve', first)}>
        Approve 1
      </button>
      <button
        type="button"
        onClick={() =>
          review.openDialog('reject', { rows: [second], selectionId: undefined, count: 1, clear: () => undefined })
        }
      >
        Reject 2
      </button>
      <p>hidden: {review.hiddenRows.size}</p>
      {review.dialogs}
    </>
  );
}

describe('the dialog for one row', () => {
  it('stays open when the command for another row ends', async () => {
    let finish = () => {};
    const approved = new Promise<void>((resolve) => {
      finish = resolve;
    });
    render(<ReviewedRows decided={approved} />);
    fireEvent.click(screen.getByText('Approve 1'));
    fireEvent.click(screen.getByText('Reject 2'));
    expect(screen.getByRole('dialog', { name: 'Reject Row 2?' })).toBeTruthy();
    await act(async () => finish());
    // The button of the dialog is enabled again when the command for the first row has ended.
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Reject', hidden: true }).disabled).toBe(false),
    );
    expect(screen.getByRole('dialog', { name: 'Reject Row 2?' })).toBeTruthy();
  });

  it('stays open with the reason if the command fails', async () => {
    const failed = Promise.reject(new Error('The server is away'));
    failed.catch(() => undefined);
    // A dialog with unsaved text blocks the navigation, which needs a router.
    const element = <ReviewedRows decided={failed} />;
    render(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />);
    fireEvent.click(screen.getByText('Reject 2'));
    fireEvent.change(screen.getByRole('textbox', { name: /Reason/ }), { target: { value: 'Wrong currency' } });
    fireEvent.click(screen.getByRole('button', { name: 'Reject' }));
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Reject' }).disabled).toBe(false));
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /Reason/ }).value).toBe('Wrong currency');
  });
});
