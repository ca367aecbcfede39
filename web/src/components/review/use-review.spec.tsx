/** Tests an open dialog for one row while a command for another row is running. */
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
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
function ReviewedRows({ approved }: { approved: Promise<void> }) {
  const review = useReview<Row, { id: number; outcome: 'done'; revision: number }>({
    labelOf: ({ id }) => `Row ${id}`,
    labelsOf: async () => new Map(),
    fallbackLabelOf: (id) => `Row ${id}`,
    countText: (count) => `${count} rows`,
    words: VERB_WORDS,
    hasTabs: true,
    send: async () => {
      await approved;
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
    render(<ReviewedRows approved={approved} />);
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
});
