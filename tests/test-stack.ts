/** Starts the product for tests in a temporary folder, and keeps the server logs for the report of failed tests. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Stack, type StackOptions, startStack } from '@rdm/embedded/stack';

export interface TestStack extends Stack {
  dataDir: string;
}

/** A killed part restarts without limit, after 50 ms. With FAULTS=long, it restarts after the product's pauses. */
const restartOptions = {
  maxFailures: Number.POSITIVE_INFINITY,
  ...(process.env['FAULTS'] !== 'long' && { backoff: () => 50 }),
};

const log = process.env['VERBOSE'] ? console.log : () => {};

/**
 * Starts a stack. `name` is the project or the test file, without its ending, that uses the stack: the report of a
 * failed test finds the logs by this name. `stop()` also removes the folder of the stack.
 */
export async function startTestStack(name: string, options: Omit<StackOptions, 'dataDir'>): Promise<TestStack> {
  const dataDir = mkdtempSync(join(tmpdir(), `rdm-${name.replaceAll(' ', '-')}-`));
  const remove = () => {
    keepLogs(dataDir, name);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    // With this setting, the embedded event store ends slow subscriptions, as EventStoreDB does up to version 23.10.
    const env = { END_SLOW_SUBSCRIPTIONS: 'on', ...options.env };
    const stack = await startStack({ ...restartOptions, ...options, env, dataDir, log });
    const stop = async () => {
      await stack.stop();
      remove();
    };
    return { ...stack, dataDir, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Copies the logs of a data directory to the folder TEST_LOGS, which is set during a run of the suite. */
export function keepLogs(dataDir: string, name: string): void {
  const targetFolder = process.env['TEST_LOGS'];
  const logs = join(dataDir, 'logs');
  if (targetFolder && existsSync(logs)) cpSync(logs, join(targetFolder, name, basename(dataDir)), { recursive: true });
}
