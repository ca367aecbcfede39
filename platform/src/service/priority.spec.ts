/** Tests the scheduling priority of processes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';

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

it.runIf(process.platform === 'linux')('skips a thread that has ended since it was listed', async () => {
  const NO_THREAD = 2 ** 22 + 1;
  vi.resetModules();
  vi.doMock('node:fs', () => ({ readdirSync: () => [String(NO_THREAD)] }));
  const { lowerPriority } = await import('./priority.ts');
  vi.doUnmock('node:fs');
  expect(() => lowerPriority(0)).not.toThrow();
});
