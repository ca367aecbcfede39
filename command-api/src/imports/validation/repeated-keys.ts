/** Finds rows of a file whose key another row of the file has. */
import type { StagedKeys } from './staged-rows.ts';

/** The lines whose key occurs elsewhere, with the line that is kept: the first one, or the last one. */
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
