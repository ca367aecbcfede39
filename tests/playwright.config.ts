import { defineConfig } from '@playwright/test';

const resultsFile = process.env['RESULTS_FILE'];

/** The browser tests: several users work on one embedded stack at the same time. `chromium.ts` chooses the browser. */
export default defineConfig({
  testDir: './browser',
  testMatch: '**/*.browser.ts',
  testIgnore: [
    // With PICTURES, these two files take the pictures for the README, the help and the documentation.
    ...(process.env['PICTURES'] ? [] : ['**/pictures.browser.ts', '**/screens.browser.ts']),
    // `npm test` leaves out the folders `long`, as vitest.config.ts describes.
    ...(process.env['FAULTS'] ? [] : ['**/long/**']),
  ],
  outputDir: '../test-results/browser',
  globalSetup: './browser/stack.ts',
  fullyParallel: false,
  // Files can run in parallel because they use separate data.
  workers: 3,
  retries: 0,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ...(resultsFile ? [['json', { outputFile: resultsFile }] as const] : [])],
  use: {
    // Traces cost a seventh of the time: `npm test` records them only for repeated files and for few selected files.
    trace: 'off',
    screenshot: 'only-on-failure',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
  },
});
