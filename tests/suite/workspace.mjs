/** The temporary folder of one run of the suite, and the check that the run left no process and no file behind. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const MEMORY = '/dev/shm';
/** A run needs about 3 GiB at its peak. Memory is used only if this much is free: other programs need memory too. */
const NEEDED_BYTES = 8 * 2 ** 30;
/** Start of the name of the folder that remains when Playwright kills Chromium after a failed test. */
const CHROMIUM_FOLDER = '.org.chromium.Chromium.';
const EXIT_PATIENCE_MS = 10_000;

/**
 * Databases and logs of tests are in memory if the machine has enough memory, so that no test waits for a shared disk.
 */
function temporaryRoot() {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED_BYTES ? MEMORY : tmpdir();
}

/**
 * Creates the folder, which processes with the variables of `env` use. Stopped stacks write server logs to `logs`.
 * `close()` ends the remaining processes, removes the folder, and returns a line for each process, file or
 * folder that the run left behind.
 */
export function openWorkspace() {
  const folder = mkdtempSync(join(temporaryRoot(), 'rdm-suite-'));
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  const logs = join(folder, 'logs');
  const template = join(folder, 'cluster');
  return {
    logs,
    template,
    env: {
      TMPDIR: temporary,
      MACHINE_TMPDIR: tmpdir(),
      TEST_LOGS: logs,
      CLUSTER_TEMPLATE: template,
      // Playwright never removes the files that it compiled.
      PWTEST_CACHE_DIR: join(folder, 'playwright'),
    },
    async close({ isInterrupted = false } = {}) {
      const left = [
        ...(await processesLeft(temporary, isInterrupted)),
        ...readdirSync(temporary)
          .filter((name) => !name.startsWith(CHROMIUM_FOLDER))
          .map((name) => `folder ${name}`),
      ];
      rmSync(folder, { recursive: true, force: true });
      return left;
    },
  };
}

/**
 * Waits until the processes with the folder in their environment or command line have ended. Kills the processes that
 * still run after `EXIT_PATIENCE_MS`, and returns a line for each. Finds processes only on Linux.
 */
async function processesLeft(folder, isInterrupted) {
  if (process.platform !== 'linux') return [];
  let left = processesOf(folder);
  // PostgreSQL removes its shared memory after SIGINT, but not after SIGKILL.
  if (isInterrupted) for (const { pid } of left) sendSignal(pid, 'SIGINT');
  for (const end = Date.now() + EXIT_PATIENCE_MS; left.length > 0 && Date.now() < end; left = processesOf(folder))
    await pause(100);
  for (const { pid } of left) sendSignal(pid, 'SIGKILL');
  return left.map(({ pid, command }) => `process ${pid}: ${command}`);
}

function processesOf(folder) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const isOfRun = ['environ', 'cmdline'].some((file) =>
          readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder),
        );
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        // A process without a command line has ended and waits to be reaped.
        return isOfRun && command !== '' ? [{ pid: Number(pid), command }] : [];
      } catch {
        return []; // The process has ended meanwhile, or belongs to another user.
      }
    });
}

function sendSignal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
