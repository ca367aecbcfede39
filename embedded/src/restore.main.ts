/**
 * Restores a backup into the data folder of the stopped product, or into empty servers of the operator (`npm run
 * restore`). With `--while-serving`, fills new stores for the launcher while the product serves.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadSigningKey, lowerPriority, signingKeyPath } from '@rdm/platform';
import { ROOT } from '@rdm/platform/service/programs';
import { endOrphanedProcesses } from './launcher/leftovers.ts';
import { lockDirectory } from './launcher/lock.ts';
import { readSettings } from './launcher/settings.ts';
import {
  interruption,
  progressPrinter,
  readPassphrase,
  readTextFile,
  runScript,
  sizeText,
  UsageError,
} from './maintenance/command-line.ts';
import { NICENESS } from './maintenance/niceness.ts';
import { restoreBackup } from './maintenance/restore/restore.ts';
import { restoreIntoServers } from './maintenance/restore/restore-servers.ts';

const USAGE =
  'npm run restore -- --from <file> [--replace] [--with-purged] [--keep-passwords] [--passphrase-file <file>] [--key <public key file>] [--trust-file-key]';

/** The progress that was last sent to the launcher, in percent. */
let lastSentProgress = -1;

await runScript(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      replace: { type: 'boolean', default: false },
      'with-purged': { type: 'boolean', default: false },
      'keep-passwords': { type: 'boolean', default: false },
      'passphrase-file': { type: 'string' },
      key: { type: 'string' },
      'trust-file-key': { type: 'boolean', default: false },
      // Used only by the launcher: the product serves until the new stores are filled.
      'while-serving': { type: 'boolean', default: false },
    },
  });
  if (!values.from) throw new UsageError('Name the file of the backup with --from.');
  const file = resolve(values.from);
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
  const passphrase = readPassphrase(values['passphrase-file']);
  const settings = readSettings(process.env);
  const { dataDir } = settings;
  const keyFile = settings.auditSigningKey ?? signingKeyPath(dataDir);
  const ownKeys = existsSync(keyFile) ? [loadSigningKey(keyFile).publicKey] : [];
  const signal = interruption();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const isServing = values['while-serving'];
  if (isServing && !process.send) throw new UsageError('Only the running product can use --while-serving.');
  let release = isServing ? undefined : lockDirectory(dataDir);

  /** Has the launcher stop the product and release the lock of the data folder; then locks the folder. */
  async function stopProduct(): Promise<void> {
    process.send?.({ type: 'filled' });
    await once(process, 'message', { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    release = lockDirectory(dataDir);
  }

  try {
    if (isServing) lowerPriority(NICENESS);
    else await endOrphanedProcesses(join(dataDir, 'processes.json'), console.log);
    const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string };
    const options = {
      ...{ settings, env: process.env, file, passphrase, signal },
      backupDir: process.env['BACKUP_DIR'] ? resolve(process.env['BACKUP_DIR']) : join(dataDir, 'backups'),
      trustedKeys: values.key === undefined ? ownKeys : [readTextFile(values.key, 'key')],
      trustFileKey: values['trust-file-key'],
      withPurged: values['with-purged'],
      productVersion: version,
      onProgress: isServing ? sendProgress : progressPrinter(),
    };
    const { databaseUrl, eventStoreUrl } = settings;
    const { trailer, safety } =
      databaseUrl !== undefined && eventStoreUrl !== undefined
        ? await restoreIntoServers({ ...options, databaseUrl, eventStoreUrl })
        : await restoreBackup({
            ...options,
            replace: values.replace,
            requireNewPasswords: !values['keep-passwords'],
            safetyPassphrase: readPassphrase(),
            stopProduct: isServing ? stopProduct : undefined,
          });
    console.log(`Restored ${trailer.events} events. Start the product: all users sign in again.`);
    if (safety) console.log(`The replaced data are in ${safety.fileName}, ${sizeText(safety.bytes)}`);
  } finally {
    release?.();
  }
});

/** Sends the progress in percent to the launcher, which passes the progress on to the page. */
function sendProgress({ phase, done, total }: { phase: string; done: number; total: number }): void {
  const index = ['verifying', 'restoring', 'read models'].indexOf(phase);
  if (index < 0) return;
  const progress = Math.floor((100 * (index + (total === 0 ? 1 : done / total))) / 3);
  if (progress === lastSentProgress) return;
  lastSentProgress = progress;
  process.send?.({ type: 'progress', progress });
}
