/** API keys of other systems; scopes limit a key to collections. The vault has the hashes of the secrets. */
import { z } from 'zod';
import { KeyScope } from '../access/api-key-actor.ts';
import { defineView } from '../define-view.ts';
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
  /** The previous secrets are valid until `overlapUntil`, or until their own expiry if it is earlier. */
  ApiKeyRotated: event(z.object({ apiKeyId: Id, overlapUntil: z.string() })),
  ApiKeyRevoked: event(z.object({ apiKeyId: Id })),
};
export type ApiKeyEvent = EventsOf<typeof apiKeyEvents>;

export interface ApiKey {
  apiKeyId: number;
  name: string;
  description: string;
  scopes: readonly KeyScope[];
  expiresAt: string | null;
  /** The time after which no secret from before the last rotation is valid. */
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

/** The beginning of every secret, so that scanners can recognise leaked ones. */
export const API_KEY_PREFIX = 'rdm_';
/** A key is shown as expiring soon from this many days before its expiry. */
export const API_KEY_WARNING_DAYS = 14;
/** The default number of hours for which the previous secrets stay valid after a rotation. */
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

/** One row of GET /api/api-keys: never the secret, only its beginning. */
export const ApiKeyView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.string(),
    prefix: z.string().describe('`rdm_` and the next eight characters of the latest secret.'),
    scopes: z.array(KeyScope.extend({ collectionName: z.string().nullable() })),
    expiresAt: z.string().nullable(),
    expiresSoon: z.boolean(),
    isActive: z.boolean().describe('Whether the key is neither revoked nor expired.'),
    revokedAt: z.string().nullable(),
    overlapUntil: z.string().nullable().describe('Until when a previous secret is valid; null if none is.'),
    lastUsedAt: z.string().nullable(),
    callCount: z.number(),
    createdBy: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type ApiKeyView = z.infer<typeof ApiKeyView>;

/** The response to the creation or rotation of a key. The response to a repeated request has no `key`. */
export const ApiKeySecret = defineView(() =>
  z.object({
    id: z.number(),
    key: z.string().exactOptional(),
  }),
);
export type ApiKeySecret = z.infer<typeof ApiKeySecret>;

/** One day (UTC) of GET /api/api-keys/{id}/usage, which returns the last thirty days. */
export const ApiKeyUsage = defineView(() =>
  z.object({
    day: z.string(),
    calls: z.number(),
  }),
);
export type ApiKeyUsage = z.infer<typeof ApiKeyUsage>;
