/**
 * A Vitest reporter that writes one JSON file (RESULTS_FILE): for each test file, its console output, and its tests
 * with their times and errors.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export default class ResultsReporter {
  #vitest;
  /** Console output by test file. */
  #output = new Map();

  onInit(vitest) {
    this.#vitest = vitest;
  }

  onUserConsoleLog({ taskId, content }) {
    const file = this.#vitest.state.idMap.get(taskId)?.file?.filepath;
    if (file !== undefined) this.#output.set(file, (this.#output.get(file) ?? '') + content);
  }

  onTestRunEnd(modules, unhandled) {
    const root = this.#vitest.config.root;
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    const files = modules.map((module) => ({
      project: module.project.name,
      file: relative(root, module.moduleId),
      ms: Math.round(module.diagnostic().duration),
      output: this.#output.get(module.moduleId) ?? '',
      errors: [
        ...module.errors(),
        ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
        // Vitest adds the file that ran when the unhandled error occurred.
        ...unhandled.filter((error) => error.VITEST_TEST_PATH === module.moduleId),
      ].map(textOf),
      tests: [...module.children.allTests()].map((test) => ({
        title: test.fullName,
        state: test.result().state,
        startedAt: test.diagnostic()?.startTime,
        ms: test.diagnostic()?.duration ?? 0,
        errors: (test.result().errors ?? []).map(textOf),
      })),
    }));
    const errors = unhandled.filter((error) => !ran.has(error.VITEST_TEST_PATH)).map(textOf);
    writeFileSync(process.env.RESULTS_FILE, JSON.stringify({ files, errors }));
  }
}

function textOf({ name = 'Error', message, stack = '', diff }) {
  const text = stack.includes(message) ? stack : `${name}: ${message}\n${stack}`;
  return stripVTControlCharacters(diff === undefined ? text : `${text}\n\n${diff}`);
}
