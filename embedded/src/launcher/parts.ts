/** Defines the parts that the launcher runs: their programs, dependencies, settings and stop order. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, programUrl } from '@rdm/platform/service/programs';
import { connectionString } from '../event-store/wire/password.ts';
import { startPostgres } from '../postgres/postgres.ts';
import type { ProcessRecord } from './leftovers.ts';
import type { PartLog } from './part-log.ts';
import { renewSecret, type Secrets } from './secrets.ts';
import { hostedPart, type Service, servicePart } from './service.ts';
import type { Settings } from './settings.ts';
import type { Part } from './supervisor.ts';

type ServiceName = 'command-api' | 'projector' | 'query-api';

/** Returns the names of the parts that run the instances of a service. The first part has the name of the service. */
const instancesOf = (service: ServiceName, count: number): string[] => [
  service,
  ...Array.from({ length: count - 1 }, (_, index) => `${service}-${index + 2}`),
];

/** Returns the names of the ports on loopback, except that of PostgreSQL, for this number of instances per service. */
export const internalPorts = (instances: number): string[] => [
  'event-store',
  ...(['command-api', 'projector', 'query-api'] as const).flatMap((service) => instancesOf(service, instances)),
  'maintenance',
  'private-door',
];

export function portIn(ports: Record<string, number>, name: string): number {
  const port = ports[name];
  if (port === undefined) throw new Error(`There is no port for ${name}`);
  return port;
}

/** Returns the host of each part without a process of its own. The log of the host contains the output of the part. */
export const hostPartOf = (instances: number): Record<string, string> =>
  instances === 1 ? { 'query-api': 'front-door' } : {};

export type PartsContext = {
  settings: Settings;
  secrets: Secrets;
  /** The file with the key that signs the audit log. */
  signingKeyFile: string;
  programs: Programs;
  /** The number of instances of each service. */
  instances: number;
  /** The ports by the names of `internalPorts`. */
  ports: Record<string, number>;
  /** The environment that the Node.js programs inherit, for their own settings. */
  env: NodeJS.ProcessEnv;
  record: ProcessRecord;
  logOf(part: string): PartLog;
  /** Called at each start of command-api. Returns additional settings until the first start is complete. */
  firstStart(): NodeJS.ProcessEnv;
  isFrontDoorOpen(): boolean;
  onFrontDoor(child: ChildProcess): void;
  /** Called with the maintenance process. Set if the launcher restores backups on request. */
  onMaintenance: ((child: ChildProcess) => void) | undefined;
  /** Resolves with the process of the front door when it runs. */
  frontDoor(): Promise<ChildProcess>;
};

export type Plan = {
  parts: Part[];
  stopOrder: string[][];
  /** The addresses of the instances, by service. */
  addresses: Record<ServiceName, string[]>;
  eventStoreUrl: string;
  /** Returns the address of the database; empty until the embedded PostgreSQL runs. */
  databaseUrl(): string;
};

/** The Node.js programs of the product. */
export const PROGRAMS = {
  'event-store': program('embedded/dist/event-store.main.js'),
  'command-api': program('command-api/dist/main.js'),
  projector: program('projector/dist/main.js'),
  'query-api': program('query-api/dist/start.js'),
  'query-api-process': program('query-api/dist/main.js'),
  'front-door': program('embedded/dist/front-door.main.js'),
  maintenance: program('embedded/dist/maintenance.main.js'),
};
export type Programs = typeof PROGRAMS;

function program(path: Program): string {
  return fileURLToPath(programUrl(path));
}

/** Settings that the Node.js programs do not inherit: the launcher sets them for each program that needs them. */
const NOT_PASSED_ON = new Set(['HOST', 'PORT', 'ADMIN_PASSWORD', 'SAMPLE_PASSWORD', 'AUDIT_SIGNING_KEY']);

