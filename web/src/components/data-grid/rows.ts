/** Access to the rows of a list by index. Some rows may not be loaded. */

export interface Rows<Row> {
  /** The known number of rows. */
  count: number;
  /** Returns undefined if the row is not loaded. */
  at: (index: number) => Row | undefined;
  /** The loaded rows from index `from` to index `to`, both included. */
  among: (from: number, to: number) => Row[];
}

export const rowsOf = <Row>(rows: readonly Row[]): Rows<Row> => ({
  count: rows.length,
  at: (index) => rows[index],
  among: (from, to) => rows.slice(from, to + 1),
});

/**
 * `rows` are the rows of the loaded chunks, concatenated; `numbers` are the numbers of these chunks, from 1. A chunk
 * has `size` rows, except for a shorter last chunk. The list has `count` rows. `positionOf` returns the index of a row
 * in `rows`.
 */
export function rowsOfChunks<Row>(
  rows: readonly Row[],
  numbers: readonly number[],
  size: number,
  count: number,
): Rows<Row> & { positionOf: (index: number) => number | undefined } {
  const positionOf = (index: number) => {
    const chunk = numbers.indexOf(Math.floor(index / size) + 1);
    return chunk < 0 ? undefined : chunk * size + (index % size);
  };
  const at = (index: number) => {
    const position = positionOf(index);
    return position === undefined ? undefined : rows[position];
  };
  return {
    count,
    at,
    among: (from, to) =>
      Array.from({ length: Math.max(0, to - from + 1) }, (_, offset) => at(from + offset)).filter(
        (row): row is Row => row !== undefined,
      ),
    positionOf,
  };
}
