/**
 * Assigns DOM elements to the rows of a long list. New rows reuse the elements of removed rows, because styling and
 * layout of new elements take longer.
 */
import { useLayoutEffect, useRef } from 'react';

/** Element numbers by row, in the order of the rows. */
export type Elements = ReadonlyMap<number, number>;

/**
 * Each row that stays keeps its element. Exception: after a jump, which replaces more than half of the rows, only
 * `focusedRow` keeps its element.
 */
export function assignElements(before: Elements, rows: readonly number[], focusedRow?: number): Elements {
  const stayingRows = rows.filter((row) => before.has(row));
  const isJump = stayingRows.length * 2 < rows.length;
  const keepsElement = (row: number) => before.has(row) && (!isJump || row === focusedRow);
  const keptElements = new Set(rows.filter(keepsElement).map((row) => before.get(row)));
  // Scrolling backwards reuses no elements, because React would move all other elements if an element moved from the
  // end to the front.
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
