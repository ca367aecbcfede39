/** Shapes that the payloads of several modules share. */
import { z } from 'zod';
import { CELL_CHARACTERS_MAX } from '../constants.ts';
import { defineView } from '../define-view.ts';

/** The greatest id: a safe integer. */
export const Id = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const NAME_MAX = 200;
/** A required text: one message if it is missing, another if it is too long. */
export const atMost = (characters: number): string => `Use at most ${characters.toLocaleString('en')} characters`;
/** Line breaks, bidirectional overrides and control characters: they let one name look like another. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const SEEN = /[^\p{Cc}\p{Cf}\p{Z}]/u;
export const Name = (required: string) =>
  z
    .string({ error: required })
    .trim()
    .min(1, required)
    .max(NAME_MAX, atMost(NAME_MAX))
    .refine((name) => name === '' || SEEN.test(name), required)
    .refine((name) => !UNSEEN.test(name), 'A name must be one line of visible characters');
const PROSE_MAX = 4_000;
export const Description = z.string().trim().max(PROSE_MAX, atMost(PROSE_MAX));
export const Comment = z.string().trim().max(PROSE_MAX, atMost(PROSE_MAX));
export const Cell = z.union([
  z.string().max(CELL_CHARACTERS_MAX, atMost(CELL_CHARACTERS_MAX)),
  z.number(),
  z.boolean(),
  z.null(),
]);
/** A required comment: the reason of a rejection, a revocation, or of ignoring a value. */
export const Reason = z
  .string({ error: 'A reason is required' })
  .trim()
  .min(1, 'A reason is required')
  .max(PROSE_MAX, atMost(PROSE_MAX));

/** The creation and the last change of a stored record: ISO instants. */
export const Dates = defineView(() =>
  z.object({
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type Dates = z.infer<typeof Dates>;

/** For arrays of rows: a row named twice would be changed on the basis of an outdated state. */
export function namedOnce(rows: readonly { id: number }[], context: z.RefinementCtx): void {
  const seen = new Set<number>();
  const twice = rows.find(({ id }) => seen.size === seen.add(id).size);
  if (twice === undefined) return;
  context.addIssue({ code: 'custom', message: `Row ${twice.id} is named twice: name it once` });
}
