/** Restores a backup into an empty EventStoreDB and an empty database of the operator. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPool, type Pool, signingKeyPath } from '@rdm/platform';
import { readOrCreateSecrets } from '../../launcher/secrets.ts';
import { MaintenanceError } from '../errors.ts';
import { fingerprintOf } from '../signature.ts';
import { SCHEMAS } from '../tables.ts';
import { verifyFile } from '../verify-file.ts';
import { markFirstStartDone } from './complete.ts';
import { fillStores } from './fill-stores.ts';
import { requireKnownSchema } from './new-database.ts';
import { purgesInLedger, requireNothingPurged } from './purged-since.ts';
import { correctStores, type PhaseProgress, type RestoreOptions, type RestoreResult } from './restore.ts';
import { openServerLog, requireSameChain } from './server-log.ts';

export type ServerRestoreOptions = Omit<
  RestoreOptions,
  'replace' | 'requireNewPasswords' | 'safetyPassphrase' | 'stopProduct' | 'onStep' | 'freeSpace'
> & {
  databaseUrl: string;
  eventStoreUrl: string;
};

/**
 * Rejects with a `MaintenanceError` for a refusal, with the error of a server, or with the reason of the signal. If a
 * restore failed after its first write, the operator must empty both servers: a restore refuses servers with data of
 * the product.
 */
export async function restoreIntoServers(options: ServerRestoreOptions): Promise<RestoreResult> {
  const { settings, env, file, databaseUrl, eventStoreUrl, signal, onProgress } = options;
  const { passphrase, trustedKeys, trustFileKey } = options;
  const verified = await verifyFile(file, {
    ...{ passphrase, trustedKeys, trustFileKey, signal },
    ...(onProgress && { onProgress: ({ done, total }) => onProgress({ phase: 'verifying', done, total }) }),
  });
  requireKnownSchema(verified.header);
  if (!options.withPurged) requireNothingPurged(await purgesInLedger(options.backupDir), verified.trailer);
  const pool = createPool(databaseUrl, { max: 2, name: 'restore' });
  try {
    await requireNoTables(pool);
    const { dataDir } = settings;
    const sessionSecret = env['SESSION_SECRET'] || readOrCreateSecrets(dataDir).sessionSecret;
    const log = await openServerLog(eventStoreUrl);
    try {
      const fill = {
        ...{ file, passphrase, signal },
        onProgress: onProgress && ((progress: PhaseProgress) => onProgress({ phase: 'restoring', ...progress })),
      };
      const stores = { url: databaseUrl, pool, log, onKey: (pem: string) => keepKey(dataDir, pem) };
      const filled = await fillStores(fill, stores, verified);
      await correctStores(options, stores, verified, {
        ...{ filled, live: undefined },
        secretFingerprint: fingerprintOf(sessionSecret),
      });
    } finally {
      await log.close();
    }
    await requireSameChain(eventStoreUrl, verified.trailer.cut, signal);
    markFirstStartDone(dataDir);
    return { trailer: verified.trailer, safety: undefined };
  } finally {
    await pool.end();
  }
}

async function requireNoTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname = ANY($1) LIMIT 1`,
    [[...SCHEMAS, 'platform', 'cache']],
  );
  if (rows[0] === undefined) return;
  const message = `The database holds tables of the product already, such as ${rows[0].name}. Set DATABASE_URL to an empty database: a restore replaces no data on your own servers.`;
  throw new MaintenanceError('DATA_EXIST', message);
}

/** Stores the signing key from an encrypted backup, unless the data folder has a signing key already. */
function keepKey(dataDir: string, pem: string): void {
  const path = signingKeyPath(dataDir);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, pem, { mode: 0o600, flush: true });
}
