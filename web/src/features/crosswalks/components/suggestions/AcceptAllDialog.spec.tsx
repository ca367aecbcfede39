/** Tests that the form of the confidence field, which Enter submits, accepts the suggestions. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../../../testing/page.tsx';
import { crosswalk, suggestion } from '../../fixtures.ts';
import { AcceptAllDialog } from './AcceptAllDialog.tsx';

afterEach(() => vi.unstubAllGlobals());

it('accepts the suggestions when the form of the confidence field is submitted', async () => {
  const items = [suggestion('AT', ['AUT', 100])];
  fakeServer({
    'GET /api/crosswalks/1/suggestions': {
      body: { items, total: 1, ambiguous: { total: 0, examples: [] }, progress: null, bounded: false },
    },
  });
  const accept = vi.fn();
  showPage(<AcceptAllDialog crosswalk={crosswalk()} onAccept={accept} onClose={() => undefined} />);
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Accept 1' });
  const { form } = screen.getByRole<HTMLInputElement>('spinbutton');
  // On Enter, a browser submits the form of the field with this button.
  expect(form).not.toBeNull();
  expect(button.form).toBe(form);
  fireEvent.submit(form as HTMLFormElement);
  await waitFor(() => expect(accept).toHaveBeenCalledOnce());
});
