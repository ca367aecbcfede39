/** Tests the request that changes a profile, and the name of its user. */
import type { UserView } from '@rdm/contracts/identity/identity';
import { describe, expect, it } from 'vitest';
import { changesOf, nameOf, profileOf } from './profile.ts';

const ada: UserView = {
  id: 7,
  username: 'ada',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: null,
  displayName: null,
  phoneNumber: null,
  department: 'Codes',
  jobTitle: null,
  roleId: 4,
  roleName: 'Viewer',
  isActive: true,
  isErased: false,
  isEmailProved: false,
  authProvider: 'local',
  oktaId: null,
  requirePasswordChange: false,
  isLocked: false,
  lockedUntil: null,
  failedLoginAttempts: 0,
  lastLoginAt: null,
  revision: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

describe('a profile', () => {
  it('is sent with only the changed fields', () => {
    const before = profileOf(ada);
    expect(changesOf(before, before)).toEqual({});
    expect(changesOf(before, { ...before, department: '', lastName: 'Lovelace', roleId: 2 })).toEqual({
      department: '',
      lastName: 'Lovelace',
      roleId: 2,
    });
  });
  it('has the username as name if the display name is missing', () => {
    expect(nameOf(ada)).toBe('ada');
    expect(nameOf({ ...ada, displayName: 'Ada L.' })).toBe('Ada L.');
  });
});
