/** The declaration of who may call a route, and the check of a role or of the scopes of an API key. */
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
 * Who may call a route. `signedIn`, `route` and `level` routes accept sessions and API keys; `person`, `ability` and
 * `administrator` routes need a session; `service` routes need the secret that the services share. `route` is the path
 * of a page that the caller must be able to open (`mayOpen`): the role of a user lists such pages; an API key with the
 * scope `read` or `write` has `API_KEY_ROUTES`. With `level`, the caller needs this level on the data set, crosswalk,
 * relationship or collection of the request, or on the items of a list. Handlers check the level that the route
 * declares, and do not declare it themselves (docs/decisions/0015). With `beforePasswordChange`, a user who has to
 * change the password may call the route before that.
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

/**
 * Checks that the role of the user, or the scopes of the API key, allow the route. The level is checked later, on the
 * entity of the request.
 */
export function requireRole(access: RouteAccess, state: AccessState, actor: Actor): void {
  const isAdmin = isAdministrator(state, actor);
  if ('administrator' in access && !isAdmin) throw new Refusal('FORBIDDEN', 'This needs an administrator');
  if ('ability' in access && !hasAbility(state, actor, access.ability)) throw notIncluded(access.ability, actor);
  if ('route' in access && !mayOpen(access.route, { isAdmin, routes: allowedRoutes(state, actor) }))
    throw notIncluded(isKeyRoute(access.route, actor) ? 'read' : access.route, actor);
}

/** Whether the actor is an API key that may call the route with the scope `read` (or `write`, which includes it). */
const isKeyRoute = (route: string, actor: Actor): boolean =>
  typeof actor !== 'number' && API_KEY_ROUTES.some((known) => known === route);

function notIncluded(requirement: string, actor: Actor): Refusal {
  if (typeof actor === 'number') return new Refusal('FORBIDDEN', `Your role does not include ${requirement}`);
  const scopes = KEY_SCOPES.filter((name) => actor.scopes.some(({ scope }) => scope === name)).join(', ') || 'none';
  return new Refusal('FORBIDDEN', `The scopes of this API key (${scopes}) do not include ${requirement}`);
}
