/** Tests which permission a path needs, and which paths a user may open. */
import { describe, expect, it } from 'vitest';
import { isBelow, mayOpen, permissionOf, SEEDED_ROLES } from './permissions.ts';

const role = (name: string) => {
  const seed = SEEDED_ROLES.find((each) => each.name === name);
  if (!seed) throw new Error(`There is no role ${name}`);
  return { isAdmin: seed.roleId === 1, routes: seed.routes };
};

describe('a path lies below a route', () => {
  it.each([
    ['/crosswalks', '/crosswalks', true],
    ['/crosswalks/', '/crosswalks', true],
    ['/crosswalks/3/mappings', '/crosswalks', true],
    ['/crosswalks', '/crosswalks/', true],
    ['/crosswalks-old', '/crosswalks', false],
    ['/cross', '/crosswalks', false],
    ['/', '/', true],
  ])('%s below %s: %s', (path, route, expected) => {
    expect(isBelow(path, route)).toBe(expected);
  });
});

describe('a path needs a permission', () => {
  it.each([
    ['/reference-types-debug', '/reference-types'],
    ['/crosswalk/comparison/3', '/crosswalks'],
    ['/missing-mappings', '/crosswalks'],
    ['/reference-data/4/instances', '/collections'],
    ['/users', '/manage-users'],
    ['/api-test', '/api-testing'],
    ['/approvals/', '/approvals'],
  ])('%s needs %s', (path, permission) => {
    expect(permissionOf(path)).toBe(permission);
  });
});

describe('the paths that a user may open', () => {
  it('always include home and the pages for every signed-in user', () => {
    const withoutRoutes = { isAdmin: false, routes: [] };
    for (const path of [
      '/',
      '/account',
      '/change-password',
      '/help',
      '/documentation',
      '/monitor',
      '/site-paths',
      '/diagnostics',
    ]) {
      expect(mayOpen(path, withoutRoutes)).toBe(true);
    }
    expect(mayOpen('/crosswalks', withoutRoutes)).toBe(false);
  });
  it('include administration only for administrators, even if another role lists it', () => {
    const user = { isAdmin: false, routes: ['/roles', '/audit-logs', '/admin'] };
    for (const path of ['/roles', '/users', '/audit-logs', '/api-keys', '/admin/purge-data', '/api-test']) {
      expect(mayOpen(path, user)).toBe(false);
      expect(mayOpen(path, role('Administrator'))).toBe(true);
    }
  });
  it.each([
    ['Steward', '/onboarding', true],
    ['Steward', '/approvals', true],
    ['Steward', '/manage-users', false],
    ['Approver', '/onboarding', false],
    ['Approver', '/approvals', true],
    ['Viewer', '/approvals', false],
    ['Viewer', '/reference-data/3', true],
    ['Viewer', '/crosswalks-old', true],
    ['Viewer', '/validation-test', false],
  ])('for the role %s include %s: %s', (name, path, expected) => {
    expect(mayOpen(path, role(name))).toBe(expected);
  });
});
