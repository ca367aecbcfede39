import { emptyAccess, evolveAccess, SEEDED_ROLES } from '@rdm/contracts';
import { expect, it } from 'vitest';
import { requireRole } from './route-access.ts';

const access = emptyAccess();
for (const role of SEEDED_ROLES) evolveAccess(access, { type: 'RoleDefined', data: role });
evolveAccess(access, { type: 'UserRegistered', data: { userId: 4, roleId: 4 } });

const keyWith = (...scopes: ('read' | 'translate' | 'write')[]) => ({
  apiKeyId: 1,
  createdBy: 4,
  scopes: scopes.map((scope, index) => ({ collectionId: index, scope })),
});

it('explains to a user which ability the role does not include', () => {
  expect(() => requireRole({ ability: 'types.write' }, access, 4)).toThrow('Your role does not include types.write');
});

it.each([
  [
    'its scopes, each once',
    keyWith('write', 'read', 'read'),
    'The scopes of this API key (read, write) do not include',
  ],
  ['that it has no scopes', keyWith(), 'The scopes of this API key (none) do not include'],
])('explains to an API key %s', (_, key, message) => {
  expect(() => requireRole({ ability: 'types.write' }, access, key)).toThrow(`${message} types.write`);
  expect(() => requireRole({ route: '/approvals' }, access, key)).toThrow(`${message} /approvals`);
});

it('explains to an API key which scope it needs for a route', () => {
  expect(() => requireRole({ route: '/collections', level: 'READ' }, access, keyWith('translate'))).toThrow(
    'The scopes of this API key (translate) do not include read',
  );
});
