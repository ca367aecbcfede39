/** Moments of the past: resolves `asOf`, so that the same evidence can be requested again. */
import { z } from 'zod';

/** The message for an `asOf` that cannot be parsed. */
export const NO_MOMENT =
  'asOf is an ISO instant, such as 2026-05-01T12:00:00Z (UTC where it names no zone), or seq:<number>';

/** Query of GET /api/moment: an instant, or `seq:<number>`. */
export const MomentQuery = z.object({ asOf: z.string().min(1, NO_MOMENT).max(100) });

/** Answer of GET /api/moment. */
export interface MomentView {
  /** The last event at that time; 0 before the first. `asOf=seq:<seq>` always names it. */
  seq: number;
  /** The requested instant, or that of the event of `seq:`; null if it names none yet. */
  at: string | null;
}
