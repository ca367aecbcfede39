/** Tests the tree of routes that a role can grant. */
import { describe, expect, it } from 'vitest';
import { AREAS, checkedState, otherRoutes, withChecked } from './route-tree.ts';

const referenceRoutes = AREAS[0]?.routes ?? [];

describe('the tree of routes', () => {
  it('contains each grantable route once, with the further paths that it opens', () => {
    const routes = AREAS.flatMap((area) => area.routes);
    expect(routes.map(({ route }) => route).sort()).toEqual([
      '/approvals',
      '/collections',
      '/crosswalks',
      '/monitor',
      '/onboarding',
      '/postgres-info',
      '/reference-types',
      '/relationships',
      '/validation-test',
    ]);
    expect(routes.find(({ route }) => route === '/crosswalks')?.opens).toEqual([
      '/crosswalk',
      '/crosswalks-old',
      '/missing-mappings',
    ]);
  });
  it('shows whether none, some or all routes of an area are granted', () => {
    expect(checkedState(new Set(), referenceRoutes)).toBe(false);
    expect(checkedState(new Set(['/crosswalks']), referenceRoutes)).toBe('indeterminate');
    expect(checkedState(new Set(referenceRoutes.map(({ route }) => route)), referenceRoutes)).toBe(true);
  });
  it('grants and revokes a whole area, and keeps routes outside of the tree', () => {
    const granted = withChecked(['/crosswalks/5', '/monitor'], referenceRoutes, true);
    expect(granted).toEqual([
      '/reference-types',
      '/collections',
      '/relationships',
      '/crosswalks',
      '/monitor',
      '/crosswalks/5',
    ]);
    expect(otherRoutes(granted)).toEqual(['/crosswalks/5']);
    expect(withChecked(granted, referenceRoutes, false)).toEqual(['/monitor', '/crosswalks/5']);
  });
});
