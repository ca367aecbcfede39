/** Specifies the combined result of two runs of one test file. */
import { describe, expect, it } from 'vitest';
import { compareRuns, OUTSIDE } from './rerun.mjs';

const passes = (title) => ({ title, passed: true });
const fails = (title) => ({ title, passed: false });

describe('two runs of a test file', () => {
  it('count a test as passed and unstable when it failed and then passed', () => {
    expect(compareRuns([fails('a'), passes('b')], [passes('a'), passes('b')])).toEqual({
      passed: 2,
      failed: [],
      unstable: ['a'],
    });
  });
  it('count a test as failed when it failed twice', () => {
    expect(compareRuns([fails('a'), passes('b')], [fails('a'), passes('b')])).toEqual({
      passed: 1,
      failed: ['a'],
      unstable: [],
    });
  });
  it('count a test as unstable when it fails only in the second run', () => {
    expect(compareRuns([fails('a'), passes('b')], [passes('a'), fails('b')])).toEqual({
      passed: 2,
      failed: [],
      unstable: ['a', 'b'],
    });
  });
  it('count a failed test as failed when the second run does not reach it', () => {
    expect(compareRuns([fails('a')], [])).toEqual({ passed: 0, failed: ['a'], unstable: [] });
  });
  it('count an error outside of the tests as unstable when the file passes the second time', () => {
    expect(compareRuns([fails(OUTSIDE)], [passes('a'), passes('b')])).toEqual({
      passed: 2,
      failed: [],
      unstable: [OUTSIDE],
    });
  });
  it('count an error outside of the tests as failed when it occurs twice', () => {
    expect(compareRuns([fails(OUTSIDE)], [fails(OUTSIDE)])).toEqual({ passed: 0, failed: [OUTSIDE], unstable: [] });
  });
  it('count an error outside of the tests as failed when the second run has no results', () => {
    expect(compareRuns([passes('a'), fails(OUTSIDE)], [])).toEqual({ passed: 1, failed: [OUTSIDE], unstable: [] });
  });
  it('count a test as failed when it fails in its only run', () => {
    expect(compareRuns([fails(OUTSIDE)], [fails('a'), passes('b')])).toEqual({
      passed: 1,
      failed: ['a'],
      unstable: [OUTSIDE],
    });
  });
  it('count tests with the same title separately', () => {
    expect(compareRuns([passes('a'), passes('a'), fails('b')], [passes('a'), passes('a'), passes('b')])).toEqual({
      passed: 3,
      failed: [],
      unstable: ['b'],
    });
  });
});
