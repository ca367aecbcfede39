/** Specifies which step of an import is shown. */
import { describe, expect, it } from 'vitest';
import { stepToShow } from './steps.ts';

const NOTHING = { dataSet: false, file: false, columns: false, job: false };

describe('the steps of an import', () => {
  it('begin with what is not known yet', () => {
    expect(stepToShow(null, NOTHING)).toBe('target');
    expect(stepToShow(null, { ...NOTHING, dataSet: true })).toBe('file');
  });

  it('show the columns of a new file before they are taken as they are', () => {
    expect(stepToShow(null, { ...NOTHING, dataSet: true, file: true, columns: true })).toBe('columns');
  });

  it('go back where one asks, but never beyond what is known', () => {
    const known = { dataSet: true, file: true, columns: false, job: false };
    expect(stepToShow('file', known)).toBe('file');
    expect(stepToShow('options', known)).toBe('columns');
    expect(stepToShow('import', { ...known, columns: true })).toBe('options');
  });

  it('stay with the job once it was started', () => {
    expect(stepToShow('file', { dataSet: true, file: true, columns: true, job: true })).toBe('import');
  });
});
