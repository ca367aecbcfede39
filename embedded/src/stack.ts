/** The whole product for a test or a measurement: the launcher's own path, its parts as processes of their own. */
import { readSettings } from './launcher/settings.ts';
import { prepareLaunch } from './launcher.ts';
import { freePort } from './ports.ts';
import type { SupervisedPart } from './supervisor.ts';

export type StackOptions = {
  dataDir: string;
  /** A free one where not given. */
  port?: number;
  adminPassword: string;
  samplePassword?: string;
  /** Loaded only when asked for. */
  sampleData?: boolean;
  /** Servers to use instead of the embedded ones. */
  eventStoreUrl?: string;
  databaseUrl?: string;
  /** More settings for the services. */
  env?: NodeJS.ProcessEnv;
  /** Pause before a part that ended is started for the n-th time in a row, in milliseconds. */
  backoff?: (failures: number) => number;
  /** Takes what the launcher says. */
  log?: (line: string) => void;
};

export type Stack = {
  baseUrl: string;
  eventStoreUrl: string;
  databaseUrl: string;
  /** By name: front-door, postgres, event-store, command-api, projector, query-api. */
  parts: Record<string, SupervisedPart>;
  stop(): Promise<void>;
};

/** Settles when everything serves. */
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
  const { backoff } = options;
  const launch = await prepareLaunch({
    settings: readSettings(given),
    env: given,
    say: log,
    ...(backoff && { backoff }),
  });
  try {
    await launch.start();
  } catch (error) {
    await launch.stop();
    throw error;
  }
  const { baseUrl, eventStoreUrl, parts, stop } = launch;
  return { baseUrl, eventStoreUrl, databaseUrl: launch.databaseUrl(), parts, stop };
}
