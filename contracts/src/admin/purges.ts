/** Purges: their events on `purge-<id>` and `system-purges`, and the manifest that stands for the events that are gone. */
import { z } from 'zod';
import { type EventsOf, event } from '../events/event.ts';
import { Id } from '../text/fields.ts';

/**
 * `dataSets`: deleted data sets with everything of them. `definitions`: deleted crosswalks and relationships. `jobs`:
 * finished jobs with their files and logs. `telemetry`: sign-in attempts, request contexts, usage and mail, which are in
 * tables alone.
 */
export const PURGE_KINDS = ['dataSets', 'definitions', 'jobs', 'telemetry'] as const;
export type PurgeKind = (typeof PURGE_KINDS)[number];

export const PURGE_STATUSES = [
  'DRY_RUN',
  'REQUESTED',
  'CONFIRMED',
  'RUNNING',
  'RECLAIMING',
  'DONE',
  'FAILED',
  'DECLINED',
  'CANCELLED',
] as const;
export type PurgeStatus = (typeof PURGE_STATUSES)[number];

/** What a purge is limited to: one collection, or everything that is old enough. */
const PurgeScope = z.object({ collectionId: Id.nullable() });

/** An event that is gone, in the order of `seq`: all that is kept of it. */
const PurgedEvent = z.object({
  seq: z.number().int(),
  /** Of the whole event, in lower-case hex digits. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  type: z.string(),
  actorId: Id.nullable(),
  at: z.string(),
});
export type PurgedEvent = z.infer<typeof PurgedEvent>;

/** A stream that a purge deletes, with the revision of its last event. */
const PurgedStream = z.object({ stream: z.string(), revision: z.number().int() });
export type PurgedStream = z.infer<typeof PurgedStream>;

/** Events of `purge-<id>`, and of `system-purges` (`PurgeRegistered`). */
export const purgeEvents = {
  /** The plan was frozen by the dry run; its hash names streams, heads and tables. */
  PurgeRequested: event(
    z.object({
      purgeId: Id,
      kind: z.enum(PURGE_KINDS),
      scope: PurgeScope,
      /** Deleted, or ended, before this instant. */
      before: z.string(),
      reason: z.string(),
      planHash: z.string(),
      /** What goes, for the audit log: the names of entities are in the streams `names-*`, which stay. */
      counts: z.record(z.string(), z.number().int()),
    }),
  ),
  PurgeConfirmed: event(z.object({ purgeId: Id })),
  PurgeDeclined: event(z.object({ purgeId: Id, reason: z.string() })),
  PurgeCancelled: event(z.object({ purgeId: Id })),
  /** Streams and events in pieces. Streams are in the first parts; events are in the order of `seq` over all parts. */
  PurgeManifestPart: event(
    z.object({ purgeId: Id, part: z.number().int(), streams: z.array(PurgedStream), events: z.array(PurgedEvent) }),
  ),
  /** From here on the purge can only be completed. `root` and `signature`: `manifestRoot` and `signedManifest` of platform. */
  PurgeManifestSealed: event(
    z.object({
      purgeId: Id,
      parts: z.number().int(),
      streams: z.number().int(),
      events: z.number().int(),
      root: z.string(),
      keyId: z.string(),
      /** In base64. */
      signature: z.string(),
    }),
  ),
  /** All streams are deleted and all rows are gone; the space is not reclaimed yet. */
  PurgeReclaiming: event(z.object({ purgeId: Id, command: z.string().nullable() })),
  PurgeFailed: event(z.object({ purgeId: Id, step: z.string(), problem: z.string() })),
  PurgeResumed: event(z.object({ purgeId: Id })),
  /** `leftovers`: where the servers may still hold bytes of what was purged. */
  PurgeCompleted: event(z.object({ purgeId: Id, bytes: z.number().int(), leftovers: z.array(z.string()) })),
  /** On `system-purges`, after the manifest was sealed: whoever numbers the log reads the manifests that it names first. */
  PurgeRegistered: event(
    z.object({ purgeId: Id, events: z.number().int(), firstSeq: z.number().int(), lastSeq: z.number().int() }),
  ),
};
export type PurgeEvent = EventsOf<typeof purgeEvents>;
