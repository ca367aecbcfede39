/** Defines the events of a purge, the manifest of the purged events, the plan and the state. */
import { z } from 'zod';
import { type EventMetadata, type EventsOf, event } from '../events/event.ts';
import { Id } from '../text/fields.ts';
import { PURGE_KINDS, type PurgeKind } from '../text/purge-kinds.ts';

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

/**
 * The steps of a purge, in order. From `TOMBSTONES` on, the purge can only be completed. `LEDGER` adds the purged
 * streams to `ledger.ndjson`, so that a restore refuses backups with these streams.
 */
export const PURGE_STEPS = [
  'REQUIREMENTS',
  'MANIFEST',
  'TOMBSTONES',
  'TABLES',
  'READ_MODELS',
  'SPACE',
  'LEDGER',
] as const;
export type PurgeStep = (typeof PURGE_STEPS)[number];

/** The scope of a purge: one collection, or null for all data. */
export const PurgeScope = z.object({ collectionId: Id.nullable() });
export type PurgeScope = z.infer<typeof PurgeScope>;

/** An entry of a manifest: the only data about a purged event that is stored. Manifests are sorted by `seq`. */
const PurgedEvent = z.object({
  seq: z.number().int(),
  /** The digest of the whole event, in lower-case hex digits. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  type: z.string(),
  actorId: Id.nullable(),
  at: z.string(),
});
export type PurgedEvent = z.infer<typeof PurgedEvent>;

/** A stream that a purge deletes, with the revision of its last event. */
export const PurgedStream = z.object({ stream: z.string(), revision: z.number().int() });
export type PurgedStream = z.infer<typeof PurgedStream>;

/** Counts of purged data by name, such as `items`, `crosswalks`, `streams`, `events` and `rows`. */
const Counts = z.record(z.string(), z.number().int());

/** The events of a purge: `PurgeRegistered` in `system-purges`, all others in `purge-<id>`. */
export const purgeEvents = {
  /** `planHash` is computed from `kind`, `scope`, `before`, and the plan's items, dependants and streams. */
  PurgeRequested: event(
    z.object({
      purgeId: Id,
      kind: z.enum(PURGE_KINDS),
      scope: PurgeScope,
      /** The purge deletes only items that were deleted or ended before this instant. */
      before: z.string(),
      reason: z.string(),
      planHash: z.string(),
      /** The counts of the plan, for the audit log. */
      counts: Counts,
    }),
  ),
  PurgeConfirmed: event(z.object({ purgeId: Id })),
  PurgeDeclined: event(z.object({ purgeId: Id, reason: z.string() })),
  PurgeCancelled: event(z.object({ purgeId: Id })),
  /** A part of the manifest. All streams are listed before the first event. */
  PurgeManifestPart: event(
    z.object({ purgeId: Id, part: z.number().int(), streams: z.array(PurgedStream), events: z.array(PurgedEvent) }),
  ),
  /**
   * After this event the purge can only be completed. The functions `manifestRoot` and `signedManifest` in `platform`
   * define `root` and the signed bytes.
   */
  PurgeManifestSealed: event(
    z.object({
      purgeId: Id,
      parts: z.number().int(),
      streams: z.number().int(),
      events: z.number().int(),
      root: z.string(),
      keyId: z.string(),
      /** The signature in base64. */
      signature: z.string(),
    }),
  ),
  /** All streams and rows are deleted. The event store has not freed the space yet. */
  PurgeReclaiming: event(
    z.object({
      purgeId: Id,
      /** The shell command with which the operator of the event store frees the space; null if none is needed. */
      command: z.string().nullable(),
      /** The number of purged events that the files of the event store still contain. */
      stored: z.number().int().optional(),
    }),
  ),
  PurgeFailed: event(z.object({ purgeId: Id, step: z.enum(PURGE_STEPS), problem: z.string() })),
  PurgeResumed: event(z.object({ purgeId: Id })),
  /**
   * `leftovers` lists the places where the servers may still have bytes of purged data. `kind`, `counts`, `reason` and
   * `confirmedBy` are for the audit log.
   */
  PurgeCompleted: event(
    z.object({
      purgeId: Id,
      bytes: z.number().int(),
      leftovers: z.array(z.string()),
      kind: z.enum(PURGE_KINDS),
      counts: Counts,
      reason: z.string(),
      confirmedBy: Id,
    }),
  ),
  /**
   * Registers a purge that deletes streams, before the first stream is deleted. A process reads the manifests of all
   * registered purges before it numbers the log.
   */
  PurgeRegistered: event(
    z.object({ purgeId: Id, events: z.number().int(), firstSeq: z.number().int(), lastSeq: z.number().int() }),
  ),
};
export type PurgeEvent = EventsOf<typeof purgeEvents>;

export interface Purge {
  purgeId: number;
  kind: PurgeKind;
  scope: PurgeScope;
  before: string;
  reason: string;
  planHash: string;
  counts: Record<string, number>;
  status: Exclude<PurgeStatus, 'DRY_RUN'>;
  requestedBy: number | null;
  requestedAt: string;
  confirmedBy: number | null;
  /** The numbers of parts, streams and events in the manifest. */
  parts: number;
  streams: number;
  events: number;
  /** Whether the manifest is sealed, so that the purge can only be completed. */
  isSealed: boolean;
  /** Whether all streams and rows are deleted. A resumed purge then begins with the step `SPACE`. */
  isReclaiming: boolean;
  /** The shell command for the operator of the event store; see `PurgeReclaiming`. */
  command: string | null;
  /** The number of purged events in the files of the event store at the last check; null if unknown. */
  stored: number | null;
  failedStep: PurgeStep | null;
  problem: string | null;
  bytes: number | null;
  leftovers: string[];
}

type WithMetadata = { metadata?: Pick<EventMetadata, 'actorId' | 'occurredAt'> };

/** Folds one event of `purge-<id>`. */
export function evolvePurge(state: Purge | undefined, event: PurgeEvent & WithMetadata): Purge | undefined {
  const { actorId = null, occurredAt = '' } = event.metadata ?? {};
  if (event.type === 'PurgeRequested') {
    return {
      ...event.data,
      status: 'REQUESTED',
      requestedBy: actorId,
      requestedAt: occurredAt,
      confirmedBy: null,
      parts: 0,
      streams: 0,
      events: 0,
      isSealed: false,
      isReclaiming: false,
      command: null,
      stored: null,
      failedStep: null,
      problem: null,
      bytes: null,
      leftovers: [],
    };
  }
  if (state === undefined) return undefined;
  switch (event.type) {
    case 'PurgeConfirmed':
      return { ...state, status: 'CONFIRMED', confirmedBy: actorId };
    case 'PurgeDeclined':
      return { ...state, status: 'DECLINED', problem: event.data.reason };
    case 'PurgeCancelled':
      return { ...state, status: 'CANCELLED' };
    case 'PurgeManifestPart': {
      const { streams, events } = event.data;
      return {
        ...state,
        status: 'RUNNING',
        parts: state.parts + 1,
        streams: state.streams + streams.length,
        events: state.events + events.length,
      };
    }
    case 'PurgeManifestSealed':
      return { ...state, status: 'RUNNING', isSealed: true };
    case 'PurgeReclaiming': {
      const { command, stored = null } = event.data;
      return { ...state, status: 'RECLAIMING', isReclaiming: true, command, stored };
    }
    case 'PurgeFailed':
      return { ...state, status: 'FAILED', failedStep: event.data.step, problem: event.data.problem };
    case 'PurgeResumed':
      return { ...state, status: 'RUNNING', failedStep: null, problem: null };
    case 'PurgeCompleted': {
      const { bytes, leftovers } = event.data;
      return { ...state, status: 'DONE', bytes, leftovers, command: null, stored: null };
    }
    case 'PurgeRegistered':
      return state;
  }
}

/** The ids of the purges that are registered in `system-purges`. */
export type RegisteredPurges = Set<number>;

/** Folds one event of `system-purges`; changes the state in place. */
export const evolveRegisteredPurges = (state: RegisteredPurges, event: PurgeEvent): RegisteredPurges =>
  event.type === 'PurgeRegistered' ? state.add(event.data.purgeId) : state;

const HOUR_MS = 3_600_000;

/**
 * Describes when the administrator `userId` may confirm a purge. A purge of another requester can be confirmed at once,
 * an own purge (`isOwn`) only by the only administrator, from the time `from` on. In all other cases `from` is null.
 */
export function confirmationBy(
  { requestedBy, requestedAt }: Pick<Purge, 'requestedBy' | 'requestedAt'>,
  { userId, administrators }: { userId: number; administrators: readonly number[] },
): { isOwn: boolean; isOnlyAdministrator: boolean; from: Date | null } {
  const isOwn = requestedBy === userId;
  const isOnlyAdministrator = isOwn && administrators.every((each) => each === userId);
  const from = new Date(Date.parse(requestedAt) + ONLY_ADMINISTRATOR_HOURS * HOUR_MS);
  return { isOwn, isOnlyAdministrator, from: isOnlyAdministrator ? from : null };
}

/** The maximum number of events or streams in one part of a manifest, because an append has at most 1 MiB. */
export const MANIFEST_PART_MAX = 4_000;

/** The number of hours after its dry run in which a purge can be requested and confirmed. */
export const PURGE_PLAN_HOURS = 72;
/** The number of hours after which the only administrator may confirm an own request, with the password. */
export const ONLY_ADMINISTRATOR_HOURS = 24;

export const PURGED_ITEM_KINDS = [
  'dataSet',
  'crosswalk',
  'relationship',
  'job',
  'savedFilter',
  'filterConfiguration',
] as const;

const PurgeItem = z.object({
  kind: z.enum(PURGED_ITEM_KINDS),
  id: Id,
  name: z.string(),
  /** When the item was deleted or ended. */
  endedAt: z.string().nullable(),
});
export type PurgeItem = z.infer<typeof PurgeItem>;

/**
 * The result of a dry run. Events never contain the plan, because the plan has names. The plan is deleted when the
 * purge ends, or when the plan expires without a request.
 */
export const PurgePlan = z.object({
  items: z.array(PurgeItem).describe('The items selected by kind, scope and age.'),
  dependants: z.array(PurgeItem).describe('Other items that are deleted together with these items.'),
  held: z
    .array(PurgeItem.extend({ holdId: Id, matter: z.string() }))
    .describe('The items that are not purged, because a legal hold keeps them.'),
  streams: z.array(PurgedStream).describe('The streams, with the revision of the last event of each.'),
  tables: z.array(z.object({ table: z.string(), rows: z.number().int() })).describe('Rows that are deleted.'),
  events: z.number().int(),
  bytes: z.number().int().describe('The size of the data of the events.'),
  dataSetIds: z
    .array(Id)
    .describe(
      'The data sets that the purge concerns, such as both ends of a crosswalk. A hold on one of them prevents the purge.',
    ),
  userIds: z
    .array(Id)
    .nullable()
    .describe('Users who acted on the purged data. For telemetry: users without a legal hold. Null means all users.'),
  heldUserIds: z.array(Id).describe('Users whose records a legal hold keeps.'),
  backups: z.array(z.object({ id: Id, fileName: z.string() })).describe('Backups that still contain the purged data.'),
});
export type PurgePlan = z.infer<typeof PurgePlan>;

/** The ids of the items and dependants of one kind in a plan. */
export const idsInPlan = (
  { items, dependants }: Pick<PurgePlan, 'items' | 'dependants'>,
  kind: PurgeItem['kind'],
): number[] => [...items, ...dependants].filter((item) => item.kind === kind).map(({ id }) => id);

/**
 * The number that the administrator types to confirm: the number of rows for `telemetry`, otherwise the number of
 * items. Dependants do not count.
 */
export const purgedCount = (kind: PurgeKind, { items, tables }: PurgePlan): number =>
  kind === 'telemetry' ? tables.reduce((sum, { rows }) => sum + rows, 0) : items.length;

/** Returns the counts of a plan, for the events of the purge. */
export const countsOf = (kind: PurgeKind, plan: PurgePlan): Record<string, number> => ({
  items: purgedCount(kind, plan),
  dataSets: idsInPlan(plan, 'dataSet').length,
  crosswalks: idsInPlan(plan, 'crosswalk').length,
  relationships: idsInPlan(plan, 'relationship').length,
  jobs: idsInPlan(plan, 'job').length,
  filters: idsInPlan(plan, 'savedFilter').length + idsInPlan(plan, 'filterConfiguration').length,
  streams: plan.streams.length,
  events: plan.events,
  rows: plan.tables.reduce((sum, { rows }) => sum + rows, 0),
});
