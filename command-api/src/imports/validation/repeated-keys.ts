/** Finds rows of a file that have the same key as another row of the file. */
import type { StagedKeys } from './staged-rows.ts';

/** Returns lines to leave out, because the key of their row occurs on another line, each with the first or last such line, which is kept. */
export function repeatedLines(pieces: readonly StagedKeys[], keep: 'first' | 'last' = 'first'): Map<number, number> {
  const kept = new Map<string, number>();
  const repeated = new Map<number, number>();
  const rows = pieces.flatMap(({ keys, lines }) => keys.map((key, index) => [key, lines[index] as number] as const));
  if (keep === 'last') rows.reverse();
  for (const [key, line] of rows) {
    const other = kept.get(key);
    if (other === undefined) kept.set(key, line);
    else repeated.set(line, other);
  }
  return repeated;
}
