/** GET /api/moment: resolves a moment in the past to a seq. Requests with this seq always return the same data. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The message for an `asOf` that cannot be parsed. */
export const INVALID_MOMENT =
  'asOf is an ISO instant, such as 2026-05-01T12:00:00Z (UTC if it names no zone), or seq:<number>';

/** Query of GET /api/moment: an instant, or `seq:<number>`. */
export const MomentQuery = z.object({
  asOf: z.string().min(1, INVALID_MOMENT).max(100).describe('The moment: an ISO instant, or `seq:<number>`.'),
});

/** The response to GET /api/moment. */
export const MomentView = defineView(() =>
  z.object({
    seq: z
      .number()
      .describe(
        'The requested seq, or the seq of the last event at or before the requested instant; 0 before the first event. `asOf=seq:<seq>` always returns the same data.',
      ),
    at: z
      .string()
      .nullable()
      .describe('The requested instant, or the time of the event with the requested seq; null for `seq:0`.'),
  }),
);
export type MomentView = z.infer<typeof MomentView>;
