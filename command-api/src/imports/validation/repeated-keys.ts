/** Finds rows of a file that have the same key as another row of the file. */
import type { StagedKeys } from './staged-rows.ts';

/** Returns the lines to leave out, because their key occurs on several lines; maps each to the line that is kept, the first or the last one. */
export function repeatedLines(pieces: readonly StagedKeys[], keep: 'first' | 'last' = 'first'): Map<number, number> {
  const keptLineByKey = new Map<string, number>();
  const repeated = new Map<number, number>();
  const rows = pieces.flatMap(({ keys, lines }) => keys.map((key, index) => [key, lines[index] as number] as const));
  if (keep === 'last') rows.reverse();
  for (const [key, line] of rows) {
    const other = keptLineByKey.get(key);
    if (other === undefined) keptLineByKey.set(key, line);
    else repeated.set(line, other);
  }
  return repeated;
}
