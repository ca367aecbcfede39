/** Tests how an audit entry displays changes of roles, groups and levels. */
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../../testing/page.tsx';
import { useAccessChanges } from './access-changes.ts';

const none = { roleChange: null, groupChange: null, permissionChange: null };

function Changes(changes: Parameters<typeof useAccessChanges>[0]) {
  return (
    <p data-testid="changes">
      {useAccessChanges(changes)
        .map(({ label, value }) => `${label}: ${value}`)
        .join('; ')}
    </p>
  );
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it.each([
  [{ ...none, roleChange: { roleId: 3, name: 'Approver' } }, 'Role assigned: Approver'],
  [{ ...none, roleChange: { roleId: 9, name: null } }, 'Role assigned: Role 9'],
  [{ ...none, groupChange: { groupId: 1, added: [7], removed: [8] } }, 'Members added: Ada; Members removed: User 8'],
  [
    {
      ...none,
      permissionChange: {
        granted: [{ entityType: 'user', entityId: 7, permissionLevel: 'WRITE' }],
        revoked: [{ entityType: 'group', entityId: 2 }],
      },
    },
    'Levels granted: Ada (WRITE); Levels revoked: Group 2',
  ],
  [
    { ...none, permissionChange: { roleId: 5, routes: [], abilities: ['types.write'] } },
    'Pages: none; Abilities: types.write',
  ],
  [none, ''],
])('displays the change %j as “%s”', async (changes, text) => {
  fakeServer({ 'GET /api/users/names': { body: [{ id: 7, username: 'ada', displayName: 'Ada' }] } });
  showPage(<Changes {...changes} />);
  await vi.waitFor(() => expect(screen.getByTestId('changes').textContent).toBe(text));
});
