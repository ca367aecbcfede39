/** Starts the product once for all browser tests, with the sample data. */
import { startTestStack } from '../test-stack.ts';

export const ADMIN_PASSWORD = 'Browser-admin-1';
export const SAMPLE_PASSWORD = 'Browser-sample-1';

/** If BASE_URL is set, the tests use the running product at this address, which must have the passwords above. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['BASE_URL']) return undefined;
  const stack = await startTestStack('browser', {
    adminPassword: ADMIN_PASSWORD,
    samplePassword: SAMPLE_PASSWORD,
    sampleData: true,
  });
  process.env['BASE_URL'] = stack.baseUrl;
  process.env['STACK_FOLDER'] = stack.dataDir;
  process.env['STACK_DATABASE_URL'] = stack.databaseUrl;
  return () => stack.stop();
}
