/** Returns the routes that command-api and query-api declare, without starting these services. */
import { routesOf as commandRoutes } from '@rdm/command-api/routes';
import { type Route, readSettings } from '@rdm/platform';
import { routesOf as queryRoutes } from '@rdm/query-api/routes';

/** A stub for all other dependencies of the routes. Each call and each property of the stub returns the stub. */
const stubDependency: never = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : stubDependency),
  apply: () => stubDependency,
}) as never;

export interface DeclaredRoutes {
  commandApi: Route[];
  queryApi: Route[];
}

/** The name of the sign-in provider in the paths of the declared routes. */
export const SSO_NAME = 'provider';

export function routesOfServices(): DeclaredRoutes {
  const settings = readSettings({
    PORT: '0',
    DATABASE_URL: 'postgres://nowhere',
    EVENTSTORE_URL: 'esdb://nowhere',
    SESSION_SECRET: 'x'.repeat(32),
    SERVICE_SECRET: 'x'.repeat(32),
    REGISTRATION: 'open',
    SSO_PROVIDER: SSO_NAME,
    SSO_ISSUER: 'https://issuer.example.com',
    SSO_CLIENT_ID: 'client',
  });
  const realDependencies: Record<string | symbol, unknown> = { settings, freezable: new Map() };
  const context = new Proxy(realDependencies, { get: (_, name) => realDependencies[name] ?? stubDependency }) as never;
  return { commandApi: commandRoutes(context), queryApi: queryRoutes(context) };
}

export function declaredRoutes(): Route[] {
  const { commandApi, queryApi } = routesOfServices();
  return [...commandApi, ...queryApi];
}
