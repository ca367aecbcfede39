/** Tests the scheduling priority of processes and sessions. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { setLeaderPriority } from './priority.ts';

const PROGRAM = fileURLToPath(new URL('./fixtures/lower-priority.mjs', import.meta.url));

/** Returns undefined if the thread has ended. */
function priorityOf(thread: number): number | undefined {
  try {
    return getPriority(thread);
  } catch {
    return undefined;
  }
}

it.runIf(process.platform === 'linux')('lowers the priority of every thread of the process', async () => {
  const child = fork(PROGRAM);
  try {
    await once(child, 'message');
    const threads = readdirSync(`/proc/${child.pid}/task`).map(Number);
    const priorities = threads.flatMap((thread) => priorityOf(thread) ?? []);
    expect(priorities.length).toBeGreaterThan(4);
    expect(priorities).toEqual(priorities.map(() => getPriority() + 3));
  } finally {
    child.kill();
  }
});

/** The niceness of the session of a process, for example 3 for `/autogroup-12 nice 3`. */
const sessionNiceness = (pid: number | 'self'): number =>
  Number(readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' ').at(-1));

describe.runIf(existsSync('/proc/self/autogroup'))('the priority of a session', () => {
  it('is lowered by the process that leads the session', async () => {
    const child = fork(PROGRAM, { detached: true });
    try {
      await once(child, 'message');
      await vi.waitFor(() => expect(sessionNiceness(child.pid ?? 0)).toBe(getPriority() + 3), 10_000);
    } finally {
      child.kill();
    }
  });

  it('is lowered from outside the session', async () => {
    const leader = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { detached: true });
    try {
      await once(leader, 'spawn');
      setLeaderPriority(leader.pid ?? 0, 5);
      await vi.waitFor(() => expect(sessionNiceness(leader.pid ?? 0)).toBe(5), 10_000);
    } finally {
      leader.kill();
    }
  });

  it('is not lowered by another process of the session', async () => {
    const before = sessionNiceness('self');
    const child = fork(PROGRAM);
    try {
      await once(child, 'message');
      expect(sessionNiceness(child.pid ?? 0)).toBe(before);
    } finally {
      child.kill();
    }
  });
});

it.runIf(process.platform === 'linux')('skips a thread that has ended since it was listed', async () => {
  const NO_THREAD = 2 ** 22 + 1;
  vi.resetModules();
  vi.doMock('node:fs', async (original) => ({ ...(await original<object>()), readdirSync: () => [String(NO_THREAD)] }));
  const { lowerPriority } = await import('./priority.ts');
  vi.doUnmock('node:fs');
  expect(() => lowerPriority(0)).not.toThrow();
});
