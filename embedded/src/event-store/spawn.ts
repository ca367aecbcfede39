/** Starts an event store in its own process, for tests and supervisors. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { programUrl } from '@rdm/platform/service/programs';
import { connectionString, readOrCreatePassword } from './wire/password.ts';

export interface SpawnOptions {
  readonly dir: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly segmentSize?: number;
  /**
   * File with the password that the store requires from clients; created if it does not exist. Undefined: no password is
   * required.
   */
  readonly passwordFile?: string | undefined;
  /** Defaults to END_SLOW_SUBSCRIPTIONS. */
  readonly endsSlowSubscriptions?: boolean | undefined;
  /** How long scavenges rest, as `scavengeRest` of the server. */
  readonly scavengeRest?: number;
  /** Another program to run instead, with the same arguments and the same `ready` message. */
  readonly main?: string;
  /** Where its output goes; defaults to the output of this process. */
  readonly output?: 'inherit' | 'ignore' | 'pipe';
}

export interface EventStoreProcess {
  /** The connection string, with the password. */
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Stops it as an operator would, and resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Kills it as a power cut would, except for the disk. */
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(programUrl('embedded/dist/event-store.main.js'));

/** Rejects with its error output when it ends before it is ready. */
export async function startEventStoreProcess(options: SpawnOptions): Promise<EventStoreProcess> {
  const { dir, port = 0, segmentSize, passwordFile, endsSlowSubscriptions, main = MAIN, output = 'inherit' } = options;
  if (!existsSync(main)) throw new Error(`${main} is missing; build the workspaces first`);
  const args = ['--dir', dir, '--port', String(port)];
  if (segmentSize !== undefined) args.push('--segment-size', String(segmentSize));
  if (options.scavengeRest !== undefined) args.push('--scavenge-rest', String(options.scavengeRest));
  if (passwordFile !== undefined) args.push('--password-file', passwordFile);
  const child = fork(main, args, {
    stdio: ['ignore', output, output === 'inherit' ? 'inherit' : 'pipe', 'ipc'],
    // A test runner's flags are not meant for the store.
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
