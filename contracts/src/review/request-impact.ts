/** Counts of requests for the translations that a review would change. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The number and times of the translation requests for a source value, mapped or not. The counts have no history. */
export const RequestImpact = defineView(() =>
  z.object({
    requests: z.number(),
    firstRequestedAt: z.string().nullable(),
    lastRequestedAt: z.string().nullable(),
  }),
);
export type RequestImpact = z.infer<typeof RequestImpact>;
