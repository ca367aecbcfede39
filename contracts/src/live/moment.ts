/** Moments of the past: what `asOf` names, told once by the server, so that the same evidence can be asked for again. */
import { z } from 'zod';

/** What is said where `asOf` names none. */
export const NO_MOMENT =
  'asOf is an ISO instant, such as 2026-05-01T12:00:00Z (UTC where it names no zone), or seq:<number>';

/** Query of GET /api/moment: an instant, or `seq:<number>`. */
export const MomentQuery = z.object({ asOf: z.string().min(1, NO_MOMENT).max(100) });

/** Answer of GET /api/moment. */
export interface MomentView {
  /** The last event that had happened by then; 0 before the first. `asOf=seq:<seq>` names it for ever. */
  seq: number;
  /** The instant that was asked for, or that of the event that `seq:` names; null where it names none yet. */
  at: string | null;
}
