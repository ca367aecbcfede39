/** Roles and groups: payloads of their commands. */
import { z } from 'zod';
import { ABILITIES } from '../access/permissions.ts';
import { WORDS } from '../refusal.ts';
import { Description, Id, Name } from '../text/fields.ts';

/** The path of a page that users with the role can open. */
const RouteOfRole = z
  .string()
  .trim()
  .regex(/^\/[\w/-]*$/, 'A route begins with / and contains only letters, digits, _, - and /')
  .max(200);

/** POST /api/roles. */
export const CreateRole = z.object({
  name: Name(WORDS.nameRequired),
  description: Description.default(''),
  routes: z.array(RouteOfRole).max(200).default([]),
  abilities: z.array(z.enum(ABILITIES)).max(ABILITIES.length).default([]),
});

export type CreateRole = z.infer<typeof CreateRole>;

/** PATCH /api/roles/{id}. */
export const ChangeRole = z.object({
  name: Name(WORDS.nameRequired).optional(),
  description: Description.optional(),
  routes: z.array(RouteOfRole).max(200).optional(),
  abilities: z.array(z.enum(ABILITIES)).max(ABILITIES.length).optional(),
});

export type ChangeRole = z.infer<typeof ChangeRole>;

/** POST /api/groups. */
export const CreateGroup = z.object({
  name: Name(WORDS.groupNameRequired),
  description: Description.default(''),
});

export type CreateGroup = z.infer<typeof CreateGroup>;

/** PATCH /api/groups/{id}. */
export const ChangeGroup = z.object({
  name: Name(WORDS.groupNameRequired).optional(),
  description: Description.optional(),
});

export type ChangeGroup = z.infer<typeof ChangeGroup>;

/** PUT /api/groups/{id}/members: replaces the list of members. */
export const GroupMembers = z.object({ userIds: z.array(Id).max(10_000) });

/** A member of a group, with the time when the user joined. */
export interface Membership {
  userId: number;
  createdAt: string;
}
