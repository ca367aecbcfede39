/** Finds rows of a file that have the same key as another row of the file. */

/** The keys of a staged piece; the key of `lines[i]` is `keys[i]`. */
export interface StagedKeys {
  number: number;
  lines: number[];
  keys: string[];
}

/** The lines to leave out, by the number of their piece; maps each to the line that is kept. */
export type RepeatedLines = Map<number, Map<number, number>>;

/** Of the lines with the same key, keeps the first or the last one, and returns the other lines. */
export function repeatedLines(pieces: readonly StagedKeys[], keep: 'first' | 'last'): RepeatedLines {
  const keptLineByKey = new Map<string, number>();
  const repeated: RepeatedLines = new Map();
  const rows = pieces.flatMap(({ number, keys, lines }) =>
    keys.map((key, index) => ({ number, key, line: lines[index] as number })),
  );
  if (keep === 'last') rows.reverse();
  for (const { number, key, line } of rows) {
    const kept = keptLineByKey.get(key);
    if (kept === undefined) {
      keptLineByKey.set(key, line);
      continue;
    }
    const inPiece = repeated.get(number);
    if (inPiece) inPiece.set(line, kept);
    else repeated.set(number, new Map([[line, kept]]));
  }
  return repeated;
}
