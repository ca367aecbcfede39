import { describe, expect, it } from 'vitest';
import { fold } from '../events/event.ts';
import { type ApiKeyEvent, CreateApiKey, evolveApiKey, RotateApiKey } from './api-keys.ts';

const created: ApiKeyEvent = {
  type: 'ApiKeyCreated',
  data: { apiKeyId: 7, name: 'ERP', description: '', scopes: [{ collectionId: 2, scope: 'read' }], expiresAt: null },
};
const after = (...events: ApiKeyEvent[]) => fold(undefined, evolveApiKey, events);

describe('the state of a key', () => {
  it('is what it was created with, until when its old secret works, and whether it was revoked', () => {
    expect(after(created)).toEqual({ ...created.data, overlapUntil: null, revoked: false });
    const overlapUntil = '2026-12-01T09:00:00.000Z';
    const rotated: ApiKeyEvent = { type: 'ApiKeyRotated', data: { apiKeyId: 7, overlapUntil } };
    expect(after(created, rotated)).toMatchObject({ overlapUntil, revoked: false });
    expect(after(created, rotated, { type: 'ApiKeyRevoked', data: { apiKeyId: 7 } })).toMatchObject({ revoked: true });
  });
});

describe('what is asked of a key', () => {
  const wanted = { name: 'ERP', scopes: [{ collectionId: 2, scope: 'read' }] };
  it('has a name, at least one scope and no more than there are', () => {
    expect(CreateApiKey.parse(wanted)).toMatchObject({ description: '', expiresAt: null });
    const issue = (change: object) => CreateApiKey.safeParse({ ...wanted, ...change }).error?.issues[0];
    const saying = (change: object) => issue(change)?.message;
    expect(saying({ name: '  ' })).toBe('Name is required');
    expect(saying({ scopes: [] })).toBe('Choose at least one collection');
    expect(issue({ scopes: [{ collectionId: 2, scope: 'approve' }] })).toMatchObject({
      code: 'invalid_value',
      path: ['scopes', 0, 'scope'],
    });
    expect(issue({ expiresAt: 'tomorrow' })).toMatchObject({ path: ['expiresAt'] });
  });
  it('overlaps a day unless said otherwise, at most thirty', () => {
    expect(RotateApiKey.parse({})).toEqual({ overlapHours: 24 });
    expect(RotateApiKey.safeParse({ overlapHours: -1 }).success).toBe(false);
    expect(RotateApiKey.safeParse({ overlapHours: 721 }).success).toBe(false);
  });
});
