/** Starts the whole product for a test or a benchmark, with the launcher's own code and its parts as separate processes. */

import { type Launch, prepareLaunch } from './launcher/launcher.ts';
import { freePort } from './launcher/ports.ts';
import { readSettings } from './launcher/settings.ts';
import type { SupervisedPart } from './launcher/supervisor.ts';

export type StackOptions = {
  dataDir: string;
  /** Defaults to a free port. */
  port?: number;
  adminPassword: string;
  samplePassword?: string;
  /** Defaults to false. */
  sampleData?: boolean;
  /** Servers to use instead of the embedded ones. */
  eventStoreUrl?: string;
  databaseUrl?: string;
  /** Instances of command-api, query-api and the projector; defaults to one. */
  instances?: number;
  /** More settings for the services. */
  env?: NodeJS.ProcessEnv;
  /** Pause before a part that ended is started for the n-th time in a row, in milliseconds. */
  backoff?: (failures: number) => number;
  /** A part is given up when it ended so many times in a row. */
  maxFailures?: number;
  /** Receives the launcher's output. */
  log?: (line: string) => void;
};

export type Stack = {
  baseUrl: string;
  eventStoreUrl: string;
  databaseUrl: string;
  /** The addresses of each service's instances. */
  addresses: Launch['addresses'];
  /** By name: front-door, postgres, event-store, command-api, projector, query-api; a second instance is `query-api-2`. */
  parts: Record<string, SupervisedPart>;
  stop(): Promise<void>;
};

/** Resolves when everything serves. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { adminPassword, samplePassword = adminPassword, sampleData = false, env = {}, log = () => {} } = options;
  const given: NodeJS.ProcessEnv = {
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
    settings: readSettings(given),
    env: given,
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
