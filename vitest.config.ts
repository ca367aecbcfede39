import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './tests/suite/sequencer.mjs';

/**
 * Specs are beside the code. Stories send HTTP requests to the whole embedded stack. The conformance suite tests an event store
 * through its client. Fault checks kill running processes. `npm test` leaves out the folders `long`. `FAULTS=long` includes these
 * folders and runs all tests in their long form. `FAULTS=short` includes them and runs all tests in their short form.
 */
const isLong = process.env.FAULTS === 'long';
const exclude = [...configDefaults.exclude, ...(process.env.FAULTS ? [] : ['**/long/**'])];

const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'] } };

/**
 * In the conformance suite and the fault checks, event stores end slow live subscriptions, as EventStoreDB 23.10 does.
 * The event store of the product does not. `tests/test-stack.ts` sets this variable for the stacks of the stories.
 */
const env = { END_SLOW_SUBSCRIPTIONS: 'on' };

const slow = { testTimeout: 120_000, hookTimeout: 240_000, expect: { poll: { timeout: 20_000 } } };

const REVOCATION = 'tests/stories/scaled/revocation.spec.ts';

/** Stories that also run in containers, where the path of a command, jobs, sessions and revocation may behave differently. */
const containerStories = ['tests/stories/{commands,access,crosswalks,imports,signing-in}.spec.ts', REVOCATION];

/**
 * Stories that run on two instances of each service and on separate servers: those in the folder `scaled` and, with
 * `FAULTS=long`, some of those that run on the embedded stack.
 */
const scaledStories = [
  'tests/stories/scaled/*.spec.ts',
  ...(isLong ? ['tests/stories/{commands,access,signing-in,imports,notifications}.spec.ts'] : []),
];

/** Specs of the event store that also run while its log is scavenged. The spec of subscriptions is added for `FAULTS=long`. */
const scavengedSpecs = [
  'tests/conformance/{append,contention,delete,node,read,wire}.spec.ts',
  ...(isLong ? ['tests/conformance/subscribe.spec.ts'] : []),
];

/**
 * The stories in `tests/stories` and its folder `long` run on the embedded stack, those in `scaled` on two instances of
 * each service and on separate servers. With FAULTS=long, some run on both. With the variable CONTAINERS, some also run
 * in containers.
 */
const storyProjects = [
  { name: 'stories', stack: 'stack.ts', include: ['tests/stories/{,long/}*.spec.ts', ...(isLong ? [REVOCATION] : [])] },
  { name: 'stories scaled', stack: 'stack-scaled.ts', include: scaledStories },
  ...(process.env.CONTAINERS
    ? [{ name: 'stories in containers', stack: 'stack-containers.ts', include: containerStories }]
    : []),
].map(({ name, stack, include }) => ({
  resolve,
  ssr,
  test: {
    name,
    include,
    exclude,
    isolate: false,
    globalSetup: [`tests/stories/${stack}`],
    ...slow,
  },
}));

export default defineConfig({
  resolve,
  ssr,
  test: {
    // On two cores, a third worker computes while others wait for servers. A fourth worker would only slow the other workers down.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          exclude,
          isolate: false,
          include: [
            '{contracts,platform,command-api,projector,query-api,embedded}/src/**/*.spec.ts',
            'tests/history/*.spec.ts',
            'tests/suite/*.spec.mjs',
            // The stories of the projector run real projections on a real PostgreSQL, with a log in memory.
            'tests/stories/projector/**/*.spec.ts',
          ],
          ...slow,
        },
      },
      {
        extends: './web/vite.config.ts',
        resolve,
        test: {
          name: 'web',
          exclude,
          root: 'web',
          isolate: false,
          environment: 'happy-dom',
          setupFiles: ['src/testing/setup.ts'],
          include: ['src/**/*.spec.{ts,tsx}'],
          ...slow,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'conformance',
          exclude,
          isolate: false,
          env,
          include: ['tests/conformance/**/*.spec.ts'],
          ...slow,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'conformance scavenged',
          isolate: false,
          env: { ...env, CONFORMANCE_LOG: 'scavenged' },
          include: scavengedSpecs,
          ...slow,
        },
      },
      ...storyProjects,
      {
        resolve,
        ssr,
        test: {
          name: 'faults',
          isolate: false,
          env,
          include: ['tests/faults/**/*.spec.ts'],
          exclude,
          testTimeout: isLong ? 3_600_000 : 300_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
