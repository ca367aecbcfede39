/** Restores a backup for the running product: it is stopped, a process of its own restores the data, and it starts again. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programUrl } from '@rdm/platform/service/programs';
import { sendStartingPage } from '../front-door/starting-page.ts';
import { writePrivately } from './secrets.ts';
import type { Settings } from './settings.ts';

/** The request of the maintenance process. */
export interface RestoreRequest {
  fileName: string;
  /** The file of the backup. */
  path: string;
  passphrase?: string | undefined;
  /** Users who changed their password after the backup need not choose a new one. */
  keepPasswords: boolean;
}

/** The outcome of the last restore that was requested on the page. */
export interface RestoreOutcome {
  fileName: string;
  at: string;
  /** Why it was refused or failed; nothing was changed then. */
  problem: string | null;
}

const outcomeFile = (dataDir: string): string => join(dataDir, 'last-restore.json');

export const readRestoreOutcome = (dataDir: string): RestoreOutcome | null =>
  existsSync(outcomeFile(dataDir)) ? JSON.parse(readFileSync(outcomeFile(dataDir), 'utf8')) : null;

/** Resolves with the request of a maintenance process. */
export function onRestoreRequest(child: ChildProcess, resolve: (request: RestoreRequest) => void): void {
  child.on('message', (message) => {
    if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'restore') return;
    resolve((message as unknown as { request: RestoreRequest }).request);
  });
}

/**
 * Restores the backup into the data folder of the stopped product, whose lock the caller has released. Meanwhile the port
 * answers that the data are being restored. Records the outcome; nothing is changed if it is a problem.
 */
export async function restoreStopped(
  { settings, env, print }: { settings: Settings; env: NodeJS.ProcessEnv; print: (line: string) => void },
  { fileName, path, passphrase, keepPasswords }: RestoreRequest,
): Promise<void> {
  const { dataDir, host, port, publicUrl } = settings;
  const placeholder = createServer((request, response) => sendStartingPage(request, response, publicUrl, 'restoring'));
  placeholder.listen(port, host);
  await once(placeholder, 'listening');
  try {
    print(`Restoring ${fileName}`);
    const script = fileURLToPath(programUrl('embedded/dist/restore.main.js'));
    const options = [
      ...(passphrase === undefined ? [] : ['--passphrase-file', '-']),
      ...(keepPasswords ? ['--keep-passwords'] : []),
    ];
    const child = fork(script, ['--from', path, '--replace', ...options], { env, execArgv: [], silent: true });
    child.stdin?.end(passphrase ?? '');
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        for (const line of bytes.toString().split('\n').filter(Boolean)) {
          lines.push(line);
          print(`  ${line}`);
        }
      });
    }
    const [code] = (await once(child, 'close')) as [number | null];
    const problem = code === 0 ? null : (lines.findLast((line) => !line.startsWith(' ')) ?? 'The restore ended early.');
    const outcome: RestoreOutcome = { fileName, at: new Date().toISOString(), problem };
    writePrivately(outcomeFile(dataDir), `${JSON.stringify(outcome)}\n`);
  } finally {
    placeholder.close();
    placeholder.closeAllConnections();
  }
}
