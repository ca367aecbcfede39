/** Tests which step of an import is displayed. */
import { describe, expect, it } from 'vitest';
import { lastOpenStep, stepToShow } from './steps.ts';

const NOTHING_DONE = { file: false, content: false, job: false };
const fileRead = { ...NOTHING_DONE, file: true };
const contentComplete = { ...fileRead, content: true };

describe('the displayed step of an import', () => {
  it('is the step File until the file is read', () => {
    expect(stepToShow('check', NOTHING_DONE)).toBe('file');
  });
  it('is the step Content instead of Check until the content is complete', () => {
    expect(stepToShow('check', fileRead)).toBe('content');
    expect(lastOpenStep(contentComplete)).toBe('check');
  });
  it('is the step that the URL requests, or Content without a request', () => {
    expect(stepToShow(null, contentComplete)).toBe('content');
    expect(stepToShow('file', contentComplete)).toBe('file');
    expect(stepToShow('check', contentComplete)).toBe('check');
  });
  it('is the step Result after the import has started', () => {
    expect(stepToShow('file', { ...contentComplete, job: true })).toBe('result');
  });
});
