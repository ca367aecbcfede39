/** Counts of requests for the translations that a review would change. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** How often the translation of a source value was requested, whether it has a mapping or not. This counter has no history. */
export const RequestImpact = defineView(() =>
  z.object({
    requests: z.number(),
    firstRequestedAt: z.string().nullable(),
    lastRequestedAt: z.string().nullable(),
  }),
);
export type RequestImpact = z.infer<typeof RequestImpact>;
