/** Rules of API keys: when a key may be created, rotated or revoked. Secrets are not part of the rules. */
import {
  type AccessState,
  type ApiKeyEvent,
  type CreateApiKey,
  KEY_SCOPES,
  type KeyScope,
  Refusal,
} from '@rdm/contracts';

type Event<Type extends ApiKeyEvent['type']> = Extract<ApiKeyEvent, { type: Type }>;

/** A key as stored in `identity.api_keys`. */
export interface StoredKey {
  id: number;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const HOUR_MS = 3_600_000;

/** Creates a key. Its collections must exist; its expiry must be null or in the future. */
export function createKey(
  access: AccessState,
  apiKeyId: number,
  request: CreateApiKey,
  at: Date,
): Event<'ApiKeyCreated'> {
  for (const { collectionId } of request.scopes) {
    const collection = access.collections.get(collectionId);
    if (!collection || collection.deleted) throw new Refusal('INVALID', `There is no collection ${collectionId}`);
  }
  const expiresAt = request.expiresAt === null ? null : new Date(request.expiresAt);
  if (expiresAt !== null && expiresAt <= at) throw new Refusal('INVALID', 'The expiry date must be in the future');
  return {
    type: 'ApiKeyCreated',
    data: {
      apiKeyId,
      name: request.name,
      description: request.description,
      scopes: sortedScopes(request.scopes),
      expiresAt: expiresAt?.toISOString() ?? null,
    },
  };
}

/** Removes duplicate scopes and sorts them by collection. */
function sortedScopes(scopes: readonly KeyScope[]): KeyScope[] {
  const scopeByName = new Map(scopes.map((scope) => [`${scope.collectionId} ${scope.scope}`, scope]));
  return [...scopeByName.values()].sort(
    (a, b) => a.collectionId - b.collectionId || KEY_SCOPES.indexOf(a.scope) - KEY_SCOPES.indexOf(b.scope),
  );
}

/** Rotates a key. Its existing secrets stay valid for at most the overlap hours, and at most until the key expires. */
export function rotateKey(key: StoredKey, overlapHours: number, at: Date): Event<'ApiKeyRotated'> {
  if (key.revokedAt !== null) throw new Refusal('CONFLICT', 'This API key was revoked: create another one');
  if (key.expiresAt !== null && key.expiresAt <= at) {
    throw new Refusal('CONFLICT', 'This API key has expired: create another one');
  }
  const overlapUntil = Math.min(at.getTime() + overlapHours * HOUR_MS, key.expiresAt?.getTime() ?? Infinity);
  return {
    type: 'ApiKeyRotated',
    data: { apiKeyId: key.id, overlapUntil: new Date(overlapUntil).toISOString() },
  };
}

/** Revokes a key; returns undefined if the key is already revoked. */
export function revokeKey(key: StoredKey): Event<'ApiKeyRevoked'> | undefined {
  return key.revokedAt === null ? { type: 'ApiKeyRevoked', data: { apiKeyId: key.id } } : undefined;
}
