/** Columns and filters of the list of users. */

import type { UserView } from '@rdm/contracts/identity/identity';
import { USER_FIELDS } from '@rdm/contracts/identity/list-fields';
import { columnsOf, muted } from '../../../components/data-grid/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { providerName, statesOf, UserState } from './UserState.tsx';

const { custom, text, time } = columnsOf<UserView>(USER_FIELDS);

export const USER_COLUMNS = [
  custom('username', {
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
    required: true,
    minWidth: 180,
  }),
  text('email', { minWidth: 200 }),
  text('roleName', { width: 130 }),
  custom('state', {
    header: 'State',
    cell: (user) => <UserState user={user} />,
    value: (user) => statesOf(user).join(', '),
    minWidth: 160,
  }),
  text('authProvider', { cell: ({ authProvider }) => providerName(authProvider), width: 100 }),
  time('lastLoginAt', { none: muted('Never'), width: 150 }),
  text('firstName', { header: 'First name', hidden: true, width: 120 }),
  text('lastName', { header: 'Last name', hidden: true, width: 120 }),
  text('department', { hidden: true, width: 140 }),
  text('jobTitle', { header: 'Job title', hidden: true, width: 140 }),
  time('createdAt', { hidden: true, width: 150 }),
];

export const USER_FILTERS = filterFields(USER_FIELDS, [
  'username',
  'email',
  'displayName',
  'department',
  'roleName',
  'authProvider',
  'isActive',
  'isLocked',
  'isErased',
]);
