/** Tests how the known length of a list grows, and that rows in chunks are found by their index. */
import { describe, expect, it } from 'vitest';
import { rowsOfChunks } from '../rows.ts';
import { updateLength } from './long-list.ts';

const chunk = (number: number, rows = 50) => ({ number, items: Array.from({ length: rows }, (_, row) => row) });
const unknownLength = { lowerBound: 0, mayContinue: false, end: undefined };

describe('the length', () => {
  it('is the total of the server', () => {
    expect(updateLength(unknownLength, 1_234, [chunk(1)])).toEqual({
      lowerBound: 1_234,
      mayContinue: false,
      end: 1_234,
    });
  });

  it('grows when the last chunk is full, if the total of the server is only a lower bound', () => {
    const counted = updateLength(unknownLength, { atLeast: 10_000 }, [chunk(1)]);
    expect(counted).toEqual({ lowerBound: 10_000, mayContinue: false, end: undefined });
    const reached = updateLength(counted, { atLeast: 10_000 }, [chunk(199), chunk(200)]);
    expect(reached).toEqual({ lowerBound: 10_000, mayContinue: true, end: undefined });
    expect(updateLength(reached, { atLeast: 10_000 }, [chunk(201)])).toEqual({
      lowerBound: 10_050,
      mayContinue: true,
      end: undefined,
    });
  });

  it('is exact once a chunk is not full', () => {
    const reached = { lowerBound: 10_000, mayContinue: true, end: undefined };
    expect(updateLength(reached, { atLeast: 10_000 }, [chunk(201, 7)]).end).toBe(10_007);
    expect(updateLength(reached, { atLeast: 10_000 }, [chunk(200), chunk(201, 0)]).end).toBe(10_000);
  });

  it('stays exact while other rows load', () => {
    const ended = { lowerBound: 10_007, mayContinue: false, end: 10_007 };
    expect(updateLength(ended, { atLeast: 10_000 }, [chunk(3)])).toEqual(ended);
  });
});

describe('rows of chunks', () => {
  const rows = rowsOfChunks(['c', 'd', 'g', 'h'], [2, 4], 2, 9);

  it('are found by their index in the list', () => {
    expect([2, 3, 6, 7].map(rows.at)).toEqual(['c', 'd', 'g', 'h']);
    expect([0, 4, 8].map(rows.at)).toEqual([undefined, undefined, undefined]);
    expect(rows.among(0, 6)).toEqual(['c', 'd', 'g']);
  });
});
