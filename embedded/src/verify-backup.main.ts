/** Verifies entries, chain and signature of a backup without a running product (`npm run verify-backup`). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadSigningKey, signingKeyPath } from '@rdm/platform';
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
import { verifyFile } from './maintenance/verify-file.ts';

const USAGE = 'npm run verify-backup -- <file> [--passphrase-file <file>] [--key <public key file>] [--trust-file-key]';

await runScript(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'passphrase-file': { type: 'string' },
      key: { type: 'string' },
      'trust-file-key': { type: 'boolean', default: false },
    },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name one file.');
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  const passphrase = readPassphrase(values['passphrase-file']);
  const trustedKeys = values.key === undefined ? ownKeys() : [readTextFile(values.key, 'key')];
  const { header, trailer, bytes, encrypted, isKeyTrusted } = await verifyFile(path, {
    ...{ passphrase, trustedKeys, trustFileKey: values['trust-file-key'], signal: interruption() },
    onProgress: progressPrinter(),
  });
  const kind = encrypted ? 'encrypted' : 'not encrypted';
  console.log(`Intact: ${trailer.events} events, ${sizeText(bytes)}, ${kind}, made ${header.createdAt}`);
  const trust = isKeyTrusted ? '' : ', which is known only from this file';
  const { cut, keyId } = trailer;
  console.log(`Chain hash ${cut.chainHash} at event ${cut.seq}; signed by the key ${keyId}${trust}`);
});

/** Returns the public key of the installation on this machine, if there is one. */
function ownKeys(): string[] {
  const path = process.env['AUDIT_SIGNING_KEY'] || signingKeyPath(readSettings(process.env).dataDir);
  return existsSync(path) ? [loadSigningKey(path).publicKey] : [];
}
