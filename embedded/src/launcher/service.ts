/** Starts and stops the parts that are Node.js programs of this repository, and detects when each part is ready. */
import { type ChildProcess, fork } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessRecord } from './leftovers.ts';
import { type PartLog, RUN_START } from './part-log.ts';
import { end, identify } from './running-processes.ts';
import type { Exit, Part, Run } from './supervisor.ts';

export type Service = {
  name: string;
  needs: string[];
  /** The file of the program. */
  script: string;
  /** Returns the arguments. Called at every start, because some values are unknown before. */
  args?: () => string[];
  env?: () => NodeJS.ProcessEnv;
  /** The service is ready when this address answers 200, or when its process sends this message. */
  ready: { url: string } | { message: string };
  /** Called with each new process, to send it messages. */
  onStart?: (child: ChildProcess) => void;
};

/** Must be longer than the 10 s that a service has to finish its requests. */
const STOP_TIMEOUT_MS = 15_000;

/** Returns a part that runs a service as a process with an IPC channel. Every service exits when the channel closes. */
export function servicePart(service: Service, log: PartLog, record: ProcessRecord): Part {
  const { name, needs, script, args, env, ready, onStart } = service;
  return {
    name,
    needs,
    async start(): Promise<Run> {
      log.write(`${RUN_START} ${new Date().toISOString()} starting ${script}`);
      const child = fork(script, args?.() ?? [], {
        env: env?.() ?? process.env,
        execArgv: [],
        silent: true,
        // A separate session: Ctrl-C in the terminal reaches only the launcher, which stops the parts in order.
        detached: process.platform !== 'win32',
      });
      const { pid, stdout, stderr } = child;
      child.on('error', (error) => log.write(error.message));
      if (pid === undefined || stdout === null || stderr === null) throw new Error(`${script} could not be started`);
      const exited = exitOf(child);
      log.follow(stdout, stderr);
      record.add(name, pid);
      exited.then(() => record.remove(pid));
      onStart?.(child);
      return {
        pid,
        exited,
        ready:
          'url' in ready
            ? waitUntilServing(ready.url, exited)
            : waitForMessage(child, ready.message).then(() => undefined),
        refused: waitForMessage(child, 'refused').then(({ reason }) => String(reason)),
        stop: () => stop(child, exited),
      };
    },
  };
}

/**
 * Returns a part for a service in the process of a host part, which starts the service on request. Both parts end and
 * restart together.
 */
export function hostedPart(service: Service & { ready: { url: string } }, host: () => Promise<ChildProcess>): Part {
  const { name, needs, script, env, ready } = service;
  return {
    name,
    needs,
    async start(): Promise<Run> {
      const child = await host();
      const { pid } = child;
      if (pid === undefined) throw new Error(`${script} could not be started`);
      const exited = exitOf(child);
      // The callback ignores errors: if the process exits, both parts restart, and this part sends the message again.
      child.send({ type: 'host-query-api', script, env: env?.() ?? process.env }, () => {});
      return { pid, exited, ready: waitUntilServing(ready.url, exited), stop: () => stop(child, exited) };
    },
  };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', async (code, signal) => {
      // The last output of the process may still be arriving.
      await Promise.race([new Promise((closed) => child.once('close', closed)), pause(500)]);
      resolve({ code, signal });
    });
  });
}

type Message = { type: string; reason?: unknown };

function waitForMessage(child: ChildProcess, type: string): Promise<Message> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (typeof message !== 'object' || message === null || !('type' in message)) return;
      if (message.type === type) resolve(message as Message);
    });
  });
}

/** Resolves when the address answers 200. Never resolves if the process ends first. */
async function waitUntilServing(url: string, exited: Promise<Exit>): Promise<void> {
  let hasExited = false;
  exited.then(() => {
    hasExited = true;
  });
  while (!hasExited) {
    if ((await statusOf(url)) === 200) return;
    await pause(50);
  }
  await new Promise<never>(() => {});
}

/** Returns the HTTP status of an address; 0 after an error, or without an answer within two seconds. */
export function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

const stopping = new WeakMap<ChildProcess, Promise<void>>();

/** Stops a process. A process of two parts gets only one signal, because a second signal would end it immediately. */
async function stop(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  const self = child.pid === undefined ? undefined : identify(child.pid);
  if (self !== undefined && child.exitCode === null) {
    const ending = stopping.get(child) ?? end(self, [['SIGTERM', STOP_TIMEOUT_MS]]);
    stopping.set(child, ending);
    await ending;
  }
  await exited;
}
