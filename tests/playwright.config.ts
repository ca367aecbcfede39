import { defineConfig } from '@playwright/test';

const resultsFile = process.env['RESULTS_FILE'];

/** Browser tests: several users side by side on one embedded stack, in any Chromium of this machine. */
export default defineConfig({
  testDir: './browser',
  testMatch: '**/*.browser.ts',
  // Pictures for the README, the help and the documentation are taken on request; they are no tests.
  testIgnore: process.env['PICTURES'] ? [] : ['**/pictures.browser.ts', '**/screens.browser.ts'],
  outputDir: '../test-results/browser',
  globalSetup: './browser/stack.ts',
  fullyParallel: false,
  // Tests of different files use separate data.
  workers: 3,
  retries: 0,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ...(resultsFile ? [['json', { outputFile: resultsFile }] as const] : [])],
  use: {
    // A trace of every step takes a seventh of the time: `npm test` records one for a file that runs again, or alone.
    trace: 'off',
    screenshot: 'only-on-failure',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
  },
});
