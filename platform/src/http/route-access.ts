/** Who may call a route, as its declaration says it. */
import {
  type Ability,
  type AccessState,
  type Actor,
  allowedRoutes,
  hasAbility,
  isAdministrator,
  type Level,
  mayOpen,
  Refusal,
} from '@rdm/contracts';

/**
 * Who may call a route. `person` routes are for people with a session, `signedIn` ones for API keys too. `level`
 * routes are for both: it is the level needed on the data set, crosswalk or collection that the request names, or on
 * what a list shows. Handlers never name it again: they ask with the one declared here (docs/decisions/0015).
 */
export type RouteAccess =
  | { public: true }
  | { person: true; whileFlagged?: true }
  | { signedIn: true }
  | { administrator: true }
  | { ability: Ability; level?: Level }
  | { route: string; level?: Level }
  | { level: Level }
  | { service: true };

/** The level that handlers of a route ask for; undefined where the route declares none. */
export const declaredLevel = (access: RouteAccess): Level | undefined => ('level' in access ? access.level : undefined);

/** What a declaration asks of the actor's role; the level is asked on what the request names. */
export function requireRole(access: RouteAccess, state: AccessState, actor: Actor): void {
  const isAdmin = isAdministrator(state, actor);
  if ('administrator' in access && !isAdmin) throw new Refusal('FORBIDDEN', 'This needs an administrator');
  if ('ability' in access && !hasAbility(state, actor, access.ability)) {
    throw new Refusal('FORBIDDEN', `Your role does not include ${access.ability}`);
  }
  if ('route' in access && !mayOpen(access.route, { isAdmin, routes: allowedRoutes(state, actor) })) {
    throw new Refusal('FORBIDDEN', `Your role does not include ${access.route}`);
  }
}