export function productParts(context: PartsContext): Plan {
  const { settings, secrets, programs, instances, record, logOf } = context;
  const portOf = (name: string) => portIn(context.ports, name);
  const local = (name: string) => `http://127.0.0.1:${portOf(name)}`;
  const addressesOf = (service: ServiceName) => instancesOf(service, instances).map(local);
  const addresses = {
    'command-api': addressesOf('command-api'),
    projector: addressesOf('projector'),
    'query-api': addressesOf('query-api'),
  };
  const passwordFile = join(settings.dataDir, 'event-store-password');
  const eventStoreUrl =
    settings.eventStoreUrl ?? connectionString('127.0.0.1', portOf('event-store'), renewSecret(passwordFile));
  const inherited = Object.fromEntries(Object.entries(context.env).filter(([name]) => !NOT_PASSED_ON.has(name)));
  let databaseUrl = settings.databaseUrl;

  const environment = (port: number): NodeJS.ProcessEnv => ({
    NODE_ENV: 'production',
    ...inherited,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATABASE_EMBEDDED: settings.databaseUrl === undefined ? 'on' : 'off',
    EVENTSTORE_URL: eventStoreUrl,
    EVENTSTORE_EMBEDDED: settings.eventStoreUrl === undefined ? 'on' : 'off',
    SESSION_SECRET: secrets.sessionSecret,
    SERVICE_SECRET: secrets.serviceSecret,
    PUBLIC_URL: settings.publicUrl,
    DATA_DIR: settings.dataDir,
    COMMAND_API_URL: addresses['command-api'].join(','),
    QUERY_API_URL: addresses['query-api'].join(','),
    PROJECTOR_URL: addresses.projector.join(','),
    MAINTENANCE_URL: local('maintenance'),
  });

  const stores: Part[] = [];
  if (settings.databaseUrl === undefined)
    stores.push(postgresPart(join(settings.dataDir, 'postgres'), logOf('postgres'), (url) => (databaseUrl = url)));
  if (settings.eventStoreUrl === undefined)
    stores.push(eventStorePart(context, { port: portOf('event-store'), passwordFile, env: inherited }));
  const needs = stores.map(({ name }) => name);

  const services = (
    service: ServiceName,
    script: string,
    { moreEnv, ...more }: Partial<Service> & { moreEnv?: () => NodeJS.ProcessEnv } = {},
  ): Part[] =>
    instancesOf(service, instances).map((name) => {
      const env = () => ({ ...environment(portOf(name)), ...moreEnv?.() });
      const ready = { url: `${local(name)}/health/ready` };
      return servicePart({ name, needs, script, env, ready, ...more }, logOf(name), record);
    });

  const hostedQueryApi = () =>
    hostedPart(
      {
        name: 'query-api',
        needs,
        script: programs['query-api'],
        env: () => environment(portOf('query-api')),
        ready: { url: `${local('query-api')}/health/ready` },
      },
      context.frontDoor,
    );

  // The maintenance process rarely has work, so it starts when the other parts serve.
  const maintenance: Part = {
    ...servicePart(
      {
        name: 'maintenance',
        needs: [],
        script: programs.maintenance,
        env: () => ({
          ...environment(portOf('maintenance')),
          AUDIT_SIGNING_KEY: context.signingKeyFile,
          RESTORE_HERE: context.onMaintenance ? 'on' : 'off',
        }),
        ready: { message: 'ready' },
        ...(context.onMaintenance && { onStart: context.onMaintenance }),
      },
      logOf('maintenance'),
      record,
    ),
    isOptional: true,
  };

  const frontDoor = frontDoorPart(context, () => environment(settings.port), portOf('private-door'));

  return {
    parts: [
      frontDoor,
      ...stores,
      ...services('command-api', programs['command-api'], {
        // New events could hide lost events, so the projector first compares an accepted end with the end of the log.
        needs: settings.acceptsLogEnd ? [...needs, ...instancesOf('projector', instances)] : needs,
        moreEnv: () => ({ ...context.firstStart(), AUDIT_SIGNING_KEY: context.signingKeyFile }),
        // Readiness fails while the disk of the event store is full, but command-api still serves other requests.
        ready: { message: 'ready' },
      }),
      ...services('projector', programs.projector),
      maintenance,
      ...(instances === 1 ? [hostedQueryApi()] : services('query-api', programs['query-api-process'])),
    ],
    stopOrder: [
      ['front-door', ...instancesOf('query-api', instances)],
      [...instancesOf('command-api', instances), 'maintenance'],
      instancesOf('projector', instances),
      ['event-store'],
      ['postgres'],
    ],
    addresses,
    eventStoreUrl,
    databaseUrl: () => databaseUrl ?? '',
  };
}

function eventStorePart(
  { settings, programs, record, logOf }: PartsContext,
  { port, passwordFile, env }: { port: number; passwordFile: string; env: NodeJS.ProcessEnv },
): Part {
  return servicePart(
    {
      name: 'event-store',
      needs: [],
      script: programs['event-store'],
      env: () => env,
      args: () => [
        ...['--port', String(port), '--dir', join(settings.dataDir, 'event-store')],
        ...['--password-file', passwordFile],
      ],
      ready: { message: 'ready' },
    },
    logOf('event-store'),
    record,
  );
}

function frontDoorPart(
  { settings, programs, record, logOf, isFrontDoorOpen, onFrontDoor }: PartsContext,
  env: () => NodeJS.ProcessEnv,
  privatePort: number,
): Part {
  return servicePart(
    {
      name: 'front-door',
      needs: [],
      script: programs['front-door'],
      env: () => ({
        ...env(),
        HOST: settings.host,
        PRIVATE_PORT: String(privatePort),
        DOOR: isFrontDoorOpen() ? 'open' : 'closed',
      }),
      ready: { message: 'listening' },
      onStart: onFrontDoor,
    },
    logOf('front-door'),
    record,
  );
}

function postgresPart(dir: string, log: PartLog, onUrl: (url: string) => void): Part {
  // A restart uses the same port, because the services continue to connect to this port.
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
