/** Orders the test files so that no long one starts last: projects whose files take longest come first. */
import { BaseSequencer } from 'vitest/node';

const PROJECTS = [
  'faults',
  'stories in containers',
  'stories scaled',
  'stories',
  'conformance scavenged',
  'conformance',
  'unit',
  'web',
];

/**
 * Files that search all tables, verify the whole log or rebuild every read model: they run first among the files that share
 * their stack, because all of that grows with what the other files write.
 */
const WHOLE_LOG = [
  'graphs',
  'api-key-secrets',
  'mass-assignment',
  'users',
  'api-keys',
  'crosswalks',
  'point-in-time',
].map((name) => `/tests/stories/${name}.spec.ts`);

export default class LongestFirst extends BaseSequencer {
  async sort(files) {
    const place = ({ project, moduleId }) => {
      const isEarly = WHOLE_LOG.some((path) => moduleId.endsWith(path));
      return PROJECTS.indexOf(project.name) - (isEarly ? 0.5 : 0);
    };
    // The base order is by size; this sort keeps it within a project.
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
