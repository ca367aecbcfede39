/** Starts the built product with its launcher, in a temporary folder, for tests that restart the whole product. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@rdm/embedded/launcher/ports';
import { programUrl } from '@rdm/platform/service/programs';

/** Time within which the product starts even on a busy machine, in milliseconds. */
export const START_MS = 180_000;

export interface LaunchedProduct {
  baseUrl: string;
  dataDir: string;
  /** The output of all launchers so far. */
  output(): string;
  untilServing(): Promise<void>;
  /** Ends the launcher with the signal, and starts another launcher on the same folder. */
  restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Stops the product and removes its folder. */
  stop(): Promise<void>;
}

export async function launchProduct(
  name: string,
  adminPassword: string,
  env: NodeJS.ProcessEnv = {},
): Promise<LaunchedProduct> {
  const dataDir = mkdtempSync(join(tmpdir(), `rdm-${name}-`));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const script = fileURLToPath(programUrl('embedded/dist/launcher.main.js'));
  let output = '';
  function start(): ChildProcess {
    const started = spawn(process.execPath, [script], {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        PORT: String(port),
        DATA_DIR: dataDir,
        ADMIN_PASSWORD: adminPassword,
        SAMPLE_DATA: 'off',
        ...env,
      },
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (text) => {
        output += text;
      });
    }
    return started;
  }
  let launcher = start();
  const isServing = () =>
    fetch(`${baseUrl}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  return {
    baseUrl,
    dataDir,
    output: () => output,
    async untilServing() {
      const deadline = Date.now() + START_MS;
      while (!(await isServing())) {
        if (launcher.exitCode !== null || Date.now() > deadline)
          throw new Error(`The product does not serve:\n${output}`);
        await pause(200);
      }
    },
    async restart(signal) {
      launcher.kill(signal);
      await once(launcher, 'exit');
      launcher = start();
    },
    async stop() {
      launcher.kill('SIGTERM');
      if (launcher.exitCode === null) await once(launcher, 'exit');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
