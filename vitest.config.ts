import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './tests/suite/sequencer.mjs';

/**
 * Specs are beside the code. Stories send HTTP requests to a stack. Conformance tests use an event store through its
 * client. Fault checks kill processes. `npm test` leaves out the folders `long`. `FAULTS=long` runs all tests in their
 * long form, and `FAULTS=short` in their short form.
 */
const isLong = process.env.FAULTS === 'long';
const exclude = [...configDefaults.exclude, ...(process.env.FAULTS ? [] : ['**/long/**'])];

const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'] } };

/**
 * In conformance tests and fault checks, event stores end slow live subscriptions, as EventStoreDB 23.10 does. The
 * event store of the product does not. `tests/test-stack.ts` sets this variable for stories.
 */
const env = { END_SLOW_SUBSCRIPTIONS: 'on' };

const slow = { testTimeout: 120_000, hookTimeout: 240_000, expect: { poll: { timeout: 20_000 } } };

const REVOCATION = 'tests/stories/scaled/revocation.spec.ts';

/** Stories that also run in containers, where commands, jobs, sessions and revocation may behave differently. */
const containerStories = ['tests/stories/{commands,access,crosswalks,imports,signing-in}.spec.ts', REVOCATION];

/** Stories that run on two instances of each service, with a separate event store and PostgreSQL. */
const scaledStories = [
  'tests/stories/scaled/*.spec.ts',
  ...(isLong ? ['tests/stories/{commands,access,signing-in,imports,notifications}.spec.ts'] : []),
];

/** Conformance tests that also run while the log is scavenged. */
const scavengedSpecs = [
  'tests/conformance/{append,contention,delete,node,read,wire}.spec.ts',
  ...(isLong ? ['tests/conformance/subscribe.spec.ts'] : []),
];

/** One project per stack: embedded, scaled and, if the variable CONTAINERS is set, containers. */
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
    // On two cores, a third worker computes while others wait for servers. A fourth worker makes runs slower.
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
