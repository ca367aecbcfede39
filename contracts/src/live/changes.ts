/**
 * The change feed. Its CloudEvents 1.0 name the changed entity and the kind of change, but do not contain the changed
 * data. Readers can resume after any change.
 */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { LiveChange } from './live.ts';

export const CHANGES_LIMIT_DEFAULT = 100;
export const CHANGES_LIMIT_MAX = 1_000;

/** The query of the feed: `after=<logId>:<seq>` is the last change that the reader received. */
export const ChangesQuery = z.object({
  after: z
    .string()
    .max(100)
    .optional()
    .describe(
      'The `id` of the last change that the reader received. If left out, a page begins with the first change, and a stream with the next change.',
    ),
  types: z.string().max(5_000).optional().describe('Event types, separated by commas. If left out, all types.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(CHANGES_LIMIT_MAX)
    .default(CHANGES_LIMIT_DEFAULT)
    .describe('The maximum number of changes to return.'),
});
export type ChangesQuery = z.infer<typeof ChangesQuery>;

/** One change in the JSON format of CloudEvents. */
export const ChangeEvent = defineView(() =>
  z.object({
    specversion: z.literal('1.0'),
    id: z.string().describe('`<logId>:<seq>`, for `after` and `Last-Event-ID`.'),
    source: z.string().describe('The log of the change: `urn:uuid:<logId>`.'),
    type: z.string().describe('The event type: `MappingsApproved`.'),
    subject: z.string().describe('The changed entity: `crosswalk/3`.'),
    time: z.string(),
    datacontenttype: z.literal('application/json'),
    data: LiveChange,
  }),
);
export type ChangeEvent = z.infer<typeof ChangeEvent>;

/** GET /api/changes. */
export const ChangesPage = defineView(() =>
  z.object({
    items: z.array(ChangeEvent),
    next: z
      .string()
      .describe('The value of `after` for the next request. It also skips changes that the reader may not receive.'),
    more: z.boolean().describe('Whether there are further changes.'),
    position: z.string(),
  }),
);
export type ChangesPage = z.infer<typeof ChangesPage>;

/**
 * Why the service ends a stream of changes. The reader can reconnect and resume; after `signedOut`, it needs a new
 * session or API key.
 */
export const STREAM_ENDS = {
  /** The session or the API key has ended (WebSocket close code 4401). */
  signedOut: { reason: 'signed-out', closeCode: 4401, message: 'The session or the API key has ended' },
  /** The reader lost a grant (4403). After reconnecting, it receives the changes that it may still receive. */
  revoked: { reason: 'revoked', closeCode: 4403, message: 'Grants of the reader were revoked' },
  /** The reader has had too many unread changes for too long (1013). */
  stalled: { reason: 'stalled', closeCode: 1013, message: 'The reader does not read its changes' },
  /** The service has stopped or failed (1012). */
  restarting: { reason: 'restarting', closeCode: 1012, message: 'The service restarts' },
} as const;
export type StreamEnd = (typeof STREAM_ENDS)[keyof typeof STREAM_ENDS];
