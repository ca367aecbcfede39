/** Orders the test files so that no long one begins last: projects whose files take longest come first. */
import { BaseSequencer } from 'vitest/node';

const PROJECTS = [
  'faults',
  'stories in containers',
  'stories on separate servers',
  'stories',
  'conformance',
  'unit',
  'web',
];

export default class LongestFirst extends BaseSequencer {
  async sort(files) {
    const place = ({ project }) => PROJECTS.indexOf(project.name);
    // The base order is by size within a project; this sort keeps it.
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
