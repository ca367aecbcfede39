/** Tests the changes of grant lists. */
import type { Grant } from '@rdm/contracts/access/access';
import { describe, expect, it } from 'vitest';
import { addGrant, copyGrants, differences, removeGrant } from './grants.ts';

const user = (entityId: number, permissionLevel: Grant['permissionLevel']): Grant => ({
  entityType: 'user',
  entityId,
  permissionLevel,
});
const group = (entityId: number, permissionLevel: Grant['permissionLevel']): Grant => ({
  entityType: 'group',
  entityId,
  permissionLevel,
});

describe('a list of grants', () => {
  it('contains each user and group once, and no removed grant', () => {
    expect(addGrant({ entityType: 'user', entityId: 1 }, 'WRITE')([user(1, 'READ'), group(1, 'READ')])).toEqual([
      group(1, 'READ'),
      user(1, 'WRITE'),
    ]);
    expect(removeGrant({ entityType: 'group', entityId: 1 })([user(1, 'READ'), group(1, 'READ')])).toEqual([
      user(1, 'READ'),
    ]);
  });

  it('receives the grants of another list without lowering a level', () => {
    const targetGrants = [user(1, 'ADMIN'), user(2, 'READ'), user(3, 'READ')];
    const sourceGrants = [user(1, 'READ'), user(2, 'WRITE'), group(2, 'APPROVER')];
    expect(copyGrants(sourceGrants)(targetGrants)).toEqual([
      user(1, 'ADMIN'),
      user(2, 'WRITE'),
      user(3, 'READ'),
      group(2, 'APPROVER'),
    ]);
  });

  it('differs from another list by added, removed and changed grants', () => {
    expect(
      differences(
        [user(1, 'READ'), user(2, 'READ'), user(3, 'READ')],
        [user(1, 'READ'), user(2, 'WRITE'), user(4, 'ADMIN')],
      ),
    ).toEqual([
      { grant: user(2, 'WRITE'), before: 'READ', after: 'WRITE' },
      { grant: user(4, 'ADMIN'), before: null, after: 'ADMIN' },
      { grant: user(3, 'READ'), before: 'READ', after: null },
    ]);
  });
});
