/** Computes the shape of a value. Problems whose values have the same shape form a group. */

const RUN_MAX = 8;
const SHAPE_MAX = 60;
const LONG_RUN = new RegExp(`(.)\\1{${RUN_MAX},}`, 'gu');

/**
 * Replaces each letter by `a` and each run of digits by `9`, because numbers of different lengths are the same problem.
 * Shortens long runs of equal characters, and long shapes.
 */
export function shapeOf(value: string): string {
  const shape = value
    .slice(0, 10 * SHAPE_MAX)
    .toWellFormed()
    .replace(/\p{Nd}+/gu, '9')
    .replace(/\p{L}\p{M}*/gu, 'a')
    .replace(LONG_RUN, (_, character: string) => `${character.repeat(RUN_MAX)}…`);
  return shape.length > SHAPE_MAX ? `${shape.slice(0, SHAPE_MAX).toWellFormed()}…` : shape;
}
