/** Tests which step of an import is displayed. */
import { describe, expect, it } from 'vitest';
import { stepToShow } from './steps.ts';

const NOTHING = { dataSet: false, file: false, columns: false, job: false };

describe('the steps of an import', () => {
  it('start with the first missing input', () => {
    expect(stepToShow(null, NOTHING)).toBe('target');
    expect(stepToShow(null, { ...NOTHING, dataSet: true })).toBe('file');
  });

  it('show the columns of a new file before they are accepted', () => {
    expect(stepToShow(null, { ...NOTHING, dataSet: true, file: true, columns: true })).toBe('columns');
  });

  it('go back on request, but not beyond the available input', () => {
    const known = { dataSet: true, file: true, columns: false, job: false };
    expect(stepToShow('file', known)).toBe('file');
    expect(stepToShow('options', known)).toBe('columns');
    expect(stepToShow('import', { ...known, columns: true })).toBe('options');
  });

  it('stay at the job once it was started', () => {
    expect(stepToShow('file', { dataSet: true, file: true, columns: true, job: true })).toBe('import');
  });
});
