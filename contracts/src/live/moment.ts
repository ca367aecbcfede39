/** Moments of the past: resolves `asOf`, so that the same evidence can be requested again. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The message for an `asOf` that cannot be parsed. */
export const NO_MOMENT =
  'asOf is an ISO instant, such as 2026-05-01T12:00:00Z (UTC where it names no zone), or seq:<number>';

/** Query of GET /api/moment: an instant, or `seq:<number>`. */
export const MomentQuery = z.object({ asOf: z.string().min(1, NO_MOMENT).max(100) });

/** Answer of GET /api/moment. */
export const MomentView = defineView(() =>
  z.object({
    seq: z.number().describe('The last event at that time; 0 before the first. `asOf=seq:<seq>` always names it.'),
    at: z
      .string()
      .nullable()
      .describe('The requested instant, or that of the event of `seq:`; null if it names none yet.'),
  }),
);
export type MomentView = z.infer<typeof MomentView>;
