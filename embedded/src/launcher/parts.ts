/** The parts of the product, as data: what each is, what it needs, what it is told, and in which order they stop. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectionString } from '../event-store/password.ts';
import { startPostgres } from '../postgres.ts';
import type { Part } from '../supervisor.ts';
import type { ProcessRecord } from './leftovers.ts';
import type { PartLog } from './part-log.ts';
import { renewSecret, type Secrets } from './secrets.ts';
import { residentPart, type Service, servicePart } from './service.ts';
import type { Settings } from './settings.ts';

export const INTERNAL_PORTS = ['event-store', 'command-api', 'projector', 'query-api', 'private-door'] as const;

/** Parts in the process of another: what they say stands in its log. */
export const HOUSED_BY: Record<string, string> = { 'query-api': 'front-door' };

export type PartsContext = {
  settings: Settings;
  secrets: Secrets;
  programs: Programs;
  ports: Record<(typeof INTERNAL_PORTS)[number], number>;
  /** Passed on to the services, for their own settings. */
  env: NodeJS.ProcessEnv;
  record: ProcessRecord;
  logOf(part: string): PartLog;
  /** What command-api has to know until the first start is done; asked at each of its starts. */
  firstStart(): NodeJS.ProcessEnv;
  doorIsOpen(): boolean;
  onFrontDoor(child: ChildProcess): void;
  /** Resolves with the front door's process, when there is one. */
  frontDoor(): Promise<ChildProcess>;
};

export type Plan = {
  parts: Part[];
  stopOrder: string[][];
  eventStoreUrl: string;
  /** Known once PostgreSQL runs. */
  databaseUrl(): string;
};

/** The repository, seen from the sources as well as from what is built of them. */
export const root = new URL('../../../', import.meta.url);

/** The Node.js programs of the product. */
export const PROGRAMS = {
  'event-store': program('embedded/dist/event-store.main.js'),
  'command-api': program('command-api/dist/main.js'),
  projector: program('projector/dist/main.js'),
  'query-api': program('query-api/dist/start.js'),
  'front-door': program('embedded/dist/front-door.main.js'),
};
export type Programs = typeof PROGRAMS;

function program(path: string): string {
  return fileURLToPath(new URL(path, root));
}

/** The front door's own, and what command-api alone is told, and only while it matters. */
const NOT_PASSED_ON = new Set(['HOST', 'PORT', 'ADMIN_PASSWORD', 'SAMPLE_PASSWORD', 'ADMIN_MUST_CHANGE']);

export function productParts(context: PartsContext): Plan {
  const { settings, secrets, programs, ports, record, logOf } = context;
  const local = (port: number) => `http://127.0.0.1:${port}`;
  const passwordFile = join(settings.dataDir, 'event-store-password');
  const eventStoreUrl =
    settings.eventStoreUrl ?? connectionString('127.0.0.1', ports['event-store'], renewSecret(passwordFile));
  const inherited = Object.fromEntries(Object.entries(context.env).filter(([name]) => !NOT_PASSED_ON.has(name)));
  let databaseUrl = settings.databaseUrl;

  const environment = (port: number): NodeJS.ProcessEnv => ({
    NODE_ENV: 'production',
    ...inherited,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    EVENTSTORE_URL: eventStoreUrl,
    SESSION_SECRET: secrets.sessionSecret,
    SERVICE_SECRET: secrets.serviceSecret,
    PUBLIC_URL: settings.publicUrl,
    DATA_DIR: settings.dataDir,
    COMMAND_API_URL: local(ports['command-api']),
    QUERY_API_URL: local(ports['query-api']),
    PROJECTOR_URL: local(ports.projector),
  });

  const stores: Part[] = [];
  if (settings.databaseUrl === undefined)
    stores.push(postgresPart(join(settings.dataDir, 'postgres'), logOf('postgres'), (url) => (databaseUrl = url)));
  if (settings.eventStoreUrl === undefined)
    stores.push(
      servicePart(
        {
          name: 'event-store',
          needs: [],
          script: programs['event-store'],
          env: () => inherited,
          args: () => [
            ...['--port', String(ports['event-store']), '--dir', join(settings.dataDir, 'event-store')],
            ...['--password-file', passwordFile],
          ],
          ready: { message: 'ready' },
        },
        logOf('event-store'),
        record,
      ),
    );
  const needs = stores.map(({ name }) => name);

  const service = (name: 'command-api' | 'projector', more: Partial<Service> = {}) =>
    servicePart(
      {
        name,
        needs,
        script: programs[name],
        env: () => environment(ports[name]),
        ready: { url: `${local(ports[name])}/health/ready` },
        ...more,
      },
      logOf(name),
      record,
    );

  const frontDoor = servicePart(
    {
      name: 'front-door',
      needs: [],
      script: programs['front-door'],
      env: () => ({
        ...environment(settings.port),
        HOST: settings.host,
        PRIVATE_PORT: String(ports['private-door']),
        DOOR: context.doorIsOpen() ? 'open' : 'closed',
      }),
      ready: { message: 'listening' },
      onStart: context.onFrontDoor,
    },
    logOf('front-door'),
    record,
  );

  return {
    parts: [
      frontDoor,
      ...stores,
      service('command-api', {
        // What it appends could hide from the projector that the log was shorter.
        needs: settings.acceptsLogEnd ? [...needs, 'projector'] : needs,
        env: () => ({ ...environment(ports['command-api']), ...context.firstStart() }),
        // It serves what needs no append while the event store's disk is full, which its readiness reports as a fault.
        ready: { message: 'ready' },
      }),
      service('projector'),
      residentPart(
        {
          name: 'query-api',
          needs,
          script: programs['query-api'],
          env: () => environment(ports['query-api']),
          ready: { url: `${local(ports['query-api'])}/health/ready` },
        },
        context.frontDoor,
      ),
    ],
    stopOrder: [['front-door', 'query-api'], ['command-api'], ['projector'], ['event-store'], ['postgres']],
    eventStoreUrl,
    databaseUrl: () => databaseUrl ?? '',
  };
}

function postgresPart(dir: string, log: PartLog, onUrl: (url: string) => void): Part {
  // Started again on its port: the services know it by that.
  let port: number | undefined;
  return {
    name: 'postgres',
    needs: [],
    async start() {
      const server = await startPostgres({ dir, log: log.write, ...(port !== undefined && { port }) });
      port = server.port;
      onUrl(server.url);
      return { ...server, ready: Promise.resolve() };
    },
  };
}
