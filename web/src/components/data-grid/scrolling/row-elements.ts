/**
 * Assigns DOM elements to the rows of a long list. New rows reuse the elements of removed rows: the browser then changes only
 * texts, while it would also have to style and lay out new elements.
 */
import { useLayoutEffect, useRef } from 'react';

/** Element numbers by row, in their order in the page. */
export type Elements = ReadonlyMap<number, number>;

/** `held` is the row that keeps its element because it has the focus. */
export function assignElements(before: Elements, rows: readonly number[], held?: number): Elements {
  const stayingRows = rows.filter((row) => before.has(row));
  const jumps = stayingRows.length * 2 < rows.length;
  const keepsElement = (row: number) => before.has(row) && (!jumps || row === held);
  const kept = new Set(rows.filter(keepsElement).map((row) => before.get(row)));
  // If an element moved from the end to the front, React would move all others: only elements that move from front to end
  // are reused.
  const backwards = !jumps && rows[0] !== stayingRows[0];
  const free = backwards ? [] : [...before.values()].filter((element) => !kept.has(element));
  let lastElement = Math.max(-1, ...before.values());
  return new Map(
    rows.map((row) => {
      if (keepsElement(row)) return [row, before.get(row) as number];
      lastElement += 1;
      return [row, free.shift() ?? lastElement];
    }),
  );
}

export function useElements(rows: readonly number[], held: number | undefined): Elements {
  const current = useRef<Elements>(NONE);
  const elements = assignElements(current.current, rows, held);
  useLayoutEffect(() => {
    current.current = elements;
  });
  return elements;
}

const NONE: Elements = new Map();
