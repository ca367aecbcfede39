import { describe, expect, it } from 'vitest';
import { fold } from '../events/event.ts';
import { type ApiKeyEvent, CreateApiKey, evolveApiKey, RotateApiKey } from './api-keys.ts';

const created: ApiKeyEvent = {
  type: 'ApiKeyCreated',
  data: { apiKeyId: 7, name: 'ERP', description: '', scopes: [{ collectionId: 2, scope: 'read' }], expiresAt: null },
};
const after = (...events: ApiKeyEvent[]) => fold(undefined, evolveApiKey, events);

describe('the state of a key', () => {
  it('contains its creation, the end of its previous secret, and whether it was revoked', () => {
    expect(after(created)).toEqual({ ...created.data, overlapUntil: null, revoked: false });
    const overlapUntil = '2026-12-01T09:00:00.000Z';
    const rotated: ApiKeyEvent = { type: 'ApiKeyRotated', data: { apiKeyId: 7, overlapUntil } };
    expect(after(created, rotated)).toMatchObject({ overlapUntil, revoked: false });
    expect(after(created, rotated, { type: 'ApiKeyRevoked', data: { apiKeyId: 7 } })).toMatchObject({ revoked: true });
  });
});

describe('the payload of a new key', () => {
  const wanted = { name: 'ERP', scopes: [{ collectionId: 2, scope: 'read' }] };
  it('needs a name and between one scope and the maximum', () => {
    expect(CreateApiKey.parse(wanted)).toMatchObject({ description: '', expiresAt: null });
    const issue = (change: object) => CreateApiKey.safeParse({ ...wanted, ...change }).error?.issues[0];
    const messageOf = (change: object) => issue(change)?.message;
    expect(messageOf({ name: '  ' })).toBe('Name is required');
    expect(messageOf({ scopes: [] })).toBe('Choose at least one collection');
    expect(issue({ scopes: [{ collectionId: 2, scope: 'approve' }] })).toMatchObject({
      code: 'invalid_value',
      path: ['scopes', 0, 'scope'],
    });
    expect(issue({ expiresAt: 'tomorrow' })).toMatchObject({ path: ['expiresAt'] });
  });
  it('has an overlap of a day by default, and of thirty days at most', () => {
    expect(RotateApiKey.parse({})).toEqual({ overlapHours: 24 });
    expect(RotateApiKey.safeParse({ overlapHours: -1 }).success).toBe(false);
    expect(RotateApiKey.safeParse({ overlapHours: 721 }).success).toBe(false);
  });
});
