import { defineConfig } from '@playwright/test';

/** Browser stories: two people side by side on one embedded stack, in whichever Chromium this machine has. */
export default defineConfig({
  testDir: './browser',
  testMatch: '**/*.browser.ts',
  outputDir: '../test-results/browser',
  globalSetup: './browser/stack.ts',
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: '../test-results/playwright.json' }]],
  use: { trace: 'retain-on-failure' },
});
