/** Starts the whole product once for all browser stories, with the sample data a newcomer sees. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@rdm/embedded/stack';

export const ADMIN_PASSWORD = 'Browser-admin-1';
export const SAMPLE_PASSWORD = 'Browser-sample-1';

/** A product that already runs, with the passwords above, is used where BASE_URL names it. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['BASE_URL']) return undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'rdm-browser-'));
  const stack = await startStack({
    dataDir,
    adminPassword: ADMIN_PASSWORD,
    samplePassword: SAMPLE_PASSWORD,
    sampleData: true,
    log: process.env['VERBOSE'] ? console.log : () => {},
  });
  process.env['BASE_URL'] = stack.baseUrl;
  return async () => {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
