/** Starts the whole product once for all browser stories, with the sample data a newcomer sees. */
import { startTestStack } from '../test-stack.ts';

export const ADMIN_PASSWORD = 'Browser-admin-1';
export const SAMPLE_PASSWORD = 'Browser-sample-1';

/** A product that already runs, with the passwords above, is used where BASE_URL names it. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['BASE_URL']) return undefined;
  const stack = await startTestStack('browser', {
    adminPassword: ADMIN_PASSWORD,
    samplePassword: SAMPLE_PASSWORD,
    sampleData: true,
  });
  process.env['BASE_URL'] = stack.baseUrl;
  process.env['STACK_FOLDER'] = stack.dataDir;
  return () => stack.stop();
}
