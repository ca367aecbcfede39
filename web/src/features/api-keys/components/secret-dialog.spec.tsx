/** Tests that going back does not lose a secret that was not copied. */
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { showPage } from '../../../testing/page.tsx';
import { SecretDialog } from './SecretDialog.tsx';

function Page() {
  const [isOpen, setOpen] = useState(true);
  const newSecret = {
    name: 'ERP',
    secret: 'rdm_secret',
    scopes: [{ scope: 'read' as const }],
    overlapHours: undefined,
  };
  return isOpen && <SecretDialog shown={newSecret} onClose={() => setOpen(false)} />;
}

it('requests a confirmation before going back, and still shows the secret after “Stay”', async () => {
  const { router } = showPage(<Page />, { at: '/things' });
  await act(() => router.navigate('/things?q=a'));
  act(() => window.history.back());
  expect(await screen.findByText('You have not copied the secret. It cannot be shown again.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(screen.getByText('rdm_secret')).toBeTruthy();
});
