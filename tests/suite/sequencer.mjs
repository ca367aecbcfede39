/** Orders the test files so that no long file starts last: projects with the longest files run first. */
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
 * Files whose work grows with the data of all files, such as a backup of the whole log. These files run first in their
 * project, in this order.
 */
const WHOLE_LOG = [
  'permissions',
  'api-document',
  'backup',
  'log-proof',
  'long/log-proof',
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
      const index = WHOLE_LOG.findIndex((path) => moduleId.endsWith(path));
      return PROJECTS.indexOf(project.name) + (index < 0 ? 0 : (index + 1) / (WHOLE_LOG.length + 1) - 1);
    };
    // The sort is stable: files of a project remain in the base order by failures, durations and sizes.
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
