/** Restores a backup and kills itself at a step: `<file> <data folder> serving|stopped <step> [<store>]`. */
import { join } from 'node:path';
import { lockDirectory } from '@rdm/embedded/launcher/lock';
import { readSettings } from '@rdm/embedded/launcher/settings';
import { restoreBackup } from '@rdm/embedded/maintenance/restore/restore';
import { loadSigningKey, signingKeyPath } from '@rdm/platform';

const [file = '', dataDir = '', state, step, store] = process.argv.slice(2);
lockDirectory(dataDir);
await restoreBackup({
  settings: readSettings({ DATA_DIR: dataDir }),
  env: {},
  file,
  backupDir: join(dataDir, 'backups'),
  replace: true,
  withPurged: false,
  requireNewPasswords: true,
  passphrase: undefined,
  safetyPassphrase: undefined,
  trustedKeys: [loadSigningKey(signingKeyPath(dataDir)).publicKey],
  trustFileKey: false,
  // With `serving`, the restore builds the read models before it stops the product, as for a running product.
  stopProduct: state === 'serving' ? async () => {} : undefined,
  productVersion: '0.1.0',
  signal: new AbortController().signal,
  onStep(reached, reachedStore) {
    if (reached === step && reachedStore === store) process.kill(process.pid, 'SIGKILL');
  },
});
