/** Tests how the quick filters and the filter builder change the same filter. */
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { describe, expect, it } from 'vitest';
import { chosenState, chosenValue, withState, withValue } from './quick-filters.ts';

const nameFilter: FilterGroup = {
  logic: 'AND',
  conditions: [{ field: 'username', operator: 'starts_with', value: 'a' }],
};

describe('the quick filters of users', () => {
  it('add and remove conditions without changing the conditions of the filter builder', () => {
    const viewers = withValue(nameFilter, 'roleName', 'Viewer');
    expect(chosenValue(viewers, 'roleName')).toBe('Viewer');
    expect(viewers?.conditions).toHaveLength(2);
    expect(withValue(viewers, 'roleName', undefined)).toEqual(nameFilter);
    expect(withValue(undefined, 'roleName', undefined)).toBeUndefined();
  });
  it('replace or remove the condition for the state', () => {
    const locked = withState(undefined, 'locked');
    expect(chosenState(locked)).toBe('locked');
    const inactive = withState(locked, 'inactive');
    expect(inactive).toEqual({ logic: 'AND', conditions: [{ field: 'isActive', operator: 'equals', value: false }] });
    expect(chosenState(inactive)).toBe('inactive');
    expect(withState(inactive, undefined)).toBeUndefined();
  });
  it('add a condition beside an OR group, which stays unchanged', () => {
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
