import { describe, expect, it } from 'vitest';
import { lastOpenStep, stepToShow } from './steps.ts';

const nothing = { file: false, content: false, job: false };
const fileRead = { ...nothing, file: true };
const decided = { ...fileRead, content: true };

describe('the displayed step of an import', () => {
  it('is the file until the file was read', () => {
    expect(stepToShow('check', nothing)).toBe('file');
  });
  it('is the content while questions are unanswered', () => {
    expect(stepToShow('check', fileRead)).toBe('content');
    expect(lastOpenStep(decided)).toBe('check');
  });
  it('is the content when all questions are answered, unless the URL names another step', () => {
    expect(stepToShow(null, decided)).toBe('content');
    expect(stepToShow('file', decided)).toBe('file');
    expect(stepToShow('check', decided)).toBe('check');
  });
  it('is the result after the import has started', () => {
    expect(stepToShow('file', { ...decided, job: true })).toBe('result');
  });
});
