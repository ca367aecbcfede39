/** What is drawn of a list with one frame, and what of it waits. */
import { describe, expect, it } from 'vitest';
import { drawnOf, gapsIn, Pace } from './pace.ts';

const span = { first: 10, last: 19 };

describe('rows drawn with a frame', () => {
  it('are all of them where frames are quick', () => {
    const pace = new Pace();
    pace.took(17);
    expect(drawnOf([], span, [10], pace.rows)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  it('are few after a frame that took long, and more again as frames are quick', () => {
    const pace = new Pace();
    pace.took(90);
    expect(pace.rows).toBe(6);
    pace.took(30);
    expect(pace.rows).toBe(6);
    pace.took(17);
    expect(pace.rows).toBe(12);
  });

  it('are not fewer because nobody looked at the page', () => {
    const pace = new Pace();
    pace.took(60_000);
    expect(pace.rows).toBe(Number.POSITIVE_INFINITY);
  });

  it('are those around the row in focus first', () => {
    expect(drawnOf([], span, [18, 10], 3)).toEqual([17, 18, 19]);
  });

  it('are those around the first in sight where the row in focus is elsewhere', () => {
    expect(drawnOf([], span, [500, 13], 3)).toEqual([12, 13, 14]);
  });

  it('join those that are there, and replace those that left the sight', () => {
    expect(drawnOf([7, 8, 9, 10, 11], span, [0, 10], 3)).toEqual([10, 11, 12, 13, 14]);
  });
});

describe('gaps between rows', () => {
  it('stand before the rows drawn and after the last', () => {
    expect([...gapsIn([12, 13, 17], span)]).toEqual([
      [12, 2],
      [17, 3],
      [20, 2],
    ]);
  });

  it('are none where all are drawn', () => {
    expect(gapsIn([10, 11], { first: 10, last: 11 }).size).toBe(0);
  });

  it('are the whole span where none is', () => {
    expect([...gapsIn([], span)]).toEqual([[20, 10]]);
  });
});
