/** Collections: payloads of their commands and what is shown of them. */
import { z } from 'zod';
import { Grant } from '../access/access.ts';
import type { Level } from '../access/permissions.ts';
import type { Page } from '../lists/filter.ts';
import { WORDS } from '../refusal.ts';
import { Description, Id, Name } from '../text/fields.ts';

/** POST and PATCH /api/collections. */
export const CreateCollection = z.object({
  name: Name(WORDS.collectionNameRequired),
  description: Description.default(''),
  tags: z.array(z.string().trim().min(1).max(100)).max(50).default([]),
});

export type CreateCollection = z.infer<typeof CreateCollection>;

export const ChangeCollection = z.object({
  name: Name(WORDS.collectionNameRequired).optional(),
  description: Description.optional(),
  tags: z.array(z.string().trim().min(1).max(100)).max(50).optional(),
});

export type ChangeCollection = z.infer<typeof ChangeCollection>;

export const CollectionItems = z.object({ dataSetIds: z.array(Id).min(1).max(1_000) });

/** PUT /api/collections/{id}/permissions: the whole list. */
export const CollectionPermissions = z.object({ permissions: z.array(Grant).max(10_000) });

export interface CollectionView {
  id: number;
  name: string;
  description: string;
  tags: string[];
  ownerId: number;
  dataSetCount: number;
  /** Values under review whose source is one of its data sets. */
  pendingCount: number;
  level: Level;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

/** A source of a user's level on a collection. */
export type AccessSource =
  | { kind: 'administrator' | 'owner' | 'user'; permissionLevel: Level }
  | { kind: 'group'; groupId: number; name: string; permissionLevel: Level };

/** GET /api/collections/{id}/effective-access. */
export interface EffectiveAccess {
  userId: number;
  /** The highest of all sources; null if there is none. */
  level: Level | null;
  sources: AccessSource[];
}

/** A grant with the user who gave its level last, and when. */
export interface GivenGrant extends Grant {
  createdAt: string;
  grantedAt: string;
  grantedById: number | null;
}

/** A grant with the name of the person or the group. */
export interface NamedGrant extends Grant {
  /** Null for a group that was deleted. */
  name: string | null;
}

/** One row of GET /api/collections/{id}/permissions. */
export interface PermissionView extends GivenGrant, NamedGrant {
  /** `<collectionId>-<entityType>-<entityId>`. */
  id: string;
  collectionId: number;
  updatedAt: string;
}

/** A data set of a collection, with who added it and when. */
export interface CollectionItem {
  dataSetId: number;
  addedAt: string;
  addedById: number | null;
}

/** GET /api/collections/{id}/permissions: the whole list, with the revision that a change must name. */
export interface PermissionsView extends Page<PermissionView> {
  ownerId: number;
  revision: number;
}

/** One row of GET /api/collections/{id}/activity, newest first. */
export interface CollectionActivity {
  seq: number;
  timestamp: string;
  userId: number | null;
  action: string;
  /** The data sets of the event that the viewer may read. */
  dataSets: { id: number; name: string }[];
}
