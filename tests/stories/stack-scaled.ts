/** The same stories on two instances of command-api, query-api and the projector behind one front door. */
import type { TestProject } from 'vitest/node';
import { begin } from './stack.ts';

export default (project: TestProject) => begin(project, { instances: 2 });
