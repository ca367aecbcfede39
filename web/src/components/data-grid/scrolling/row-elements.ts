/**
 * Which element draws which row of a whole list. Rows that come take the elements of those that went: then only their texts
 * change, while what is made anew must be styled and laid out as well.
 */
import { useLayoutEffect, useRef } from 'react';

/** Elements by the row they draw, in the order in which they stand in the page. */
export type Elements = ReadonlyMap<number, number>;

/** `held` is a row that keeps its element, since that has the focus. */
export function assigned(before: Elements, rows: readonly number[], held?: number): Elements {
  const staying = rows.filter((row) => before.has(row));
  const jumps = staying.length * 2 < rows.length;
  const keeps = (row: number) => before.has(row) && (!jumps || row === held);
  const kept = new Set(rows.filter(keeps).map((row) => before.get(row)));
  // What goes from the end to the front would have React move all others instead: only what goes the other way is used again.
  const backwards = !jumps && rows[0] !== staying[0];
  const free = backwards ? [] : [...before.values()].filter((element) => !kept.has(element));
  let made = Math.max(-1, ...before.values());
  return new Map(
    rows.map((row) => {
      if (keeps(row)) return [row, before.get(row) as number];
      made += 1;
      return [row, free.shift() ?? made];
    }),
  );
}

export function useElements(rows: readonly number[], held: number | undefined): Elements {
  const standing = useRef<Elements>(NONE);
  const elements = assigned(standing.current, rows, held);
  useLayoutEffect(() => {
    standing.current = elements;
  });
  return elements;
}

const NONE: Elements = new Map();
