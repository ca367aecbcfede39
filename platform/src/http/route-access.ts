/** Declares who may call a route, and checks the role of a user or the scopes of an API key. */
import {
  type Ability,
  type AccessState,
  type Actor,
  API_KEY_ROUTES,
  allowedRoutes,
  hasAbility,
  isAdministrator,
  KEY_SCOPES,
  type Level,
  mayOpen,
  Refusal,
} from '@rdm/contracts';

/**
 * Who may call a route (docs/decisions/0015):
 * - `signedIn`, `route` and `level` accept sessions and API keys.
 * - `person`, `ability` and `administrator` need a session.
 * - `service` needs the secret that the services share.
 * - `route` is the path of a page that the caller must be able to open. Roles list such pages; API keys have
 *   `API_KEY_ROUTES`.
 * - `level` is checked by the handler, on the entity of the request or on the items of a list.
 * - `beforePasswordChange` accepts a user who must change the password first.
 */
export type RouteAccess =
  | { public: true }
  | { person: true; beforePasswordChange?: true }
  | { signedIn: true }
  | { administrator: true }
  | { ability: Ability; level?: Level }
  | { route: string; level?: Level }
  | { level: Level }
  | { service: true };

/** The level that handlers of a route check; undefined if the route declares none. */
export const declaredLevel = (access: RouteAccess): Level | undefined => ('level' in access ? access.level : undefined);

/** Throws FORBIDDEN if the user's role or the API key's scopes do not allow the route. Does not check the level. */
export function requireRole(access: RouteAccess, state: AccessState, actor: Actor): void {
  const isAdmin = isAdministrator(state, actor);
  if ('administrator' in access && !isAdmin) throw new Refusal('FORBIDDEN', 'This needs an administrator');
  if ('ability' in access && !hasAbility(state, actor, access.ability)) throw notIncluded(access.ability, actor);
  if ('route' in access && !mayOpen(access.route, { isAdmin, routes: allowedRoutes(state, actor) }))
    throw notIncluded(isKeyRoute(access.route, actor) ? 'read' : access.route, actor);
}

/** Whether the actor is an API key, and the scope `read` would allow the route. */
const isKeyRoute = (route: string, actor: Actor): boolean =>
  typeof actor !== 'number' && API_KEY_ROUTES.some((keyRoute) => keyRoute === route);

function notIncluded(requirement: string, actor: Actor): Refusal {
  if (typeof actor === 'number') return new Refusal('FORBIDDEN', `Your role does not include ${requirement}`);
  const scopes = KEY_SCOPES.filter((name) => actor.scopes.some(({ scope }) => scope === name)).join(', ') || 'none';
  return new Refusal('FORBIDDEN', `The scopes of this API key (${scopes}) do not include ${requirement}`);
}
