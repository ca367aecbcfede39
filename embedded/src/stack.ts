/** Starts the whole product for a test or a benchmark, with the launcher and the processes of `npm start`. */

import { type Launch, prepareLaunch } from './launcher/launcher.ts';
import { freePort } from './launcher/ports.ts';
import { readSettings } from './launcher/settings.ts';
import type { SupervisedPart } from './launcher/supervisor.ts';

export type StackOptions = {
  dataDir: string;
  /** The public port; by default a free port. */
  port?: number;
  adminPassword: string;
  samplePassword?: string;
  /** Whether to load the sample data; by default false. */
  sampleData?: boolean;
  /** The servers to use; by default the embedded servers. */
  eventStoreUrl?: string;
  databaseUrl?: string;
  /** The number of instances of each of command-api, query-api and the projector; by default one. */
  instances?: number;
  /** More settings for the services. */
  env?: NodeJS.ProcessEnv;
  /** The pause in milliseconds before a part is started again, by its number of failures in a row. */
  backoff?: (failures: number) => number;
  /** A required part that failed this many times in a row is not started again, unless the disk is full. */
  maxFailures?: number;
  /** Receives the launcher's output. */
  log?: (line: string) => void;
};

export type Stack = {
  baseUrl: string;
  eventStoreUrl: string;
  databaseUrl: string;
  /** The addresses of the instances, by service. */
  addresses: Launch['addresses'];
  /**
   * The parts by name: front-door, postgres, event-store, command-api, projector, query-api, maintenance. A second
   * instance is `query-api-2`. External stores are not included.
   */
  parts: Record<string, SupervisedPart>;
  stop(): Promise<void>;
};

/** Resolves when all required parts serve. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { adminPassword, samplePassword = adminPassword, sampleData = false, env = {}, log = () => {} } = options;
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'production',
    ...env,
    PORT: String(options.port ?? (await freePort())),
    HOST: '127.0.0.1',
    DATA_DIR: options.dataDir,
    ADMIN_PASSWORD: adminPassword,
    SAMPLE_PASSWORD: samplePassword,
    SAMPLE_DATA: sampleData ? 'on' : 'off',
    EVENTSTORE_URL: options.eventStoreUrl ?? '',
    DATABASE_URL: options.databaseUrl ?? '',
  };
  const { backoff, maxFailures, instances } = options;
  const launch = await prepareLaunch({
    settings: readSettings(environment),
    env: environment,
    print: log,
    ...(backoff && { backoff }),
    ...(maxFailures !== undefined && { maxFailures }),
    ...(instances !== undefined && { instances }),
  });
  try {
    await launch.start();
  } catch (error) {
    await launch.stop();
    throw error;
  }
  const { baseUrl, eventStoreUrl, addresses, parts, stop } = launch;
  return { baseUrl, eventStoreUrl, databaseUrl: launch.databaseUrl(), addresses, parts, stop };
}
