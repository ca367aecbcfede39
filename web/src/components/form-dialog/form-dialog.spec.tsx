/** Tests that going back requests confirmation before the input of a dialog is lost. */
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { showPage } from '../../testing/page.tsx';
import { LeaveGuard } from '../leave-guard/index.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from './index.tsx';

function NameForm({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  return (
    <FormDialog
      dirty={name !== ''}
      onClose={onClose}
      title="Create a thing"
      footer={(leave) => <Button onClick={leave}>Cancel</Button>}
    >
      <input aria-label="Name" value={name} onChange={(event) => setName(event.target.value)} />
    </FormDialog>
  );
}

/** A page that shows the dialog while the URL has the parameter `new`. */
function Page({ dirty = false }: { dirty?: boolean }) {
  const [isOpen, setOpen] = useQueryState('new', parseAsBoolean.withDefault(false));
  return (
    <>
      <LeaveGuard dirty={dirty} />
      {isOpen && <NameForm onClose={() => void setOpen(null)} />}
    </>
  );
}

const field = () => screen.getByLabelText<HTMLInputElement>('Name');
const confirmation = () => screen.queryByRole('alertdialog', { name: 'Leave without saving?' });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

async function show({ page = <Page />, at = '/things' } = {}) {
  const { router } = showPage(page, { at });
  await act(() => router.navigate('/things?new=true'));
  return router;
}

describe('a dialog with a form', () => {
  it.each([
    ['the same page', '/things'],
    ['another page', '/others'],
  ])('requests confirmation before going back to %s, and keeps the typed text if the user stays', async (_, at) => {
    await show({ at });
    fireEvent.change(field(), { target: { value: 'Countries' } });
    act(() => window.history.back());
    await waitFor(() => expect(confirmation()).not.toBeNull());
    press('Stay');
    await waitFor(() => expect(confirmation()).toBeNull());
    expect(field().value).toBe('Countries');
    expect(window.location.search).toBe('?new=true');
  });

  it('closes without confirmation when the user goes back and has typed nothing', async () => {
    await show();
    act(() => window.history.back());
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(confirmation()).toBeNull();
  });

  it('closes when the user goes back and confirms', async () => {
    await show();
    fireEvent.change(field(), { target: { value: 'Countries' } });
    act(() => window.history.back());
    await waitFor(() => expect(confirmation()).not.toBeNull());
    press('Leave');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(window.location.search).toBe('');
  });

  it('does not disable the leave guard of the page', async () => {
    const router = await show({ page: <Page dirty /> });
    await act(() => router.navigate('/others'));
    await waitFor(() => expect(confirmation()).not.toBeNull());
  });
});
