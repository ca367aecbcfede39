/** The grantable routes as a tree of three levels: areas, routes, and further paths that the same permission opens. */
import { GRANTABLE_ROUTES, ROUTE_ALIASES } from '@rdm/contracts/access/permissions';

export interface GrantableRoute {
  route: string;
  label: string;
  /** Further paths that the same permission opens. */
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

/** Granted routes that are not in the tree, such as a page below a route of the tree. */
export const otherRoutes = (routes: readonly string[]): string[] => routes.filter((route) => !GRANTABLE.has(route));

/** The state of the checkbox of these routes: true if all are granted, indeterminate if only some are granted. */
export function checkedState(
  granted: ReadonlySet<string>,
  routes: readonly { route: string }[],
): boolean | 'indeterminate' {
  const count = routes.filter(({ route }) => granted.has(route)).length;
  return count === 0 ? false : count === routes.length ? true : 'indeterminate';
}

/** Grants or removes `routes`. Returns all granted routes, beginning with the routes of the tree. */
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
