/**
 * Restores a backup for the running product. A separate process fills new stores while the product serves. Then the
 * product stops, and starts again with the new stores.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningRestore } from '@rdm/contracts';
import { programUrl } from '@rdm/platform/service/programs';
import { sendStartingPage } from '../front-door/starting-page.ts';
import { deletePreparedFolders } from '../maintenance/restore/complete.ts';
import { deferred } from './deferred.ts';
import type { ProcessRecord } from './leftovers.ts';
import { end, identify } from './running-processes.ts';
import { writePrivately } from './secrets.ts';
import type { Settings } from './settings.ts';

/** The request for a restore that the maintenance process sends. */
export interface RestoreRequest {
  fileName: string;
  /** The file of the backup. */
  path: string;
  passphrase?: string | undefined;
  /** If false, users whose password the restore sets back must choose a new one. */
  keepPasswords: boolean;
}

/** The outcome of the last restore that an administrator requested on the page. */
export interface RestoreOutcome {
  fileName: string;
  at: string;
  /** Why the restore was refused, failed or was cancelled. Null if it succeeded. */
  problem: string | null;
}

/** Messages between the launcher, the maintenance process and the process that restores. */
export type RestoreMessage =
  | { type: 'restore'; request: RestoreRequest }
  /** Sent to the maintenance process: the restore that is filling its stores; null for none. */
  | { type: 'restoring'; restoring: RunningRestore | null }
  | { type: 'progress'; progress: number }
  | { type: 'filled' }
  | { type: 'stopped' };

const outcomeFile = (dataDir: string): string => join(dataDir, 'last-restore.json');

export const readRestoreOutcome = (dataDir: string): RestoreOutcome | null =>
  existsSync(outcomeFile(dataDir)) ? JSON.parse(readFileSync(outcomeFile(dataDir), 'utf8')) : null;

/** A restore whose new stores are filled. */
export interface FilledRestore {
  /**
   * Completes the restore, while the public port shows the starting page. The caller must have stopped the product and
   * released its lock. A failure is recorded and does not reject: the old data remain, or the next start completes the
   * restore.
   */
  complete(): Promise<void>;
}

export interface Restores {
  /** Handles the requests of a maintenance process. */
  follow(maintenance: ChildProcess): void;
  /** Resolves when a restore has filled its stores. The product must then stop. */
  filled: Promise<FilledRestore>;
  /** Cancels the current restore, unless it is `except`. Resolves when the process of the restore has ended. */
  stop(except: FilledRestore | undefined): Promise<void>;
}

export interface RestoresOptions {
  settings: Settings;
  env: NodeJS.ProcessEnv;
  print: (line: string) => void;
  processes: ProcessRecord;
}

/** Runs the restores that administrators request, one at a time. */
export function openRestores({ settings, env, print, processes }: RestoresOptions): Restores {
  const { dataDir, host, port, publicUrl } = settings;
  const filled = deferred<FilledRestore>();
  let maintenance: ChildProcess | undefined;
  let restoring: RunningRestore | null = null;
  let current: { restore: FilledRestore; cancel(): Promise<void> } | undefined;

  const printError = (error: unknown) => print(`  ${error instanceof Error ? error.message : String(error)}`);

  function report(state: RunningRestore | null): void {
    restoring = state;
    if (maintenance?.connected) send(maintenance, { type: 'restoring', restoring });
  }

  function begin({ fileName, path, passphrase, keepPasswords }: RestoreRequest): void {
    print(`Restoring ${fileName}: the product serves until the new data are ready`);
    const options = [
      ...(passphrase === undefined ? [] : ['--passphrase-file', '-']),
      ...(keepPasswords ? ['--keep-passwords'] : []),
    ];
    const script = fileURLToPath(programUrl('embedded/dist/restore.main.js'));
    const args = ['--from', path, '--replace', '--while-serving', ...options];
    const child = fork(script, args, { env, execArgv: [], silent: true });
    const { pid } = child;
    if (pid !== undefined) processes.add('restore', pid);
    child.stdin?.on('error', () => {}); // the end of the process is handled below
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
    let isStopped = false;
    const ended = exitCodeOf(child).then(async (code) => {
      if (pid !== undefined) processes.remove(pid);
      // If the product has stopped, the next start deletes the prepared folders or completes the restore.
      if (!isStopped) await deletePreparedFolders(dataDir).catch(printError);
      const problem =
        code === 0 ? null : (lines.findLast((line) => !line.startsWith(' ')) ?? 'The restore ended early.');
      const outcome: RestoreOutcome = { fileName, at: new Date().toISOString(), problem };
      writePrivately(outcomeFile(dataDir), `${JSON.stringify(outcome)}\n`);
      current = undefined;
      report(null);
    });
    ended.catch(printError);
    const restore: FilledRestore = {
      async complete() {
        isStopped = true;
        const placeholder = createServer((request, response) => {
          sendStartingPage(request, response, publicUrl, 'restoring');
        });
        placeholder.listen(port, host);
        await once(placeholder, 'listening');
        try {
          if (child.connected) send(child, { type: 'stopped' });
          await ended;
        } finally {
          placeholder.close();
          placeholder.closeAllConnections();
        }
      },
    };
    child.on('message', (message: RestoreMessage) => {
      if (message.type === 'progress') report({ fileName, progress: message.progress });
      if (message.type === 'filled') filled.resolve(restore);
    });
    const cancel = async () => {
      const identity = pid === undefined ? undefined : identify(pid);
      if (identity) await end(identity, [['SIGTERM', CANCEL_MS]]);
      await ended;
    };
    current = { restore, cancel };
    report({ fileName, progress: 0 });
  }

  return {
    filled: filled.promise,
    follow(child) {
      maintenance = child;
      if (restoring) report(restoring);
      child.on('message', (message: RestoreMessage | null) => {
        if (message?.type === 'restore' && current === undefined) begin(message.request);
      });
    },
    async stop(except) {
      if (current && current.restore !== except) await current.cancel();
    },
  };
}

/** Time that a cancelled restore has to stop its servers. */
const CANCEL_MS = 30_000;

/** Resolves with the exit code after the output has ended; null if the process was killed or did not start. */
const exitCodeOf = (child: ChildProcess): Promise<number | null> =>
  once(child, 'close').then(
    ([code]) => code as number | null,
    () => null,
  );

/** Sends a message. Ignores errors, because the process can end at this moment. */
const send = (child: ChildProcess, message: RestoreMessage): void => void child.send(message, () => {});
