/** Starts a migrated PostgreSQL for a spec. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, migrate, type Pool } from '@rdm/platform';

interface EmbeddedPostgres {
  startPostgres(options: { dir: string; log: (line: string) => void }): Promise<{ url: string; stop(): Promise<void> }>;
}

export async function startDatabase(): Promise<{ pool: Pool; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'rdm-spec-'));
  chmodSync(folder, 0o700);
  // Imported by path, because the package of command-api has no dependency on embedded.
  const embedded = new URL('../../../embedded/src/postgres/postgres.ts', import.meta.url).pathname;
  const server = await ((await import(embedded)) as EmbeddedPostgres).startPostgres({
    dir: join(folder, 'pg'),
    log: () => {},
  });
  await migrate(server.url);
  const pool = createPool(server.url, { max: 4, statementTimeoutMs: 10_000 });
  return {
    pool,
    async stop() {
      await pool.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
