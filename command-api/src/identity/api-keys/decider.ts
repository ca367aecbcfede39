/** API keys: whether one may be created, rotated or revoked, and what is said of it; the secret is no part of this. */
import {
  type AccessState,
  type ApiKeyEvent,
  type CreateApiKey,
  KEY_SCOPES,
  type KeyScope,
  Refusal,
} from '@rdm/contracts';

type Event<Type extends ApiKeyEvent['type']> = Extract<ApiKeyEvent, { type: Type }>;

/** A key as the vault holds it. */
export interface HeldKey {
  id: number;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const HOUR_MS = 3_600_000;

/** Scopes name collections there are; an end lies ahead. */
export function createKey(
  access: AccessState,
  apiKeyId: number,
  wanted: CreateApiKey,
  at: Date,
): Event<'ApiKeyCreated'> {
  for (const { collectionId } of wanted.scopes) {
    const collection = access.collections.get(collectionId);
    if (!collection || collection.deleted) throw new Refusal('INVALID', `There is no collection ${collectionId}`);
  }
  const expiresAt = wanted.expiresAt === null ? null : new Date(wanted.expiresAt);
  if (expiresAt !== null && expiresAt <= at) throw new Refusal('INVALID', 'The expiry date must be in the future');
  return {
    type: 'ApiKeyCreated',
    data: {
      apiKeyId,
      name: wanted.name,
      description: wanted.description,
      scopes: inOrder(wanted.scopes),
      expiresAt: expiresAt?.toISOString() ?? null,
    },
  };
}

/** Each scope once, by collection. */
function inOrder(scopes: readonly KeyScope[]): KeyScope[] {
  const named = new Map(scopes.map((given) => [`${given.collectionId} ${given.scope}`, given]));
  return [...named.values()].sort(
    (a, b) => a.collectionId - b.collectionId || KEY_SCOPES.indexOf(a.scope) - KEY_SCOPES.indexOf(b.scope),
  );
}

/** The secrets there are end with the overlap, or with the key itself where that is sooner. */
export function rotateKey(held: HeldKey, overlapHours: number, at: Date): Event<'ApiKeyRotated'> {
  if (held.revokedAt !== null) throw new Refusal('CONFLICT', 'This API key was revoked: create another one');
  if (held.expiresAt !== null && held.expiresAt <= at) {
    throw new Refusal('CONFLICT', 'This API key has expired: create another one');
  }
  const overlapUntil = Math.min(at.getTime() + overlapHours * HOUR_MS, held.expiresAt?.getTime() ?? Infinity);
  return {
    type: 'ApiKeyRotated',
    data: { apiKeyId: held.id, overlapUntil: new Date(overlapUntil).toISOString() },
  };
}

/** Nothing for a key that was revoked before. */
export function revokeKey(held: HeldKey): Event<'ApiKeyRevoked'> | undefined {
  return held.revokedAt === null ? { type: 'ApiKeyRevoked', data: { apiKeyId: held.id } } : undefined;
}
