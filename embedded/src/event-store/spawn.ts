/** Starts an event store in its own process, for tests and supervisors. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programUrl } from '@rdm/platform/service/programs';
import { connectionString, readOrCreatePassword } from './wire/password.ts';

export interface SpawnOptions {
  readonly dir: string;
  /** The port to listen on; 0 (the default) for any free port. */
  readonly port?: number;
  readonly segmentSize?: number;
  /**
   * The file with the password that the store requires from clients; it is created if it does not exist. If undefined,
   * the store requires no password.
   */
  readonly passwordFile?: string | undefined;
  /** Whether the store ends slow subscriptions; by default the setting END_SLOW_SUBSCRIPTIONS. */
  readonly endsSlowSubscriptions?: boolean | undefined;
  /** The pause of a scavenge after each piece of work, in durations of the piece. */
  readonly scavengePauseFactor?: number;
  /**
   * The program to run, by default the event store. It must take the same arguments and send the same `ready` message.
   */
  readonly main?: string;
  /**
   * Where the standard output of the store goes; by default to that of this process. Unless `inherit`, the error output
   * is collected for the error of a failed start.
   */
  readonly output?: 'inherit' | 'ignore' | 'pipe';
}

export interface EventStoreProcess {
  /** The connection string, with the password. */
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Stops the store with a signal, like an operator, and resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Kills the store at once. Unlike a power cut, this loses no data that the operating system has received. */
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(programUrl('embedded/dist/event-store.main.js'));

/**
 * Starts a store. Rejects if the process ends before the store is ready: with the collected error output or, without
 * such output, with the exit code.
 */
export async function startEventStoreProcess(options: SpawnOptions): Promise<EventStoreProcess> {
  const { dir, port = 0, segmentSize, passwordFile, endsSlowSubscriptions, main = MAIN, output = 'inherit' } = options;
  if (!existsSync(main)) throw new Error(`${main} is missing; build the workspaces first`);
  const args = ['--dir', dir, '--port', String(port)];
  if (segmentSize !== undefined) args.push('--segment-size', String(segmentSize));
  if (options.scavengePauseFactor !== undefined) args.push('--scavenge-rest', String(options.scavengePauseFactor));
  if (passwordFile !== undefined) args.push('--password-file', passwordFile);
  const child = fork(main, args, {
    stdio: ['ignore', output, output === 'inherit' ? 'inherit' : 'pipe', 'ipc'],
    // Do not pass the Node.js flags of a test runner to the store.
    execArgv: [],
    env: {
      ...process.env,
      ...(endsSlowSubscriptions !== undefined && { END_SLOW_SUBSCRIPTIONS: endsSlowSubscriptions ? 'on' : 'off' }),
    },
  });
  let errorOutput = '';
  child.stderr?.on('data', (text) => {
    errorOutput += text;
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const ready = new Promise<number>((resolve) => {
    child.on('message', (message: { type: string; port: number }) => message.type === 'ready' && resolve(message.port));
  });
  const boundPort = await Promise.race([ready, exited.then(() => undefined)]);
  if (boundPort === undefined) {
    // The output may arrive after the exit.
    if (child.stderr && !child.stderr.readableEnded) await once(child.stderr, 'end');
    throw new Error(errorOutput.trim() || `the event store ended with code ${child.exitCode}`);
  }
  return {
    url: connectionString('127.0.0.1', boundPort, passwordFile && readOrCreatePassword(passwordFile)),
    port: boundPort,
    child,
    async stop() {
      child.kill('SIGTERM');
      return (await exited)[0];
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
