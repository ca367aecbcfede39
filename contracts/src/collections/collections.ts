/** Collections: the payloads of their commands, and their views. */
import { z } from 'zod';
import { Grant } from '../access/access.ts';
import { ActingKey } from '../access/acting-key.ts';
import { LEVELS } from '../access/permissions.ts';
import { defineView } from '../define-view.ts';
import { pageOf } from '../lists/filter.ts';
import { WORDS } from '../refusal.ts';
import { Description, Id, Name } from '../text/fields.ts';

/** POST /api/collections. */
export const CreateCollection = z.object({
  name: Name(WORDS.collectionNameRequired),
  description: Description.default(''),
  tags: z.array(z.string().trim().min(1).max(100)).max(50).default([]),
});

export type CreateCollection = z.infer<typeof CreateCollection>;

/** PATCH /api/collections/{id}. */
export const ChangeCollection = z.object({
  name: Name(WORDS.collectionNameRequired).optional(),
  description: Description.optional(),
  tags: z.array(z.string().trim().min(1).max(100)).max(50).optional(),
});

export type ChangeCollection = z.infer<typeof ChangeCollection>;

export const CollectionItems = z.object({ dataSetIds: z.array(Id).min(1).max(1_000) });

/** PUT /api/collections/{id}/permissions: replaces the list of grants. */
export const CollectionPermissions = z.object({ permissions: z.array(Grant).max(10_000) });

export const CollectionView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    ownerId: z.number(),
    dataSetCount: z.number(),
    pendingCount: z
      .number()
      .describe(
        'The number of values under review with a source in the collection and a target that the viewer may read.',
      ),
    level: z.enum(LEVELS),
    revision: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type CollectionView = z.infer<typeof CollectionView>;

/** A source of a user's level on a collection. */
export const AccessSource = defineView(() =>
  z.union([
    z.object({ kind: z.enum(['administrator', 'owner', 'user']), permissionLevel: z.enum(LEVELS) }),
    z.object({ kind: z.literal('group'), groupId: z.number(), name: z.string(), permissionLevel: z.enum(LEVELS) }),
  ]),
);
export type AccessSource = z.infer<typeof AccessSource>;

/** GET /api/collections/{id}/effective-access. */
export const EffectiveAccess = defineView(() =>
  z.object({
    userId: z.number(),
    level: z.enum(LEVELS).nullable().describe('The highest level of all sources; null if there is no source.'),
    sources: z.array(AccessSource),
  }),
);
export type EffectiveAccess = z.infer<typeof EffectiveAccess>;

/** A grant with the time of its creation, and the time and the user of the last change of its level. */
export const GivenGrant = defineView(() =>
  Grant.extend({
    createdAt: z.string(),
    grantedAt: z.string(),
    grantedById: z.number().nullable(),
  }),
);
export type GivenGrant = z.infer<typeof GivenGrant>;

/** A grant with the name of the user or the group. */
export const NamedGrant = defineView(() =>
  Grant.extend({
    name: z.string().nullable().describe('Null for a group that was deleted.'),
  }),
);
export type NamedGrant = z.infer<typeof NamedGrant>;

/** One row of GET /api/collections/{id}/permissions. */
export const PermissionView = defineView(() =>
  z.object({
    ...GivenGrant.shape,
    ...NamedGrant.shape,
    id: z.string().describe('`<collectionId>-<entityType>-<entityId>`.'),
    collectionId: z.number(),
    updatedAt: z.string(),
  }),
);
export type PermissionView = z.infer<typeof PermissionView>;

/** A data set of a collection, with the time and the user of its addition. */
export interface CollectionItem {
  dataSetId: number;
  addedAt: string;
  addedById: number | null;
}

/** GET /api/collections/{id}/permissions: all grants, with the revision for the `If-Match` of a change. */
export const PermissionsView = defineView(() =>
  pageOf(PermissionView).extend({
    ownerId: z.number(),
    revision: z.number(),
  }),
);
export type PermissionsView = z.infer<typeof PermissionsView>;

/** One row of GET /api/collections/{id}/activity, which lists the newest rows first by default. */
export const CollectionActivity = defineView(() =>
  z.object({
    seq: z.number(),
    timestamp: z.string(),
    userId: z.number().nullable(),
    ...ActingKey.shape,
    action: z.string(),
    dataSets: z
      .array(z.object({ id: z.number(), name: z.string() }))
      .describe('The data sets of the event that the viewer may read.'),
  }),
);
export type CollectionActivity = z.infer<typeof CollectionActivity>;
