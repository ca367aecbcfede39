import { defineConfig } from 'vitest/config';

/** Unit specs sit beside the code; stories drive the embedded stack over HTTP and run one file at a time. */
const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'] } };

export default defineConfig({
  resolve,
  ssr,
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: ['{contracts,platform,command-api,projector,query-api,embedded,web}/src/**/*.spec.{ts,tsx}'],
          pool: 'threads',
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'stories',
          include: ['tests/stories/**/*.spec.ts'],
          globalSetup: ['tests/stories/stack.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
