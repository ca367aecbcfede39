/** Tests cursor movement, ranges and filling. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, boxOf, cellsIn, draggedBox, fillDownBoxes, fillValues, isIn, moveBy, nextCell } from './ranges.ts';

const SHAPE = { rows: 100, columns: 5, page: 10 };
const at = (row: number, column: number) => ({ row, column });

describe('the cursor', () => {
  it.each<[string, boolean, [number, number]]>([
    ['ArrowUp', false, [49, 2]],
    ['ArrowDown', true, [99, 2]],
    ['ArrowLeft', true, [50, 0]],
    ['Home', false, [50, 0]],
    ['Home', true, [0, 0]],
    ['End', false, [50, 4]],
    ['End', true, [99, 4]],
    ['PageDown', false, [60, 2]],
    ['PageUp', false, [40, 2]],
  ])('moves with key %s and toEdge %s to %j', (key, toEdge, to) => {
    expect(moveBy(at(50, 2), key, toEdge, SHAPE)).toEqual(at(...to));
  });

  it('never leaves the sheet with a key other than Tab', () => {
    const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];
    const path = fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean()));
    fc.assert(
      fc.property(path, (presses) => {
        let position = at(0, 0);
        for (const [key, toEdge] of presses) position = moveBy(position, key, toEdge, SHAPE) ?? position;
        expect(isIn({ top: 0, left: 0, bottom: 99, right: 4 }, position)).toBe(true);
      }),
    );
  });

  it('moves with Tab from an end of a row to the next or previous row, and leaves the sheet at its ends', () => {
    expect(nextCell(at(3, 4), false, SHAPE)).toEqual(at(4, 0));
    expect(nextCell(at(3, 0), true, SHAPE)).toEqual(at(2, 4));
    expect(nextCell(at(99, 4), false, SHAPE)).toBeUndefined();
    expect(nextCell(at(0, 0), true, SHAPE)).toBeUndefined();
  });
});

describe('filling', () => {
  const box: Box = { top: 2, left: 1, bottom: 3, right: 1 };

  it('repeats the source in order, also upwards', () => {
    const valueAt = ({ row }: { row: number }) => (row === 2 ? 'a' : 'b');
    const target = { ...box, top: 0, bottom: 6 };
    const values = fillValues(box, target, valueAt).map(({ position, value }) => `${position.row}${value}`);
    expect(values).toEqual(['0a', '1b', '4a', '5b', '6a']);
  });

  it('copies the first row of a range down, or the row above a single row', () => {
    expect(fillDownBoxes(box)).toEqual({ source: { ...box, bottom: 2 }, target: box });
    const single = { ...box, bottom: 2 };
    expect(fillDownBoxes(single)?.source).toEqual({ ...box, top: 1, bottom: 1 });
    expect(fillDownBoxes({ ...box, top: 0, bottom: 0 })).toBeUndefined();
  });

  it('extends the range along one axis if the handle is dragged', () => {
    expect(draggedBox(box, at(9, 2))).toEqual({ ...box, bottom: 9 });
    expect(draggedBox(box, at(4, 4))).toEqual({ ...box, right: 4 });
    expect(draggedBox(box, at(3, 1))).toEqual(box);
  });
});

describe('a range', () => {
  it('covers the cells between anchor and focus, in any direction', () => {
    const range = boxOf({ anchor: at(5, 3), focus: at(2, 4) });
    expect(range).toEqual({ top: 2, left: 3, bottom: 5, right: 4 });
    expect(cellsIn(range)).toBe(8);
  });
});
