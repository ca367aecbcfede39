import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./fixtures/lower-priority.mjs', import.meta.url));

it.runIf(process.platform === 'linux')('lowers the priority of every thread of the process', async () => {
  const child = fork(PROGRAM);
  try {
    await once(child, 'message');
    const threads = readdirSync(`/proc/${child.pid}/task`).map(Number);
    expect(threads.length).toBeGreaterThan(4);
    expect(threads.map((thread) => getPriority(thread))).toEqual(threads.map(() => getPriority() + 3));
  } finally {
    child.kill();
  }
});
