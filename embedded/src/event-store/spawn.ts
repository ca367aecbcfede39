/** Starts an event store in a process of its own, for tests and whoever supervises one. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connectionString, keepPassword } from './wire/password.ts';

export interface SpawnOptions {
  readonly dir: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly segmentSize?: number;
  /** Holds the password that the store requires from its clients; made where it is missing. None: it requires none. */
  readonly passwordFile?: string | undefined;
  /** By default what END_SLOW_SUBSCRIPTIONS says. */
  readonly endsSlowSubscriptions?: boolean | undefined;
  /** Another program to run in its place, with the same arguments and the same `ready` message. */
  readonly main?: string;
  /** Where its output goes; by default to this process' own. */
  readonly output?: 'inherit' | 'ignore' | 'pipe';
}

export interface EventStoreProcess {
  /** The connection string, with the password. */
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Ends it as an operator would, and resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a power cut would, but for the disk. */
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../dist/event-store.main.js', import.meta.url));

/** Rejects with what it wrote to its error output when it ends before it is ready. */
export async function startEventStoreProcess(options: SpawnOptions): Promise<EventStoreProcess> {
  const { dir, port = 0, segmentSize, passwordFile, endsSlowSubscriptions, main = MAIN, output = 'inherit' } = options;
  if (!existsSync(main)) throw new Error(`${main} is missing; build the workspaces first`);
  const args = ['--dir', dir, '--port', String(port)];
  if (segmentSize !== undefined) args.push('--segment-size', String(segmentSize));
  if (passwordFile !== undefined) args.push('--password-file', passwordFile);
  const child = fork(main, args, {
    stdio: ['ignore', output, output === 'inherit' ? 'inherit' : 'pipe', 'ipc'],
    // A test runner's own flags are not the store's.
    execArgv: [],
    env: {
      ...process.env,
      ...(endsSlowSubscriptions !== undefined && { END_SLOW_SUBSCRIPTIONS: endsSlowSubscriptions ? 'on' : 'off' }),
    },
  });
  let complaint = '';
  child.stderr?.on('data', (text) => {
    complaint += text;
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const serving = new Promise<number>((resolve) => {
    child.on('message', (message: { type: string; port: number }) => message.type === 'ready' && resolve(message.port));
  });
  const actual = await Promise.race([serving, exited.then(() => undefined)]);
  if (actual === undefined) {
    // The output may arrive after the exit.
    if (child.stderr && !child.stderr.readableEnded) await once(child.stderr, 'end');
    throw new Error(complaint.trim() || `the event store ended with code ${child.exitCode}`);
  }
  return {
    url: connectionString('127.0.0.1', actual, passwordFile && keepPassword(passwordFile)),
    port: actual,
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
