/** The rows of a list by their place, be they all there or only those around the sight. */

export interface Rows<Row> {
  /** As many as are known of. */
  count: number;
  /** Undefined: not read yet. */
  at: (index: number) => Row | undefined;
  /** Those from one place to another that are there. */
  among: (from: number, to: number) => Row[];
}

export const rowsOf = <Row>(rows: readonly Row[]): Rows<Row> => ({
  count: rows.length,
  at: (index) => rows[index],
  among: (from, to) => rows.slice(from, to + 1),
});

/** Chunks of one size lie in `rows` one behind the other; `numbers` says which they are, from 1. */
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
