import { defineConfig } from '@playwright/test';

const resultsFile = process.env['RESULTS_FILE'];

/** Browser stories: people side by side on one embedded stack, in whichever Chromium this machine has. */
export default defineConfig({
  testDir: './browser',
  testMatch: '**/*.browser.ts',
  // The pictures of the README are taken on request; they tell nothing about right or wrong.
  testIgnore: process.env['PICTURES'] ? [] : ['**/pictures.browser.ts'],
  outputDir: '../test-results/browser',
  globalSetup: './browser/stack.ts',
  fullyParallel: false,
  // People of different files keep to data of their own.
  workers: 3,
  retries: 0,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ...(resultsFile ? [['json', { outputFile: resultsFile }] as const] : [])],
  use: {
    // A trace of every step takes a seventh of the time: `npm test` records one where a file runs again, or alone.
    trace: 'off',
    screenshot: 'only-on-failure',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
  },
});
