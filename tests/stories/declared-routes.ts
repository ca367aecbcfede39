/** Every route that the two services declare, as they declare them; nothing of it is run. */
import { routesOf as commandRoutes } from '@rdm/command-api/routes';
import { type Route, readSettings } from '@rdm/platform';
import { routesOf as queryRoutes } from '@rdm/query-api/rooms';

/** Stands for whatever a room works with: it may be called and taken apart, and answers itself. */
const anything: never = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
}) as never;

export function declaredRoutes(): Route[] {
  const settings = readSettings({
    PORT: '0',
    DATABASE_URL: 'postgres://nowhere',
    EVENTSTORE_URL: 'esdb://nowhere',
    SESSION_SECRET: 'x'.repeat(32),
    SERVICE_SECRET: 'x'.repeat(32),
  });
  const known: Record<string | symbol, unknown> = { settings, freezable: new Map() };
  const floor = new Proxy(known, { get: (_, name) => known[name] ?? anything }) as never;
  return [...commandRoutes(floor), ...queryRoutes(floor)];
}
