/** The change feed on the wire: CloudEvents 1.0 that say what changed where, never the data, and how one resumes. */
import { z } from 'zod';
import type { LiveChange } from './live.ts';

export const CHANGES_LIMIT_DEFAULT = 100;
export const CHANGES_LIMIT_MAX = 1_000;

/** `after=<logId>:<seq>`: the last change that was seen. */
export const ChangesQuery = z.object({
  after: z.string().max(100).optional(),
  /** Event types, separated by commas; all of them where it is left out. */
  types: z.string().max(5_000).optional(),
  limit: z.coerce.number().int().min(1).max(CHANGES_LIMIT_MAX).default(CHANGES_LIMIT_DEFAULT),
});
export type ChangesQuery = z.infer<typeof ChangesQuery>;

/** One change in the JSON format of CloudEvents. */
export interface ChangeEvent {
  specversion: '1.0';
  /** `<logId>:<seq>`: what `after` and `Last-Event-ID` take. */
  id: string;
  /** The log that it is from: `urn:uuid:<logId>`. */
  source: string;
  /** Type of the event: `MappingsApproved`. */
  type: string;
  /** What it is about: `crosswalk/3`. */
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  data: LiveChange;
}

/** GET /api/changes. */
export interface ChangesPage {
  items: ChangeEvent[];
  /** What to ask `after` next; it moves on past what the reader may not hear, too. */
  next: string;
  /** There is more already. */
  more: boolean;
  position: string;
}

/** Why a stream of changes was ended; after all of them the reader may come back and go on where it stopped. */
export const STREAM_ENDS = {
  /** The session or the key ended: WebSocket close code 4401. */
  signedOut: { reason: 'signed-out', closeCode: 4401, message: 'The session or the API key has ended' },
  /** Something that the reader could read was taken away: 4403. What is left is told when it comes back. */
  revoked: { reason: 'revoked', closeCode: 4403, message: 'Grants of the reader were taken away' },
  /** It left too much unread for too long: 1013. */
  stalled: { reason: 'stalled', closeCode: 1013, message: 'The reader does not read' },
  /** The service stops or failed: 1012. */
  restarting: { reason: 'restarting', closeCode: 1012, message: 'The service restarts' },
} as const;
export type StreamEnd = (typeof STREAM_ENDS)[keyof typeof STREAM_ENDS];
