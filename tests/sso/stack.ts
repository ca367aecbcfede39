/** The product with a sign-in provider beside it: what the stories of single sign-on run on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@rdm/embedded/ports';
import { type Stack, startStack } from '@rdm/embedded/stack';
import { CLIENT_ID, PROVIDER, ROLE_CLAIM, type SsoProviderStand, startProvider } from './provider.ts';

export const ADMIN_PASSWORD = 'Single-admin-1';

export interface SsoStand {
  stack: Stack;
  baseUrl: string;
  provider: SsoProviderStand;
  stop: () => Promise<void>;
}

export async function startWithProvider(): Promise<SsoStand> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rdm-sso-'));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const provider = await startProvider(baseUrl);
  const stack = await startStack({
    dataDir,
    port,
    adminPassword: ADMIN_PASSWORD,
    env: {
      SSO_PROVIDER: PROVIDER,
      SSO_ISSUER: provider.issuer,
      SSO_CLIENT_ID: CLIENT_ID,
      SSO_ROLE_CLAIM: ROLE_CLAIM,
      ADMIN_EMAIL: 'it@example.com',
    },
    log: process.env['VERBOSE'] ? console.log : () => {},
  });
  return {
    stack,
    baseUrl,
    provider,
    stop: async () => {
      await stack.stop();
      await provider.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
