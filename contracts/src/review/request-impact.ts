/** How often the translations that a review would change were requested. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** How often translate was requested for a source value, known or not. It is a counter without history. */
export const RequestImpact = defineView(() =>
  z.object({
    requests: z.number(),
    firstRequestedAt: z.string().nullable(),
    lastRequestedAt: z.string().nullable(),
  }),
);
export type RequestImpact = z.infer<typeof RequestImpact>;
