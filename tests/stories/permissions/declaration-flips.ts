/** Returns other access declarations for a route, and finds the first cell that differs from the permission table. */
import { ABILITIES, LEVELS, permissionOf } from '@rdm/contracts';
import type { RouteAccess } from '@rdm/platform';
import type { CallerName } from './callers.ts';
import { expectedOf, requestCell, type Target } from './cells.ts';
import type { PermissionFixture } from './fixture.ts';
import type { TableRow } from './table.ts';

const ROUTES = ['/reference-types', '/collections', '/crosswalks', '/relationships', '/approvals'] as const;

const KINDS: readonly RouteAccess[] = [
  { public: true },
  { person: true },
  { person: true, beforePasswordChange: true },
  { signedIn: true },
  { administrator: true },
  { service: true },
  ...ABILITIES.map((ability) => ({ ability })),
  ...ROUTES.map((route) => ({ route })),
  ...LEVELS.map((level) => ({ level })),
];

const roleOf = (access: RouteAccess): string => {
  const { level: _, ...role } = { level: undefined, ...access };
  return JSON.stringify(role);
};

/**
 * Whether a route behaves the same with the declaration `other` as with `declared`. Two pages can have the same
 * permission. A level in place of `signedIn` changes nothing, because no handler of a `signedIn` route uses the level.
 */
function hasSameEffect(declared: RouteAccess, other: RouteAccess): boolean {
  if ('route' in declared && 'route' in other) return permissionOf(declared.route) === permissionOf(other.route);
  if ('signedIn' in declared && 'level' in other) return true;
  return JSON.stringify(declared) === JSON.stringify(other);
}

/**
 * Returns the declarations of `KINDS` with another effect. If a level is declared together with an ability or a page,
 * also returns declarations that change only one of the two.
 */
export function flipsOf(declared: RouteAccess): RouteAccess[] {
  const flips = KINDS.filter((other) => !hasSameEffect(declared, other));
  const hasLevel = 'level' in declared && declared.level !== undefined;
  if (!hasLevel || roleOf(declared) === '{}') return flips;
  const levels = LEVELS.filter((level) => level !== declared.level).map((level) => ({ ...declared, level }));
  const roles = KINDS.filter((other) => ('route' in other || 'ability' in other) && roleOf(other) !== roleOf(declared))
    .filter((other) => !hasSameEffect(declared, other))
    .map((other) => ({ ...other, level: declared.level }) as RouteAccess);
  return [...flips, ...levels, ...roles];
}

/** All callers. The callers whose cells change most often come first. */
const ORDER: readonly CallerName[] = [
  'anonymous',
  'key-read',
  'viewer',
  'guest',
  'curator',
  'flagged',
  'keeper',
  'steward',
  'approver',
  'admin',
  'key-translate',
  'key-write',
  'sso',
];

/** Returns the first cell that differs from the table. */
export async function findFirstMismatch(
  fixture: PermissionFixture,
  target: Target,
  rows: readonly TableRow[],
): Promise<{ row: string; caller: CallerName; expected: string; answered: string } | undefined> {
  for (const row of rows) {
    const expected = expectedOf(row);
    for (const caller of ORDER) {
      const answer = await requestCell(fixture, { ...target, hasOtherDeclarations: true }, row, caller);
      if (answer !== expected[caller]) return { row: row.name, caller, expected: expected[caller], answered: answer };
    }
  }
  return undefined;
}
