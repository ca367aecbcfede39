/** Verifies an exported log against a signed head, without a running product or a database (`npm run verify-log`). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describePurge, SignedHead } from '@rdm/contracts';
import { InvalidSigningKey, keyIdOf } from '@rdm/platform';
import { interruption, progressPrinter, readTextFile, runScript, UsageError } from './maintenance/command-line.ts';
import { MaintenanceError } from './maintenance/errors.ts';
import { verifyLog } from './maintenance/verify-log.ts';

const USAGE = 'npm run verify-log -- <export> --head <file> --key <public key file> [--key <public key file>…]';

await runScript(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { head: { type: 'string' }, key: { type: 'string', multiple: true } },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name one export.');
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  if (values.head === undefined) throw new UsageError('Name the file of a signed head with --head.');
  if (values.key === undefined) throw new UsageError('Name the file of the public key with --key.');
  const head = parseHead(readTextFile(values.head, 'head'));
  const keys = values.key.map((name) => readPublicKey(name));
  const result = await verifyLog(path, { head, keys, signal: interruption(), onProgress: progressPrinter() });
  for (const purge of result.purges) console.log(`${purge.events} events: ${describePurge(purge)}`);
  for (const note of result.notes) console.log(`${note}.`);
  if (!result.intact) throw new MaintenanceError('LOG_BROKEN', result.summary);
  console.log(result.summary);
  console.log(`Chain hash ${head.chainHash} at event ${head.seq}, signed by the key ${head.keyId}`);
});

function parseHead(text: string): SignedHead {
  try {
    return SignedHead.parse(JSON.parse(text));
  } catch {
    throw new UsageError('The head file holds no signed head: export one on the page Audit logs.');
  }
}

function readPublicKey(name: string): string {
  const key = readTextFile(name, 'key');
  try {
    keyIdOf(key);
    return key;
  } catch (error) {
    if (!(error instanceof InvalidSigningKey)) throw error;
    throw new UsageError(`The key file ${name} holds no public Ed25519 key in PEM form.`);
  }
}
