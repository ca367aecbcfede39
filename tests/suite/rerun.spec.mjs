/** Specifies what two runs of one test file come to. */
import { describe, expect, it } from 'vitest';
import { compareRuns, OUTSIDE } from './rerun.mjs';

const passes = (title) => ({ title, passed: true });
const fails = (title) => ({ title, passed: false });

describe('two runs of a test file', () => {
  it('call a test unstable that failed once, and count it as passed', () => {
    expect(compareRuns([fails('a'), passes('b')], [passes('a'), passes('b')])).toEqual({
      passed: 2,
      failed: [],
      unstable: ['a'],
    });
  });
  it('call a test failed that failed twice', () => {
    expect(compareRuns([fails('a'), passes('b')], [fails('a'), passes('b')])).toEqual({
      passed: 1,
      failed: ['a'],
      unstable: [],
    });
  });
  it('call a test unstable that fails only in the second run', () => {
    expect(compareRuns([fails('a'), passes('b')], [passes('a'), fails('b')])).toEqual({
      passed: 2,
      failed: [],
      unstable: ['a', 'b'],
    });
  });
  it('call a failed test failed when the second run does not reach it', () => {
    expect(compareRuns([fails('a')], [])).toEqual({ passed: 0, failed: ['a'], unstable: [] });
  });
  it('call an error outside of the tests unstable when the file passes the second time', () => {
    expect(compareRuns([fails(OUTSIDE)], [passes('a'), passes('b')])).toEqual({
      passed: 2,
      failed: [],
      unstable: [OUTSIDE],
    });
  });
  it('call an error outside of the tests failed when it comes twice', () => {
    expect(compareRuns([fails(OUTSIDE)], [fails(OUTSIDE)])).toEqual({ passed: 0, failed: [OUTSIDE], unstable: [] });
  });
  it('call an error outside of the tests failed when the second run does nothing', () => {
    expect(compareRuns([passes('a'), fails(OUTSIDE)], [])).toEqual({ passed: 1, failed: [OUTSIDE], unstable: [] });
  });
  it('call a test failed that ran only once, and failed', () => {
    expect(compareRuns([fails(OUTSIDE)], [fails('a'), passes('b')])).toEqual({
      passed: 1,
      failed: ['a'],
      unstable: [OUTSIDE],
    });
  });
  it('count tests of one title each', () => {
    expect(compareRuns([passes('a'), passes('a'), fails('b')], [passes('a'), passes('a'), passes('b')])).toEqual({
      passed: 3,
      failed: [],
      unstable: ['b'],
    });
  });
});
