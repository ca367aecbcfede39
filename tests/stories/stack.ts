/** Starts the product once for all tests. Each test creates its own collections for its data. */
import { BULK_ANSWER_ROWS } from '@rdm/contracts';
import type { TestProject } from 'vitest/node';
import { startTestStack } from '../test-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string;
    databaseUrl: string;
    eventStoreUrl: string;
    /** The folders with the databases, event logs and log files of the started servers; the product's folder first. */
    folders: string[];
  }
}

export const ADMIN_PASSWORD = 'Story-admin-1';
/** Whether the stories run with the data of `npm run faults`: with more rows and repetitions than in `npm test`. */
export const LONG = process.env['FAULTS'] === 'long';
/** The maximum number of rows of a bulk action without a job. A lower limit makes the jobs of tests smaller. */
export const ANSWERED_ROWS = LONG ? BULK_ANSWER_ROWS : 500;
export const SAMPLE_PASSWORD = 'Story-sample-1';

/** Running servers that replace the embedded ones. */
export interface Servers {
  eventStoreUrl?: string;
  databaseUrl?: string;
  /** The number of instances of command-api, query-api and the projector that the product runs on these servers. */
  instances?: number;
  /** The folders of these servers. */
  folders?: string[];
  /** Stops these servers. */
  stop?: () => Promise<void>;
}

/** Uses the servers at EVENTSTORE_URL and DATABASE_URL. Starts an embedded server for each variable that is not set. */
export default function setup(project: TestProject) {
  const { EVENTSTORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl } = process.env;
  return startStack(project, { ...(eventStoreUrl ? { eventStoreUrl } : {}), ...(databaseUrl ? { databaseUrl } : {}) });
}

/** Starts the product with sample data. Returns a function that stops the product and the given servers. */
export async function startStack(
  project: TestProject,
  { stop, folders = [], ...servers }: Servers,
): Promise<() => Promise<void>> {
  const stack = await startTestStack(project.name, {
    adminPassword: ADMIN_PASSWORD,
    samplePassword: SAMPLE_PASSWORD,
    sampleData: true,
    env: {
      // Tests send the IP address of a client in X-Forwarded-For.
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
