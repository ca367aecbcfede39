import { describe, expect, it } from 'vitest';
import { fold } from '../events/event.ts';
import { type ApiKeyEvent, CreateApiKey, evolveApiKey, RotateApiKey } from './api-keys.ts';

const created: ApiKeyEvent = {
  type: 'ApiKeyCreated',
  data: { apiKeyId: 7, name: 'ERP', description: '', scopes: [{ collectionId: 2, scope: 'read' }], expiresAt: null },
};
const stateAfter = (...events: ApiKeyEvent[]) => fold(undefined, evolveApiKey, events);

describe('the state of a key', () => {
  it('reflects its creation, rotation and revocation', () => {
    expect(stateAfter(created)).toEqual({ ...created.data, overlapUntil: null, revoked: false });
    const overlapUntil = '2026-12-01T09:00:00.000Z';
    const rotated: ApiKeyEvent = { type: 'ApiKeyRotated', data: { apiKeyId: 7, overlapUntil } };
    expect(stateAfter(created, rotated)).toMatchObject({ overlapUntil, revoked: false });
    expect(stateAfter(created, rotated, { type: 'ApiKeyRevoked', data: { apiKeyId: 7 } })).toMatchObject({
      revoked: true,
    });
  });
});

describe('the payload of a new key', () => {
  const valid = { name: 'ERP', scopes: [{ collectionId: 2, scope: 'read' }] };
  it('requires a name and known scopes, and refuses an invalid expiry', () => {
    expect(CreateApiKey.parse(valid)).toMatchObject({ description: '', expiresAt: null });
    const issueOf = (change: object) => CreateApiKey.safeParse({ ...valid, ...change }).error?.issues[0];
    const messageOf = (change: object) => issueOf(change)?.message;
    expect(messageOf({ name: '  ' })).toBe('Name is required');
    expect(messageOf({ scopes: [] })).toBe('Choose at least one collection');
    expect(issueOf({ scopes: [{ collectionId: 2, scope: 'approve' }] })).toMatchObject({
      code: 'invalid_value',
      path: ['scopes', 0, 'scope'],
    });
    expect(issueOf({ expiresAt: 'tomorrow' })).toMatchObject({ path: ['expiresAt'] });
  });
});

describe('the payload of a rotation', () => {
  it('has an overlap of 24 hours by default, and refuses an overlap out of range', () => {
    expect(RotateApiKey.parse({})).toEqual({ overlapHours: 24 });
    expect(RotateApiKey.safeParse({ overlapHours: -1 }).success).toBe(false);
    expect(RotateApiKey.safeParse({ overlapHours: 721 }).success).toBe(false);
  });
});
