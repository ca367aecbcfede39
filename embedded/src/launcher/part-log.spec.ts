/** Tests the log files of parts: rotation by size, recent lines, detection of warnings, and the last error. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isWarning, lastErrorMessage, partLog, RUN_START } from './part-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the log of a part', () => {
  it('is rotated by size, and the oldest files are deleted', () => {
    const log = partLog(folder, 'store', undefined, 20);
    for (let line = 1; line <= 9; line++) log.write(`line ${line} ...`);
    const content = (suffix: string) => readFileSync(join(folder, `store.log${suffix}`), 'utf8');
    expect(['', '.1', '.2', '.3'].map(content)).toEqual([
      'line 9 ...\n',
      'line 8 ...\n',
      'line 7 ...\n',
      'line 6 ...\n',
    ]);
    expect(existsSync(join(folder, 'store.log.4'))).toBe(false);
  });

  it('continues the file of the previous run', () => {
    partLog(folder, 'store').write('before');
    partLog(folder, 'store').write('after');
    expect(readFileSync(join(folder, 'store.log'), 'utf8')).toBe('before\nafter\n');
  });

  it('keeps the last lines in memory', () => {
    const log = partLog(folder, 'store');
    for (let line = 1; line <= 100; line++) log.write(`line ${line}`);
    expect(log.lastLines(2)).toEqual(['line 99', 'line 100']);
  });

  it('reports once that the file cannot be written, and does not fail', () => {
    const echoed: string[] = [];
    const log = partLog(folder, 'store', (line) => echoed.push(line));
    rmSync(folder, { recursive: true });
    log.write('one');
    log.write('two');
    expect(echoed).toEqual(['one', expect.stringMatching(/^ERROR .*cannot be written/), 'two']);
  });
});

describe('a line of the log', () => {
  it.each([
    '{"level":40,"msg":"slow"}',
    '{"level":50,"msg":"failed"}',
    '2026-01-01 00:00:00 UTC [7] FATAL:  role does not exist',
    'TypeError: x is not a function',
  ])('is a warning: %s', (line) => expect(isWarning(line)).toBe(true));

  it.each(['{"level":30,"msg":"no ERROR here"}', 'LOG:  database system is ready', 'ready'])(
    'is no warning: %s',
    (line) => expect(isWarning(line)).toBe(false),
  );
});

describe('the last error', () => {
  const error = '{"level":50,"service":"x","msg":"The \\"store\\" is away."}';

  it('is the message of the last structured error', () =>
    expect(
      lastErrorMessage(['{"level":60,"msg":"earlier"}', error, '{"level":30,"msg":"Stopping"}', 'at x.js:1']),
    ).toBe('The "store" is away.'));

  it('is undefined if only an earlier run logged an error', () =>
    expect(lastErrorMessage([error, `${RUN_START} starting`])).toBeUndefined());

  it.each(['TypeError: x', '{"level":40,"msg":"slow"}', '{"level":50,"msg":'])('is undefined for the line %s', (line) =>
    expect(lastErrorMessage([line])).toBeUndefined(),
  );
});
