import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './tests/suite/sequencer.mjs';

/**
 * Specs are beside the code. Stories send HTTP requests to the whole embedded stack. The conformance suite is a client of an
 * event store. Fault checks kill processes that run. `npm test` leaves out the folders `long`: `FAULTS=long` runs them too and all
 * tests in their long form, `FAULTS=short` runs them in their short form.
 */
const isLong = process.env.FAULTS === 'long';
const exclude = [...configDefaults.exclude, ...(process.env.FAULTS ? [] : ['**/long/**'])];

const resolve = { conditions: ['source'] };
const ssr = { resolve: { conditions: ['source'] } };

/** Event stores that tests start end slow live subscriptions, as EventStoreDB does up to 23.10; the product's does not. */
const env = { END_SLOW_SUBSCRIPTIONS: 'on' };

const slow = { testTimeout: 120_000, hookTimeout: 240_000, expect: { poll: { timeout: 20_000 } } };

const REVOCATION = 'tests/stories/scaled/revocation.spec.ts';

/** Stories that also run in containers: the whole path of a command, jobs, sessions and revocation may differ there. */
const acrossServers = ['tests/stories/{commands,access,crosswalks,imports,signing-in}.spec.ts', REVOCATION];

/**
 * Stories of several instances of each service on separate servers, and of the revocation, which `npm test` runs there alone.
 * Stories of other parts run there too with `FAULTS=long`.
 */
const acrossInstances = [
  'tests/stories/scaled/*.spec.ts',
  ...(isLong ? ['tests/stories/{commands,access,signing-in,imports,notifications}.spec.ts'] : []),
];

/** Specs of an event store that also run on a log that is scavenged meanwhile; those of subscriptions for `FAULTS=long`. */
const scavenged = [
  'tests/conformance/{append,contention,delete,node,read,wire}.spec.ts',
  ...(isLong ? ['tests/conformance/subscribe.spec.ts'] : []),
];

/** All stories on the embedded stack; some of them again on two instances of each service and separate servers, and in containers on request. */
const storyProjects = [
  { name: 'stories', stack: 'stack.ts', include: ['tests/stories/{,long/}*.spec.ts', ...(isLong ? [REVOCATION] : [])] },
  { name: 'stories scaled', stack: 'stack-scaled.ts', include: acrossInstances },
  ...(process.env.CONTAINERS
    ? [{ name: 'stories in containers', stack: 'stack-containers.ts', include: acrossServers }]
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
    // Two cores: a third worker computes while others wait for servers; a fourth would only slow the others down.
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
            // The projector's own stories: real projections on a real PostgreSQL, fed by a log in memory.
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
          include: scavenged,
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
