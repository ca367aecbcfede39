/** Starts the whole product once for all stories; stories keep out of each other's way by collection. */
import { BULK_ANSWER_ROWS } from '@rdm/contracts';
import type { TestProject } from 'vitest/node';
import { startTestStack } from '../test-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string;
    databaseUrl: string;
    eventStoreUrl: string;
    /** Where the servers started here keep what they write: databases, event log and log files. */
    folders: string[];
  }
}

export const ADMIN_PASSWORD = 'Story-admin-1';
/** Jobs of few rows say the same as jobs of many: `FAULTS=long` keeps the product's own limit. */
export const ANSWERED_ROWS = process.env['FAULTS'] === 'long' ? BULK_ANSWER_ROWS : 1_000;
export const SAMPLE_PASSWORD = 'Story-sample-1';

/** Servers that run already, in place of the embedded ones the launcher would start. */
export interface Servers {
  eventStoreUrl?: string;
  databaseUrl?: string;
  /** How often command-api, query-api and the projector run. */
  instances?: number;
  folders?: string[];
  stop?: () => Promise<void>;
}

/** EVENTSTORE_URL and DATABASE_URL name servers that run already; the embedded ones are started otherwise. */
export default function setup(project: TestProject) {
  const { EVENTSTORE_URL: eventStoreUrl, DATABASE_URL: databaseUrl } = process.env;
  return startStack(project, { ...(eventStoreUrl ? { eventStoreUrl } : {}), ...(databaseUrl ? { databaseUrl } : {}) });
}

/** Starts the product on the servers given, with its sample data; what it returns stops everything. */
export async function startStack(
  project: TestProject,
  { stop, folders = [], ...servers }: Servers,
): Promise<() => Promise<void>> {
  const stack = await startTestStack(project.name, {
    adminPassword: ADMIN_PASSWORD,
    samplePassword: SAMPLE_PASSWORD,
    sampleData: true,
    env: {
      // Stories say which address somebody comes from.
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
