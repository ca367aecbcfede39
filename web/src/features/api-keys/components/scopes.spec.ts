/** Tests how checkboxes become scopes, and how scopes are displayed. */
import { describe, expect, it } from 'vitest';
import { asScopes, byCollection, type ChosenScopes, isIncluded, scopeText, withScope } from './scopes.ts';

const NONE: ChosenScopes = new Map();

describe('choosing scopes', () => {
  it('requests each checked scope, and omits a collection without scopes', () => {
    const checked = withScope(withScope(NONE, 2, 'translate', true), 2, 'read', true);
    expect(asScopes(checked)).toEqual([
      { collectionId: 2, scope: 'read' },
      { collectionId: 2, scope: 'translate' },
    ]);
    const noScopes = withScope(withScope(checked, 2, 'read', false), 2, 'translate', false);
    expect(asScopes(noScopes)).toEqual([]);
    expect(noScopes.has(2)).toBe(false);
  });
  it('does not request the read scope of a collection if write is checked', () => {
    const checked = withScope(withScope(NONE, 2, 'read', true), 2, 'write', true);
    expect(isIncluded(checked.get(2), 'read')).toBe(true);
    expect(asScopes(checked)).toEqual([{ collectionId: 2, scope: 'write' }]);
  });
});

it('groups displayed scopes by collection', () => {
  const scopes = [
    { collectionId: 2, collectionName: 'Geography', scope: 'read' as const },
    { collectionId: 3, collectionName: null, scope: 'write' as const },
    { collectionId: 2, collectionName: 'Geography', scope: 'translate' as const },
  ];
  expect(scopeText(scopes)).toBe('Geography: read, translate; Deleted collection: write');
  expect(byCollection(scopes)).toHaveLength(2);
});
