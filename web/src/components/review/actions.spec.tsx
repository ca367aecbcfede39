/** Tests the bulk actions of a tab, and that an action that requires a reason is not sent without one. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { showPage } from '../../testing/page.tsx';
import { tabActions } from './actions.ts';
import { useReview } from './use-review.tsx';
import { type RowVerb, TAB_VERBS, VERB_WORDS } from './verbs.ts';

interface Row {
  id: number;
  revision: number;
}
const ROWS: readonly Row[] = [
  { id: 1, revision: 3 },
  { id: 2, revision: 3 },
];

type SendVerb = (verb: RowVerb, chosen: unknown, comment?: string) => void;

/** The selection bar with two approved rows selected. */
function ApprovedRowsBar({ sent }: { sent: SendVerb }) {
  const review = useReview<Row, { id: number; outcome: 'done'; revision: number }>({
    labelOf: ({ id }) => `Row ${id}`,
    labelsOf: async () => new Map(),
    fallbackLabelOf: (id) => `Row ${id}`,
    countText: (count) => `${count} rows`,
    words: VERB_WORDS,
    send: async (...sentArguments) => {
      sent(...sentArguments);
      return { results: [], commandIds: [], jobs: [] };
    },
    resultOf: ({ id }) => ({ id }),
    reload: async () => undefined,
    isServed: () => true,
    onUndoable: () => undefined,
  });
  const { bulk } = tabActions<Row>({
    tabOf: () => 'approved',
    bulk: { verbs: TAB_VERBS.approved, tab: 'approved' },
    words: VERB_WORDS,
    review,
    refusalOf: () => undefined,
    isServed: () => true,
    mayWrite: () => true,
    editLabel: 'Edit',
    onEdit: () => undefined,
    onHistory: () => undefined,
  });
  const selection = { rows: ROWS, selectionId: undefined, count: ROWS.length, clear: () => undefined };
  return (
    <>
      {bulk.map(({ label, onSelect }) => (
        <button key={label} type="button" onClick={() => void onSelect(selection)}>
          {label} those
        </button>
      ))}
      {review.dialogs}
    </>
  );
}

it('offers to revoke approved rows, with a reason that all readers see', async () => {
  const sent = vi.fn<SendVerb>();
  showPage(<ApprovedRowsBar sent={sent} />);
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Revoke those',
    'Request deletion those',
  ]);
  fireEvent.click(screen.getByText('Revoke those'));
  expect(screen.getByRole('dialog', { name: 'Revoke 2 rows?' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Revoke' }));
  expect(screen.getByText('A reason is required')).toBeTruthy();
  expect(sent).not.toHaveBeenCalled();
  fireEvent.change(screen.getByRole('textbox', { name: /^Reason/ }), { target: { value: 'Decided too soon' } });
  fireEvent.click(screen.getByRole('button', { name: 'Revoke' }));
  await waitFor(() => expect(sent).toHaveBeenCalledWith('revoke', { rows: ROWS }, 'Decided too soon'));
});
