/** Tests the bulk actions of a tab: their availability, the required reasons, and the link to submitted rows. */
import { REVIEW_REFUSALS } from '@rdm/contracts/review/approval';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { showPage } from '../../testing/page.tsx';
import { type Undoable, UndoBar } from '../undo-bar/index.tsx';
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

/** The bulk actions of a tab with two selected rows, or with all matching rows selected. */
function Bar({
  onSend = () => undefined,
  tab,
  selectionId,
  counts,
  hasTabs = true,
}: {
  hasTabs?: boolean;
  onSend?: SendVerb;
  tab: 'draft' | 'approved';
  selectionId?: string;
  counts?: { approved: number; served: number };
}) {
  const [undoable, setUndoable] = useState<Undoable>();
  const review = useReview<Row, { id: number; outcome: 'done'; revision: number }>({
    labelOf: ({ id }) => `Row ${id}`,
    labelsOf: async () => new Map(),
    fallbackLabelOf: (id) => `Row ${id}`,
    countText: (count) => `${count} rows`,
    words: VERB_WORDS,
    hasTabs,
    send: async (...sentArguments) => {
      onSend(...sentArguments);
      return {
        results: ROWS.map(({ id }) => ({ id, outcome: 'done', revision: 4 })),
        commandIds: ['c'],
        jobs: [],
      };
    },
    resultOf: ({ id }) => ({ id }),
    reload: async () => undefined,
    isServed: () => true,
    onUndoable: setUndoable,
  });
  const { bulk } = tabActions<Row>({
    tabOf: () => tab,
    bulk: { verbs: TAB_VERBS[tab], tab },
    counts,
    words: VERB_WORDS,
    review,
    refusalOf: (verb) => (verb === 'discard' ? 'Nothing to discard' : undefined),
    isServed: () => true,
    mayWrite: () => true,
    editLabel: 'Edit',
    onEdit: () => undefined,
    onHistory: () => undefined,
  });
  const selection = { rows: ROWS, selectionId, count: ROWS.length, clear: () => undefined };
  return (
    <>
      {bulk.map(({ label, onSelect, unavailable }) => (
        <button key={label} type="button" title={unavailable?.(selection)} onClick={() => void onSelect(selection)}>
          {label} those
        </button>
      ))}
      {review.dialogs}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => undefined} />}
    </>
  );
}

it('the tab of approved rows offers a deletion request, and a revocation with a reason', async () => {
  const sent = vi.fn<SendVerb>();
  showPage(<Bar tab="approved" onSend={sent} />);
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

it('the undo bar links to the tab of the submitted rows', async () => {
  showPage(<Bar tab="draft" />, { at: '/crosswalks/5/mappings?tab=draft&search=x' });
  fireEvent.click(screen.getByText('Submit those'));
  fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
  fireEvent.click(await screen.findByRole('link', { name: 'Go to Pending' }));
  await waitFor(() => expect(window.location.search).toBe('?tab=pending'));
  expect(window.location.pathname).toBe('/crosswalks/5/mappings');
});

it('the undo bar of a list without tabs has no link', async () => {
  showPage(<Bar tab="draft" hasTabs={false} />);
  fireEvent.click(screen.getByText('Submit those'));
  fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText(/2 rows\.$/)).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Go to Pending' })).toBeNull();
});

it.each([
  ['every selected row is refused', undefined, undefined, 'Nothing to discard'],
  ['no draft has an approved value', 'all', { approved: 2, served: 2 }, REVIEW_REFUSALS.NO_CANDIDATE],
  ['a draft may have an approved value', 'all', { approved: 2, served: 3 }, ''],
])('“Discard draft” shows a reason only if nothing can be discarded: %s', (_, selectionId, counts, reason) => {
  showPage(<Bar tab="draft" {...(selectionId && { selectionId })} {...(counts && { counts })} />);
  expect(screen.getByText('Discard draft those').title).toBe(reason);
});
