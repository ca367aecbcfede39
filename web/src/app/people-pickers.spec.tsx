/** Tests the user pickers of several pages. */
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GranteePicker } from '../features/collections/components/GranteePicker.tsx';
import SitePaths from '../features/site-paths/pages/SitePaths.tsx';
import { PersonPicker } from '../features/users/components/PersonPicker.tsx';
import { fakeServer, showPage, steward } from '../testing/page.tsx';

const nothing = () => undefined;

beforeEach(() => {
  fakeServer({
    'GET /api/site-paths': { body: { userId: 1, items: [] } },
    'GET /api/users/directory': {
      body: { users: [{ id: 7, username: 'guest', displayName: null }], groups: [{ id: 1, name: 'Geographers' }] },
    },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('the pickers of three pages show the username once for a user without a display name', async () => {
  showPage(
    <>
      <GranteePicker label="Grantees" value={undefined} onChange={nothing} />
      <PersonPicker label="Members" without={new Set()} onChoose={nothing} />
      <SitePaths />
    </>,
    { user: { ...steward, isAdmin: true } },
  );
  for (const [button, listed] of [
    ['Choose a user or a group…', ['guest', 'Geographersgroup']],
    ['Members', ['guest']],
    ['As steward', ['As steward', 'guest']],
  ] as const) {
    fireEvent.click(screen.getByText(button));
    const list = within(await screen.findByLabelText('Suggestions'));
    expect((await list.findAllByRole('option')).map((option) => option.textContent)).toEqual(listed);
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
  }
});
