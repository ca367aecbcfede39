/** Columns and filters of the list of users. */

import type { UserView } from '@rdm/contracts/identity/identity';
import type { FilterField } from '@rdm/contracts/lists/filter';
import type { GridColumn } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { providerName, statesOf, UserState } from './UserState.tsx';

const text = (value: string | null) => value ?? '';

export const USER_COLUMNS: readonly GridColumn<UserView>[] = [
  {
    id: 'username',
    header: 'User',
    cell: ({ username, displayName, isErased }) =>
      isErased ? (
        <span className="text-muted">{username}</span>
      ) : (
        <>
          <span className="font-medium">{displayName ?? username}</span>
          {displayName !== null && <span className="ml-2 text-muted">{username}</span>}
        </>
      ),
    value: ({ username }) => username,
    sortable: true,
    required: true,
    minWidth: 180,
  },
  {
    id: 'email',
    header: 'E-mail',
    cell: ({ email }) => email,
    value: ({ email }) => email,
    sortable: true,
    minWidth: 200,
  },
  {
    id: 'roleName',
    header: 'Role',
    cell: ({ roleName }) => roleName,
    value: ({ roleName }) => roleName,
    sortable: true,
    width: 130,
  },
  {
    id: 'state',
    header: 'State',
    cell: (user) => <UserState user={user} />,
    value: (user) => statesOf(user).join(', '),
    minWidth: 160,
  },
  {
    id: 'authProvider',
    header: 'Provider',
    cell: ({ authProvider }) => providerName(authProvider),
    value: ({ authProvider }) => authProvider,
    sortable: true,
    width: 100,
  },
  {
    id: 'lastLoginAt',
    header: 'Last sign-in',
    cell: ({ lastLoginAt }) =>
      lastLoginAt === null ? <span className="text-muted">Never</span> : <RelativeTime at={lastLoginAt} />,
    value: ({ lastLoginAt }) => lastLoginAt,
    sortable: true,
    width: 150,
  },
  {
    id: 'firstName',
    header: 'First name',
    cell: ({ firstName }) => text(firstName),
    value: ({ firstName }) => firstName,
    hidden: true,
    width: 120,
  },
  {
    id: 'lastName',
    header: 'Last name',
    cell: ({ lastName }) => text(lastName),
    value: ({ lastName }) => lastName,
    hidden: true,
    width: 120,
  },
  {
    id: 'department',
    header: 'Department',
    cell: ({ department }) => text(department),
    value: ({ department }) => department,
    sortable: true,
    hidden: true,
    width: 140,
  },
  {
    id: 'jobTitle',
    header: 'Job title',
    cell: ({ jobTitle }) => text(jobTitle),
    value: ({ jobTitle }) => jobTitle,
    hidden: true,
    width: 140,
  },
  {
    id: 'createdAt',
    header: 'Created',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    value: ({ createdAt }) => createdAt,
    sortable: true,
    hidden: true,
    width: 150,
  },
];

export const USER_FILTERS: readonly FilterField[] = [
  { name: 'username', label: 'User name', dataType: 'string' },
  { name: 'email', label: 'E-mail', dataType: 'string' },
  { name: 'displayName', label: 'Name', dataType: 'string' },
  { name: 'department', label: 'Department', dataType: 'string' },
  { name: 'roleName', label: 'Role', dataType: 'string' },
  { name: 'authProvider', label: 'Provider', dataType: 'string' },
  { name: 'isActive', label: 'Active', dataType: 'boolean' },
  { name: 'isLocked', label: 'Locked', dataType: 'boolean' },
  { name: 'isErased', label: 'Erased', dataType: 'boolean' },
  { name: 'requirePasswordChange', label: 'Must change password', dataType: 'boolean' },
  { name: 'lastLoginAt', label: 'Last sign-in', dataType: 'datetime' },
  { name: 'createdAt', label: 'Created', dataType: 'datetime' },
];
