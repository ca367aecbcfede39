/** Starts the product once for all tests; each test has collections of its own for its data. */
import { BULK_ANSWER_ROWS } from '@rdm/contracts';
import type { TestProject } from 'vitest/node';
import { startTestStack } from '../test-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string;
    databaseUrl: string;
    eventStoreUrl: string;
    /** Folders of the servers started here: databases, event log and log files. */
    folders: string[];
  }
}

export const ADMIN_PASSWORD = 'Story-admin-1';
/** Whether stories run in the long form, as in `npm run faults`: with more repetitions than in `npm test`. */
export const LONG = process.env['FAULTS'] === 'long';
/** A smaller limit makes the jobs of the tests smaller. */
export const ANSWERED_ROWS = LONG ? BULK_ANSWER_ROWS : 500;
export const SAMPLE_PASSWORD = 'Story-sample-1';

/** Servers that already run and replace the embedded ones. */
export interface Servers {
  eventStoreUrl?: string;
  databaseUrl?: string;
  /** The number of instances of command-api, query-api and the projector. */
  instances?: number;
  folders?: string[];
  stop?: () => Promise<void>;
}

/** EVENTSTORE_URL and DATABASE_URL name running servers; without them embedded ones are started. */
export default function setup(project: TestProject) {
  const { EVENTSTORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl } = process.env;
  return startStack(project, { ...(eventStoreUrl ? { eventStoreUrl } : {}), ...(databaseUrl ? { databaseUrl } : {}) });
}

/** Starts the product on the given servers with its sample data; returns a function that stops everything. */
export async function startStack(
  project: TestProject,
  { stop, folders = [], ...servers }: Servers,
): Promise<() => Promise<void>> {
  const stack = await startTestStack(project.name, {
    adminPassword: ADMIN_PASSWORD,
    samplePassword: SAMPLE_PASSWORD,
    sampleData: true,
    env: {
      // Tests send the address of a client in X-Forwarded-For.
      TRUST_FORWARDED: 'on',
      BULK_ANSWER_ROWS: String(ANSWERED_ROWS),
    },
    ...servers,
  });
  project.provide('baseUrl', stack.baseUrl);
  project.provide('databaseUrl', stack.databaseUrl);
  project.provide('eventStoreUrl', stack.eventStoreUrl);
  project.provide('folders', [stack.dataDir, ...folders]);
  return async () => {
    await stack.stop();
    await stop?.();
  };
}
