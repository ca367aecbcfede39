/** Starts the launcher on one data folder, which is removed after the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@rdm/embedded/launcher/ports';
import { programUrl } from '@rdm/platform/service/programs';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { keepLogs } from '../../test-stack.ts';
import { Administrator, PASSWORD } from './administrator.ts';

const LAUNCHER = fileURLToPath(programUrl('embedded/dist/launcher.main.js'));

export let dataDir: string;
export let administrator: Administrator;
let port: number;
const launched = new Set<ChildProcess>();

/** Prepares a data folder and its administrator before the first test; kills launchers that still run after a test. */
export function useLauncher(): void {
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'rdm-launcher-'));
    port = await freePort();
    administrator = new Administrator(`http://127.0.0.1:${port}`);
  });
  afterEach(() => {
    for (const launcher of launched) launcher.kill('SIGKILL');
  });
  afterAll(() => {
    keepLogs(dataDir, 'launcher');
    rmSync(dataDir, { recursive: true, force: true });
  });
}

/** Starts the launcher as `npm start` does after its build, and waits until the product serves. */
export async function launch(settings: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
  const defaults = { DATA_DIR: dataDir, PORT: String(port), ADMIN_PASSWORD: PASSWORD, SAMPLE_DATA: 'off' };
  const launcher = spawn(process.execPath, [LAUNCHER], {
    env: { ...process.env, ...defaults, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launched.add(launcher);
  launcher.once('exit', () => launched.delete(launcher));
  const lines: string[] = [];
  launcher.stderr.on('data', (text) => lines.push(String(text)));
  for await (const line of createInterface({ input: launcher.stdout })) {
    lines.push(line);
    if (!line.startsWith('Ready in ')) continue;
    launcher.stdout.resume();
    return launcher;
  }
  throw new Error(`The launcher ended before it served:\n${lines.join('\n')}`);
}
