/** Tests that a link opens the editor of a row, and that the tab links to the submitted row. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useListState } from '../../lib/url-state/list-state.ts';
import { showPage } from '../../testing/page.tsx';
import { editorLink } from './links.ts';
import { type ReviewedRow, ReviewTab } from './review-tab.tsx';
import type { Review } from './use-review.tsx';
import { VERB_WORDS } from './verbs.ts';

afterEach(() => vi.unstubAllGlobals());

const row: ReviewedRow = {
  ...{ id: 7, revision: 2, served: null, createdBy: null, updatedBy: null, submittedBy: null },
  ...{ approvedBy: null, rejectedBy: null },
};

function Tab({ refusal }: { refusal?: string }) {
  const state = useListState();
  const review: Review<ReviewedRow> = {
    hiddenRows: new Set(),
    openDialog: (_, { clear }) => clear(),
    applyToRow: async () => undefined,
    dialogs: null,
  };
  const rows = state.filter === undefined ? [] : [row];
  return (
    <ReviewTab
      result={
        { data: { items: rows, total: rows.length }, error: null, isFetching: false, refetch: () => undefined } as never
      }
      rows={rows}
      grid={
        {
          ...{ label: 'rejected values', entity: 'relationship:1', state, columns: [], filterFields: [] },
          empty: { title: 'Nothing was rejected' },
        } as never
      }
      review={review}
      actions={{
        ...{ tabOf: () => 'rejected', bulk: { verbs: [], tab: 'rejected' }, words: VERB_WORDS, editLabel: 'Edit' },
        ...{ refusalOf: () => refusal, mayWrite: () => true },
      }}
      hint={undefined}
      editor={(edited, onClose, onSaved) => (
        <button
          type="button"
          onClick={() => {
            onClose();
            onSaved(edited, true);
          }}
        >
          Save and submit row {edited.id}
        </button>
      )}
      labelOf={() => 'VIE → AT'}
      itemOf={({ id }) => ({ kind: 'relationship-value', parentId: 1, id })}
      history={() => null}
    />
  );
}

const at = editorLink({ kind: 'relationship-value', parentId: 1, id: 7 }, 'rejected');

describe('a link to the editor of a row', () => {
  it('opens the editor, and the tab links to the submitted row', async () => {
    showPage(<Tab />, { at });
    fireEvent.click(await screen.findByRole('button', { name: 'Save and submit row 7' }));
    expect((await screen.findByText(/^Submitted for approval:/)).textContent).toContain('VIE → AT');
    expect(screen.getByRole('link', { name: 'Show the submission' })).toBeTruthy();
    expect(await screen.findByText('Nothing was rejected')).toBeTruthy();
    expect(screen.queryByText('Nothing matches')).toBeNull();
    await waitFor(() => expect(window.location.search).toBe('?tab=rejected'));
  });

  it('opens no editor for a row that cannot be edited', async () => {
    showPage(<Tab refusal="Under review" />, { at });
    await waitFor(() => expect(window.location.search).not.toContain('edit='));
    expect(screen.queryByRole('button', { name: 'Save and submit row 7' })).toBeNull();
  });
});
