/** A part that is a Node.js program of this repository: how it is started, when it serves, and how it is ended. */
import { type ChildProcess, fork } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessRecord } from './leftovers.ts';
import type { PartLog } from './part-log.ts';
import { end, identify } from './running-processes.ts';
import type { Exit, Part, Run } from './supervisor.ts';

export type Service = {
  name: string;
  needs: string[];
  /** The program's file. */
  script: string;
  /** Asked at every start, so that it can hold what is known only then. */
  args?: () => string[];
  env?: () => NodeJS.ProcessEnv;
  /** It serves when this address answers 200, or when it sends this message. */
  ready: { url: string } | { message: string };
  /** Told of each new process, for what has to be said to it. */
  onStart?: (child: ChildProcess) => void;
};

/** Longer than the 10 s a service may take to finish its requests. */
const STOP_TIMEOUT_MS = 15_000;

/** The channel it is started with is also its lifeline: every service ends itself when that closes. */
export function servicePart(service: Service, log: PartLog, record: ProcessRecord): Part {
  const { name, needs, script, args, env, ready, onStart } = service;
  return {
    name,
    needs,
    async start(): Promise<Run> {
      log.write(`--- ${new Date().toISOString()} starting ${script}`);
      const child = fork(script, args?.() ?? [], {
        env: env?.() ?? process.env,
        execArgv: [],
        silent: true,
        // A session of its own: Ctrl-C in the terminal is for the launcher, which stops the parts in their order.
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
 * A service that lives in the process of another part, which is told to begin it: with that process it ends and begins anew.
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
      child.send({ type: 'house', script, env: env?.() ?? process.env }, () => {}); // one that ends just now is told anew
      return { pid, exited, ready: waitUntilServing(ready.url, exited), stop: () => stop(child, exited) };
    },
  };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', async (code, signal) => {
      // Its last words may still be on their way.
      await Promise.race([new Promise((closed) => child.once('close', closed)), pause(500)]);
      resolve({ code, signal });
    });
  });
}

type Message = { type: string; reason?: unknown };

function waitForMessage(child: ChildProcess, wanted: string): Promise<Message> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (typeof message !== 'object' || message === null || !('type' in message)) return;
      if (message.type === wanted) resolve(message as Message);
    });
  });
}

/** Settles when the address answers 200; never, when the process ends before. */
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

/** The status with which an address answers; 0 where nothing answers within two seconds. */
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

/** A process with two parts is told once: a second signal would end it at once. */
async function stop(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  const self = child.pid === undefined ? undefined : identify(child.pid);
  if (self !== undefined && child.exitCode === null) {
    const ending = stopping.get(child) ?? end(self, [['SIGTERM', STOP_TIMEOUT_MS]]);
    stopping.set(child, ending);
    await ending;
  }
  await exited;
}
