/** The fields of the lists of users, roles, groups, API keys, attempted sign-ins and mails. */
import { apiOnly, array, boolean, datetime, type ListFields, number, string } from '../lists/list-field.ts';

export const USER_FIELDS = {
  id: apiOnly(number('Id')),
  username: string('User name'),
  email: string('E-mail'),
  displayName: string('Name'),
  department: string('Department'),
  roleId: apiOnly(number('Role id')),
  roleName: string('Role'),
  isActive: boolean('Active'),
  isErased: boolean('Erased'),
  isLocked: boolean('Locked'),
  authProvider: string('Provider'),
  requirePasswordChange: boolean('Must change password'),
  lastLoginAt: datetime('Last sign-in'),
  createdAt: datetime('Created'),
} satisfies ListFields;

export const ROLE_FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  description: string('Description'),
  routes: array('Routes', 'Pages'),
  userCount: number('Users'),
  updatedAt: apiOnly(datetime('Updated')),
} satisfies ListFields;

export const GROUP_FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  description: string('Description'),
  memberCount: number('Members'),
  updatedAt: datetime('Updated'),
} satisfies ListFields;

export const API_KEY_FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  description: string('Description'),
  prefix: string('Key'),
  collections: string('Collections'),
  expiresAt: datetime('Expires'),
  expiresSoon: boolean('Expires soon'),
  isActive: boolean('Active'),
  revokedAt: apiOnly(datetime('Revoked')),
  lastUsedAt: datetime('Last used'),
  callCount: number('Calls'),
  createdBy: number('Creator id'),
  createdByName: string('Created by'),
  createdAt: datetime('Created'),
} satisfies ListFields;

export const LOGIN_ATTEMPT_FIELDS = {
  id: apiOnly(number('Id')),
  username: string('Name tried'),
  userId: number('User id'),
  success: apiOnly(boolean('Signed in')),
  ipAddress: string('IP address'),
  userAgent: string('Browser'),
  attemptedAt: datetime('Time'),
} satisfies ListFields;

export const MAIL_FIELDS = {
  id: apiOnly(number('Id')),
  to: string('To'),
  subject: string('Subject'),
  status: string('Status'),
  attempts: apiOnly(number('Attempts')),
  createdAt: datetime('Written'),
  sentAt: apiOnly(datetime('Sent')),
} satisfies ListFields;
