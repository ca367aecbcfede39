/** API keys: what a system may do, on which collections. The secret itself is the vault's and never an event. */
import { z } from 'zod';
import { KeyScope } from '../access/api-key-actor.ts';
import { type EventsOf, event } from '../events/event.ts';
import { Description, Id, Name } from '../text/fields.ts';

export const apiKeyEvents = {
  ApiKeyCreated: event(
    z.object({
      apiKeyId: Id,
      name: z.string(),
      description: z.string(),
      scopes: z.array(KeyScope),
      /** ISO instant; null for a key that does not expire. */
      expiresAt: z.string().nullable(),
    }),
  ),
  /** The secrets before it end at `overlapUntil`. */
  ApiKeyRotated: event(z.object({ apiKeyId: Id, overlapUntil: z.string() })),
  ApiKeyRevoked: event(z.object({ apiKeyId: Id })),
};
export type ApiKeyEvent = EventsOf<typeof apiKeyEvents>;

/** A key as its stream tells it: what it may do, and whether it still may. */
export interface ApiKey {
  apiKeyId: number;
  name: string;
  description: string;
  scopes: readonly KeyScope[];
  expiresAt: string | null;
  /** Of the last rotation. */
  overlapUntil: string | null;
  revoked: boolean;
}

export function evolveApiKey(state: ApiKey | undefined, event: ApiKeyEvent): ApiKey | undefined {
  switch (event.type) {
    case 'ApiKeyCreated':
      return { ...event.data, overlapUntil: null, revoked: false };
    case 'ApiKeyRotated':
      return state && { ...state, overlapUntil: event.data.overlapUntil };
    case 'ApiKeyRevoked':
      return state && { ...state, revoked: true };
  }
}

/** What every secret begins with, so that scanners of leaked secrets know one. */
export const API_KEY_PREFIX = 'rdm_';
/** Days before its end from which a key is shown to expire soon. */
export const API_KEY_WARNING_DAYS = 14;
/** Hours for which the old secret keeps working after a rotation, unless said otherwise. */
export const API_KEY_OVERLAP_HOURS = 24;
export const API_KEY_OVERLAP_HOURS_MAX = 30 * 24;

/** POST /api/api-keys. */
export const CreateApiKey = z.object({
  name: Name('Name is required'),
  description: Description.default(''),
  scopes: z.array(KeyScope).min(1, 'Choose at least one collection').max(1_000),
  expiresAt: z.iso.datetime({ offset: true }).nullable().default(null),
});
export type CreateApiKey = z.infer<typeof CreateApiKey>;

/** POST /api/api-keys/{id}/rotate. */
export const RotateApiKey = z.object({
  overlapHours: z.number().min(0).max(API_KEY_OVERLAP_HOURS_MAX).default(API_KEY_OVERLAP_HOURS),
});

/** One row of GET /api/api-keys: never the secret, only how it begins. */
export interface ApiKeyView {
  id: number;
  name: string;
  description: string;
  /** `rdm_` and the next eight characters of the newest secret. */
  prefix: string;
  scopes: (KeyScope & { collectionName: string | null })[];
  expiresAt: string | null;
  expiresSoon: boolean;
  /** False once revoked or expired. */
  isActive: boolean;
  revokedAt: string | null;
  /** Until when the secret before the last rotation works. */
  overlapUntil: string | null;
  lastUsedAt: string | null;
  callCount: number;
  createdBy: number;
  createdAt: string;
  updatedAt: string;
}

/** What creating or rotating answers, once: repeated, it comes without `key`. */
export interface ApiKeySecret {
  id: number;
  key?: string;
}

/** One day (UTC) of GET /api/api-keys/{id}/usage, which answers the last thirty. */
export interface ApiKeyUsage {
  day: string;
  calls: number;
}
