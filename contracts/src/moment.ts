/** Moments of the past: what `asOf` names, told once by the server, so that the same evidence can be asked for again. */
import { z } from 'zod';

/** Query of GET /api/moment: an instant, or `seq:<number>`. */
export const MomentQuery = z.object({ asOf: z.string().min(1).max(100) });

/** Answer of GET /api/moment. */
export interface MomentView {
  /** The last event that had happened by then; 0 before the first. `asOf=seq:<seq>` names it for ever. */
  seq: number;
  /** The instant that was asked for, or that of the event that `seq:` names; null where it names none yet. */
  at: string | null;
}
