import { describe, expect, it } from 'vitest';
import { lastOpenStep, stepToShow } from './steps.ts';

const nothing = { file: false, content: false, job: false };
const read = { ...nothing, file: true };
const decided = { ...read, content: true };

describe('the step of an import', () => {
  it('is the file until it was read', () => {
    expect(stepToShow('check', nothing)).toBe('file');
  });
  it('is the content until nothing is open', () => {
    expect(stepToShow('check', read)).toBe('content');
    expect(lastOpenStep(decided)).toBe('check');
  });
  it('is the content of a file that was read, unless the address names another one', () => {
    expect(stepToShow(null, decided)).toBe('content');
    expect(stepToShow('file', decided)).toBe('file');
    expect(stepToShow('check', decided)).toBe('check');
  });
  it('is the result once the import has started', () => {
    expect(stepToShow('file', { ...decided, job: true })).toBe('result');
  });
});
