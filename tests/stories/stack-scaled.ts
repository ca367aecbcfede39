/** Starts two instances of command-api, query-api and the projector, with a separate event store and PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { startPostgres } from '@rdm/embedded/postgres/postgres';
import type { TestProject } from 'vitest/node';
import { startStack } from './stack.ts';

export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'rdm-servers-'));
  const passwordFile = join(folder, 'password');
  const store = await startEventStoreProcess({ dir: join(folder, 'events'), passwordFile, output: 'ignore' });
  const postgres = await startPostgres({ dir: join(folder, 'postgres'), log: () => undefined });
  return startStack(project, {
    eventStoreUrl: store.url,
    databaseUrl: postgres.url,
    instances: 2,
    folders: [folder],
    stop: async () => {
      await store.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}
