/** Starts the product with a sign-in provider, for the tests of single sign-on. */
import { freePort } from '@rdm/embedded/launcher/ports';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { CLIENT_ID, PROVIDER, ROLE_CLAIM, type SsoProvider, startProvider } from './provider.ts';

export const ADMIN_PASSWORD = 'Single-admin-1';

export interface SsoStack {
  stack: TestStack;
  baseUrl: string;
  provider: SsoProvider;
  stop: () => Promise<void>;
}

export async function startWithProvider(): Promise<SsoStack> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const provider = await startProvider(baseUrl);
  const stack = await startTestStack('sso', {
    port,
    adminPassword: ADMIN_PASSWORD,
    env: {
      SSO_PROVIDER: PROVIDER,
      SSO_ISSUER: provider.issuer,
      SSO_CLIENT_ID: CLIENT_ID,
      SSO_ROLE_CLAIM: ROLE_CLAIM,
      ADMIN_EMAIL: 'it@example.com',
      // Tests send different addresses in X-Forwarded-For, because refused sign-ins are counted per address.
      TRUST_FORWARDED: 'on',
    },
  });
  return {
    stack,
    baseUrl,
    provider,
    stop: async () => {
      await stack.stop();
      await provider.stop();
    },
  };
}
