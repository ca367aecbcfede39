/** Tests the title of the dialog while rows are written, and after the last result. */
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { showPage } from '../../../testing/page.tsx';
import { RowWritesResult } from './useRowWrites.tsx';

const result = (running: { done: number; total: number } | undefined) => (
  <RowWritesResult
    doing="Pasting…"
    done="Pasted"
    writing={{
      state: {
        running,
        outcomes: [{ id: 1, label: '0001', outcome: 'refused', message: 'Changed meanwhile' }],
        unconfirmed: [],
        unconfirmedReason: undefined,
      },
      start: async () => undefined,
    }}
    onClose={() => undefined}
  />
);

it('the dialog is titled "Pasting" while rows are being written', () => {
  showPage(result({ done: 500, total: 4_867 }));
  expect(screen.getByRole('dialog', { name: 'Pasting…' }).textContent).toContain('500 of 4,867');
});

it('the dialog is titled "Pasted" when all rows have a result', () => {
  showPage(result(undefined));
  expect(screen.getByRole('dialog', { name: 'Pasted' }).textContent).toContain('0 done, 1 refused.');
});
