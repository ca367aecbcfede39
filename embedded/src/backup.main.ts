/** `npm run backup`: writes a backup of the product, running or stopped, into a folder. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '@rdm/platform/service/programs';
import { DirectoryInUse } from './launcher/lock.ts';
import { readSettings } from './launcher/settings.ts';
import { createBackup } from './maintenance/backup.ts';
import {
  interruption,
  progressPrinter,
  readPassphrase,
  runScript,
  sizeText,
  UsageError,
} from './maintenance/command-line.ts';
import { requestBackupOfRunningProduct } from './maintenance/running-product.ts';
import { openStoppedProduct } from './maintenance/stopped-product.ts';

await runScript('npm run backup -- --to <folder> [--passphrase-file <file>]', async () => {
  const { values } = parseArgs({ options: { to: { type: 'string' }, 'passphrase-file': { type: 'string' } } });
  if (!values.to) throw new UsageError('Name the folder for the backup with --to.');
  const folder = resolve(values.to);
  const passphrase = readPassphrase(values['passphrase-file']);
  const signal = interruption();
  const settings = readSettings(process.env);
  const stores = await openStoppedProduct(settings, process.env).catch((error: unknown) => {
    if (error instanceof DirectoryInUse) return undefined; // the product is running
    throw error;
  });
  if (stores === undefined) {
    const { dataDir } = settings;
    const backupDir = process.env['BACKUP_DIR'] ? resolve(process.env['BACKUP_DIR']) : join(dataDir, 'backups');
    const { path, backup } = await requestBackupOfRunningProduct({ dataDir, backupDir, folder, passphrase, signal });
    console.log(`${path}: ${sizeText(backup.file?.bytes ?? 0)}, ${backup.file?.events} events`);
    return;
  }
  try {
    const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string };
    const { pool, source, signingKeyFile, sessionSecret } = stores;
    const backup = await createBackup({
      ...{ folder, pool, source, signingKeyFile, sessionSecret, passphrase, signal },
      productVersion: version,
      // The backup need not leave time for other work, because the product is stopped.
      pauseFactor: 0,
      onProgress: progressPrinter(),
    });
    console.log(`${join(folder, backup.fileName)}: ${sizeText(backup.bytes)}, ${backup.events} events`);
    console.log(`SHA-256 ${backup.sha256}, signed by the key ${backup.keyId}`);
    if (!backup.encrypted) {
      console.log('The backup is not encrypted, and therefore does not contain the signing key.');
      console.log('Use --passphrase-file to encrypt it and include the key.');
    }
  } finally {
    await stores.close();
  }
});
