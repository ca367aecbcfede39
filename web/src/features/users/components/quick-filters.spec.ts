/** Tests how the quick filters and the filter builder change the same filter. */
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { describe, expect, it } from 'vitest';
import { chosenState, chosenValue, withState, withValue } from './quick-filters.ts';

const nameFilter: FilterGroup = {
  logic: 'AND',
  conditions: [{ field: 'username', operator: 'starts_with', value: 'a' }],
};

describe('the quick filters of users', () => {
  it('add conditions to those of the builder, and remove only their own conditions', () => {
    const viewers = withValue(nameFilter, 'roleName', 'Viewer');
    expect(chosenValue(viewers, 'roleName')).toBe('Viewer');
    expect(viewers?.conditions).toHaveLength(2);
    expect(withValue(viewers, 'roleName', undefined)).toEqual(nameFilter);
    expect(withValue(undefined, 'roleName', undefined)).toBeUndefined();
  });
  it('replace the chosen state by another one, and remove it', () => {
    const locked = withState(undefined, 'locked');
    expect(chosenState(locked)).toBe('locked');
    const inactive = withState(locked, 'inactive');
    expect(inactive).toEqual({ logic: 'AND', conditions: [{ field: 'isActive', operator: 'equals', value: false }] });
    expect(chosenState(inactive)).toBe('inactive');
    expect(withState(inactive, undefined)).toBeUndefined();
  });
  it('add their condition beside an OR group, without changing the group', () => {
    const orGroup: FilterGroup = {
      logic: 'OR',
      conditions: [
        { field: 'username', operator: 'equals', value: 'a' },
        { field: 'email', operator: 'equals', value: 'a@example.com' },
      ],
    };
    expect(chosenState(orGroup)).toBeUndefined();
    expect(withState(orGroup, 'active')).toEqual({
      logic: 'AND',
      conditions: [orGroup, { field: 'isActive', operator: 'equals', value: true }],
    });
  });
});
