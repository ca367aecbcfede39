/** Schemas of fields that the payloads of several modules share. */
import { z } from 'zod';
import { CELL_CHARACTERS_MAX } from '../constants.ts';
import { defineView } from '../define-view.ts';

/** An id. It is a safe integer, so that JavaScript does not round it. */
export const Id = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const NAME_MAX = 200;
/** The message for a text that is too long. */
export const atMost = (characters: number): string => `Use at most ${characters.toLocaleString('en')} characters`;
/** Line breaks, bidirectional overrides and control characters: they let one name look like another. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Z}]/u;
/** A name on one line; `required` is the message for a missing name and for one without visible characters. */
export const Name = (required: string) =>
  z
    .string({ error: required })
    .trim()
    .min(1, required)
    .max(NAME_MAX, atMost(NAME_MAX))
    .refine((name) => name === '' || VISIBLE.test(name), required)
    .refine((name) => !INVISIBLE.test(name), 'A name must be one line of visible characters');
const PROSE_MAX = 4_000;
export const Description = z.string().trim().max(PROSE_MAX, atMost(PROSE_MAX));
export const Comment = z.string().trim().max(PROSE_MAX, atMost(PROSE_MAX));
export const Cell = z.union([
  z.string().max(CELL_CHARACTERS_MAX, atMost(CELL_CHARACTERS_MAX)),
  z.number(),
  z.boolean(),
  z.null(),
]);
/** A required comment, such as the reason for a rejection, a revocation, a legal hold or a purge. */
export const Reason = z
  .string({ error: 'A reason is required' })
  .trim()
  .min(1, 'A reason is required')
  .max(PROSE_MAX, atMost(PROSE_MAX));

/** The times of the creation and of the last change of a stored record, as ISO instants. */
export const Dates = defineView(() =>
  z.object({
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type Dates = z.infer<typeof Dates>;

/** Refuses a list that has a row twice, because the second change of the row would be based on an outdated state. */
export function requireEachRowOnce(rows: readonly { id: number }[], context: z.RefinementCtx): void {
  const ids = new Set<number>();
  const twice = rows.find(({ id }) => ids.size === ids.add(id).size);
  if (twice === undefined) return;
  context.addIssue({ code: 'custom', message: `Row ${twice.id} is named twice: name it once` });
}
