/** Specifies what writing many rows is called while it goes on, and once some of them were refused. */
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { showPage } from '../../../testing/page.tsx';
import { WritingResult } from './useRowWrites.tsx';

const result = (running: { done: number; total: number } | undefined) => (
  <WritingResult
    doing="Pasting…"
    done="Pasted"
    writing={{
      state: {
        running,
        outcomes: [{ id: 1, label: '0001', outcome: 'refused', message: 'Changed meanwhile' }],
        unsent: [],
        why: undefined,
      },
      start: async () => undefined,
    }}
    onClose={() => undefined}
  />
);

it('is pasting while rows are on their way', () => {
  showPage(result({ done: 500, total: 4_867 }));
  expect(screen.getByRole('dialog', { name: 'Pasting…' }).textContent).toContain('500 of 4,867');
});

it('is pasted once each was answered', () => {
  showPage(result(undefined));
  expect(screen.getByRole('dialog', { name: 'Pasted' }).textContent).toContain('0 done, 1 refused.');
});
