import { type AccessState, type CreateApiKey, emptyAccess, evolveAccess, Refusal } from '@rdm/contracts';
import { collectionCreated } from '@rdm/contracts/testing/events';
import { describe, expect, it } from 'vitest';
import { createKey, revokeKey, rotateKey, type StoredKey } from './decider.ts';

const AT = new Date('2026-11-20T09:00:00.000Z');
const access: AccessState = emptyAccess();
for (const collectionId of [2, 3, 4]) {
  evolveAccess(access, collectionCreated({ collectionId }));
}
evolveAccess(access, { type: 'CollectionDeleted', data: { collectionId: 4 } });

const request: CreateApiKey = {
  name: 'ERP',
  description: 'Reads currencies',
  scopes: [{ collectionId: 2, scope: 'read' }],
  expiresAt: null,
};
const storedKey: StoredKey = { id: 7, expiresAt: null, revokedAt: null };

/** Returns the code and message with which the decision is refused. */
function refusalOf(decide: () => unknown): string {
  try {
    decide();
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
}

describe('creating a key', () => {
  it('records its scopes and expiry', () => {
    const expiresAt = '2027-01-01T00:00:00+01:00';
    expect(createKey(access, 7, { ...request, expiresAt }, AT)).toEqual({
      type: 'ApiKeyCreated',
      data: { ...request, apiKeyId: 7, expiresAt: '2026-12-31T23:00:00.000Z' },
    });
  });
  it('lists each scope once, sorted by collection', () => {
    const scopes = [
      { collectionId: 3, scope: 'write' },
      { collectionId: 2, scope: 'translate' },
      { collectionId: 3, scope: 'write' },
      { collectionId: 2, scope: 'read' },
    ] as const;
    expect(createKey(access, 7, { ...request, scopes: [...scopes] }, AT).data.scopes).toEqual([
      { collectionId: 2, scope: 'read' },
      { collectionId: 2, scope: 'translate' },
      { collectionId: 3, scope: 'write' },
    ]);
  });
  it.each([9, 4])('is refused for a missing or deleted collection: %i', (collectionId) => {
    const scopes = [...request.scopes, { collectionId, scope: 'read' as const }];
    expect(refusalOf(() => createKey(access, 7, { ...request, scopes }, AT))).toBe(
      `INVALID: There is no collection ${collectionId}`,
    );
  });
  it.each(['2026-11-20T09:00:00.000Z', '2020-01-01T00:00:00.000Z'])(
    'is refused with an expiry that is not in the future: %s',
    (expiresAt) => {
      expect(refusalOf(() => createKey(access, 7, { ...request, expiresAt }, AT))).toBe(
        'INVALID: The expiry date must be in the future',
      );
    },
  );
});

describe('rotating a key', () => {
  it.each([
    { overlapHours: 24, until: '2026-11-21T09:00:00.000Z' },
    { overlapHours: 0.5, until: '2026-11-20T09:30:00.000Z' },
    { overlapHours: 0, until: '2026-11-20T09:00:00.000Z' },
  ])('keeps the old secret valid for $overlapHours hours', ({ overlapHours, until }) => {
    expect(rotateKey(storedKey, overlapHours, AT)).toEqual({
      type: 'ApiKeyRotated',
      data: { apiKeyId: 7, overlapUntil: until },
    });
  });
  it('ends the overlap when the key expires', () => {
    const expiresAt = new Date('2026-11-20T10:00:00.000Z');
    expect(rotateKey({ ...storedKey, expiresAt }, 24, AT).data.overlapUntil).toBe('2026-11-20T10:00:00.000Z');
  });
  it('is refused for a revoked or expired key', () => {
    expect(refusalOf(() => rotateKey({ ...storedKey, revokedAt: AT }, 24, AT))).toBe(
      'CONFLICT: This API key was revoked: create another one',
    );
    expect(refusalOf(() => rotateKey({ ...storedKey, expiresAt: AT }, 24, AT))).toBe(
      'CONFLICT: This API key has expired: create another one',
    );
  });
});

describe('revoking a key', () => {
  it('ends the key', () => {
    expect(revokeKey(storedKey)).toEqual({ type: 'ApiKeyRevoked', data: { apiKeyId: 7 } });
  });
  it('is possible after the key expired', () => {
    expect(revokeKey({ ...storedKey, expiresAt: new Date(0) })).toEqual({
      type: 'ApiKeyRevoked',
      data: { apiKeyId: 7 },
    });
  });
  it('does nothing if the key is already revoked', () => {
    expect(revokeKey({ ...storedKey, revokedAt: AT })).toBeUndefined();
  });
});
