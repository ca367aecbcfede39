import { defineConfig } from '@playwright/test';

const resultsFile = process.env['RESULTS_FILE'];

/** Browser tests: several users side by side on one embedded stack, in any Chromium of this machine. */
export default defineConfig({
  testDir: './browser',
  testMatch: '**/*.browser.ts',
  // These files take the pictures for the README, the help and the documentation, on request. They are no tests.
  testIgnore: [
    ...(process.env['PICTURES'] ? [] : ['**/pictures.browser.ts', '**/screens.browser.ts']),
    // `npm test` leaves these out; see the configuration of Vitest.
    ...(process.env['FAULTS'] ? [] : ['**/long/**']),
  ],
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
    // Recording traces costs a seventh of the time: `npm test` records one only for a file that it repeats or runs
    // alone.
    trace: 'off',
    screenshot: 'only-on-failure',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
  },
});
