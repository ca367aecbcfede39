/** Finds rows of a file that have the same key as another row of the file. */

/** The keys of a staged piece; the key of `lines[i]` is `keys[i]`. */
export interface StagedKeys {
  number: number;
  lines: number[];
  keys: string[];
}

/** By the number of the piece: each line to leave out, with the line that is imported instead. */
export type RepeatedLines = Map<number, Map<number, number>>;

/** Returns the lines with a repeated key, except the first or last (`keep`) line of each key. */
export function repeatedLines(pieces: readonly StagedKeys[], keep: 'first' | 'last'): RepeatedLines {
  const keptLineByKey = new Map<string, number>();
  const repeated: RepeatedLines = new Map();
  const rows = pieces.flatMap(({ number, keys, lines }) =>
    keys.map((key, index) => ({ number, key, line: lines[index] as number })),
  );
  if (keep === 'last') rows.reverse();
  for (const { number, key, line } of rows) {
    const keptLine = keptLineByKey.get(key);
    if (keptLine === undefined) {
      keptLineByKey.set(key, line);
      continue;
    }
    const inPiece = repeated.get(number);
    if (inPiece) inPiece.set(line, keptLine);
    else repeated.set(number, new Map([[line, keptLine]]));
  }
  return repeated;
}
