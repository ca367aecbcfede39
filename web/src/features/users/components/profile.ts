/** A user's profile as form values. The text of a missing value is empty. */
import type { ChangeUser, UserView } from '@rdm/contracts/identity/identity';

export interface ProfileEdit {
  username: string;
  email: string;
  firstName: string;
  lastName: string;
  displayName: string;
  phoneNumber: string;
  department: string;
  jobTitle: string;
  roleId: number;
}

export const PROFILE_LABELS: Record<keyof ProfileEdit, string> = {
  username: 'Username',
  email: 'E-mail',
  firstName: 'First name',
  lastName: 'Last name',
  displayName: 'Display name',
  phoneNumber: 'Phone number',
  department: 'Department',
  jobTitle: 'Job title',
  roleId: 'Role',
};

export const PROFILE_TEXT_FIELDS = Object.keys(PROFILE_LABELS).filter(
  (field): field is Exclude<keyof ProfileEdit, 'roleId'> => field !== 'roleId',
);

export const profileOf = (user: UserView): ProfileEdit => ({
  username: user.username,
  email: user.email,
  firstName: user.firstName ?? '',
  lastName: user.lastName ?? '',
  displayName: user.displayName ?? '',
  phoneNumber: user.phoneNumber ?? '',
  department: user.department ?? '',
  jobTitle: user.jobTitle ?? '',
  roleId: user.roleId,
});

/** Returns the changed fields. */
export const changesOf = (before: ProfileEdit, after: ProfileEdit): ChangeUser =>
  Object.fromEntries(Object.entries(after).filter(([field, value]) => value !== before[field as keyof ProfileEdit]));

export const nameOf = (user: Pick<UserView, 'username' | 'displayName'>): string => user.displayName ?? user.username;
