/** The grantable routes as a tree of three levels: areas, routes, and the other paths that each permission opens. */
import { GRANTABLE_ROUTES, ROUTE_ALIASES } from '@rdm/contracts/access/permissions';

export interface GrantableRoute {
  route: string;
  label: string;
  /** Other paths that the same permission opens. */
  opens: readonly string[];
}

export interface Area {
  label: string;
  routes: readonly GrantableRoute[];
}

const LABELS: Record<(typeof GRANTABLE_ROUTES)[number], { label: string; area: string }> = {
  '/onboarding': { label: 'Onboarding Wizard', area: 'Work' },
  '/reference-types': { label: 'Reference Data Types', area: 'Reference data' },
  '/collections': { label: 'Reference Data Collections', area: 'Reference data' },
  '/relationships': { label: 'Relationships', area: 'Reference data' },
  '/crosswalks': { label: 'Crosswalks', area: 'Reference data' },
  '/approvals': { label: 'Approvals Dashboard', area: 'Work' },
  '/monitor': { label: 'Monitor', area: 'Work' },
  '/validation-test': { label: 'Validation test', area: 'Tools' },
  '/postgres-info': { label: 'Graph database information', area: 'Tools' },
};

const aliasesOf = (route: string) =>
  Object.entries(ROUTE_ALIASES).flatMap(([alias, permission]) => (permission === route ? [alias] : []));

export const AREAS: readonly Area[] = ['Reference data', 'Work', 'Tools'].map((label) => ({
  label,
  routes: GRANTABLE_ROUTES.filter((route) => LABELS[route].area === label).map((route) => ({
    route,
    label: LABELS[route].label,
    opens: aliasesOf(route),
  })),
}));

/** The label of a route in the tree; for a route outside of the tree, its path. */
export const labelOf = (route: string): string =>
  AREAS.flatMap(({ routes }) => routes).find((each) => each.route === route)?.label ?? route;

const GRANTABLE: ReadonlySet<string> = new Set(GRANTABLE_ROUTES);

/**
 * Granted routes that are not in the tree, such as a single page below one of its routes. They stay granted until they are
 * unchecked.
 */
export const otherRoutes = (routes: readonly string[]): string[] => routes.filter((route) => !GRANTABLE.has(route));

/** The state of the checkbox of these routes: checked if all are granted, indeterminate if only some are. */
export function checkedState(
  granted: ReadonlySet<string>,
  routes: readonly { route: string }[],
): boolean | 'indeterminate' {
  const count = routes.filter(({ route }) => granted.has(route)).length;
  return count === 0 ? false : count === routes.length ? true : 'indeterminate';
}

/** The granted routes after `routes` are checked or unchecked: first those of the tree, then those outside of it. */
export function withChecked(
  granted: readonly string[],
  routes: readonly { route: string }[],
  ticked: boolean,
): string[] {
  const nextRoutes = new Set(granted);
  for (const { route } of routes) {
    if (ticked) nextRoutes.add(route);
    else nextRoutes.delete(route);
  }
  return [...GRANTABLE_ROUTES.filter((route) => nextRoutes.has(route)), ...otherRoutes([...nextRoutes])];
}
