/**
 * Assigns DOM elements to the rows of a long list. Unless the user scrolls backwards, new rows reuse the elements of
 * removed rows, so that the browser changes only texts and need not style and lay out new elements.
 */
import { useLayoutEffect, useRef } from 'react';

/** Element numbers by row, in their order in the page. */
export type Elements = ReadonlyMap<number, number>;

/**
 * Each row that stays keeps its element. After a jump, when fewer than half of the rows stay, only `focusedRow` keeps
 * its element.
 */
export function assignElements(before: Elements, rows: readonly number[], focusedRow?: number): Elements {
  const stayingRows = rows.filter((row) => before.has(row));
  const isJump = stayingRows.length * 2 < rows.length;
  const keepsElement = (row: number) => before.has(row) && (!isJump || row === focusedRow);
  const keptElements = new Set(rows.filter(keepsElement).map((row) => before.get(row)));
  // Elements are reused only if they move from front to end, because React would move all other elements if an element
  // moved from the end to the front.
  const isBackwards = !isJump && rows[0] !== stayingRows[0];
  const freeElements = isBackwards ? [] : [...before.values()].filter((element) => !keptElements.has(element));
  let lastElement = Math.max(-1, ...before.values());
  return new Map(
    rows.map((row) => {
      if (keepsElement(row)) return [row, before.get(row) as number];
      lastElement += 1;
      return [row, freeElements.shift() ?? lastElement];
    }),
  );
}

export function useElements(rows: readonly number[], focusedRow: number | undefined): Elements {
  const current = useRef<Elements>(NONE);
  const elements = assignElements(current.current, rows, focusedRow);
  useLayoutEffect(() => {
    current.current = elements;
  });
  return elements;
}

const NONE: Elements = new Map();
