import { defineConfig } from 'vitest/config';

/**
 * Specs sit beside the code; stories drive the whole embedded stack over HTTP; the conformance suite speaks to an
 * event store over the wire; faults kill what runs. `FAULTS=long` runs the faults in full.
 */
const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'] } };

const slow = { testTimeout: 60_000, hookTimeout: 120_000 };

/** The same stories on the embedded stack, on servers started separately, and in containers where `CONTAINERS` asks. */
const storyProjects = [
  { name: 'stories', stack: 'stack.ts' },
  { name: 'stories on separate servers', stack: 'stack-separate.ts' },
  ...(process.env.CONTAINERS ? [{ name: 'stories in containers', stack: 'stack-containers.ts' }] : []),
].map(({ name, stack }) => ({
  resolve,
  ssr,
  test: {
    name,
    include: ['tests/stories/*.spec.ts'],
    globalSetup: [`tests/stories/${stack}`],
    fileParallelism: false,
    ...slow,
  },
}));

export default defineConfig({
  resolve,
  ssr,
  test: {
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: [
            '{contracts,platform,command-api,projector,query-api,embedded}/src/**/*.spec.ts',
            'tests/history/*.spec.ts',
            // The projector's own stories: real projections on a real PostgreSQL, fed by a log in memory.
            'tests/stories/projector/*.spec.ts',
          ],
          ...slow,
        },
      },
      {
        extends: './web/vite.config.ts',
        resolve,
        test: { name: 'web', root: 'web', environment: 'happy-dom', include: ['src/**/*.spec.{ts,tsx}'] },
      },
      { resolve, ssr, test: { name: 'conformance', include: ['tests/conformance/**/*.spec.ts'], ...slow } },
      ...storyProjects,
      {
        resolve,
        ssr,
        test: {
          name: 'faults',
          include: ['tests/faults/**/*.spec.ts'],
          fileParallelism: false,
          testTimeout: process.env.FAULTS === 'long' ? 3_600_000 : 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
