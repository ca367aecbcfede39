/** Read model of purges and of legal holds. */
import {
  type AccessEvent,
  evolvePurge,
  type HoldScope,
  type Purge,
  type PurgeEvent,
  type PurgeKind,
  type PurgeScope,
  type PurgeStep,
} from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Projection } from '../engine/projection.ts';
import { type FoldedTable, foldInto, foldOne, type Row } from '../tables/folded-table.ts';

interface PurgeRow extends Row {
  id: number;
  kind: PurgeKind;
  scope: PurgeScope;
  before: string;
  reason: string;
  plan_hash: string;
  counts: Record<string, number>;
  status: Purge['status'];
  requested_by: number | null;
  requested_at: string;
  confirmed_by: number | null;
  confirmed_at: string | null;
  ended_at: string | null;
  parts: number;
  streams: number;
  events: number;
  is_sealed: boolean;
  is_reclaiming: boolean;
  command: string | null;
  stored: number | null;
  failed_step: PurgeStep | null;
  problem: string | null;
  bytes: number | null;
  leftovers: string[];
}

const ENDED = new Set<Purge['status']>(['DONE', 'DECLINED', 'CANCELLED']);

const stateOf = (row: PurgeRow): Purge => ({
  purgeId: row.id,
  kind: row.kind,
  scope: row.scope,
  before: row.before,
  reason: row.reason,
  planHash: row.plan_hash,
  counts: row.counts,
  status: row.status,
  requestedBy: row.requested_by,
  requestedAt: row.requested_at,
  confirmedBy: row.confirmed_by,
  parts: row.parts,
  streams: row.streams,
  events: row.events,
  isSealed: row.is_sealed,
  isReclaiming: row.is_reclaiming,
  command: row.command,
  stored: row.stored,
  failedStep: row.failed_step,
  problem: row.problem,
  bytes: row.bytes,
  leftovers: row.leftovers,
});

const purgeRows: FoldedTable<PurgeRow, PurgeEvent> = {
  name: 'purges',
  columns: {
    id: 'bigint',
    kind: 'text',
    scope: 'jsonb',
    before: 'timestamptz',
    reason: 'text',
    plan_hash: 'text',
    counts: 'jsonb',
    status: 'text',
    requested_by: 'bigint',
    requested_at: 'timestamptz',
    confirmed_by: 'bigint',
    confirmed_at: 'timestamptz',
    ended_at: 'timestamptz',
    parts: 'integer',
    streams: 'integer',
    events: 'integer',
    is_sealed: 'boolean',
    is_reclaiming: 'boolean',
    command: 'text',
    stored: 'integer',
    failed_step: 'text',
    problem: 'text',
    bytes: 'bigint',
    leftovers: 'jsonb',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  touchedKeys: (event) => [[event.data.purgeId]],
  fold: foldOne((row, event) => {
    const state = evolvePurge(row && stateOf(row), event);
    if (state === undefined) return undefined;
    const at = event.metadata.occurredAt;
    return {
      id: state.purgeId,
      kind: state.kind,
      scope: state.scope,
      before: state.before,
      reason: state.reason,
      plan_hash: state.planHash,
      counts: state.counts,
      status: state.status,
      requested_by: state.requestedBy,
      requested_at: state.requestedAt,
      confirmed_by: state.confirmedBy,
      confirmed_at: event.type === 'PurgeConfirmed' ? at : (row?.confirmed_at ?? null),
      ended_at: ENDED.has(state.status) ? (row?.ended_at ?? at) : null,
      parts: state.parts,
      streams: state.streams,
      events: state.events,
      is_sealed: state.isSealed,
      is_reclaiming: state.isReclaiming,
      command: state.command,
      stored: state.stored,
      failed_step: state.failedStep,
      problem: state.problem,
      bytes: state.bytes,
      leftovers: state.leftovers,
    };
  }),
};

interface HoldRow extends Row {
  id: number;
  scope_kind: HoldScope['kind'];
  /** Null if the hold applies to everything. */
  scope_id: number | null;
  matter: string;
  reason: string;
  placed_by: number | null;
  placed_at: string;
  released_by: number | null;
  released_at: string | null;
  release_reason: string | null;
}

type HoldEvent = Extract<AccessEvent, { type: 'LegalHoldPlaced' | 'LegalHoldReleased' }>;

const holdRows: FoldedTable<HoldRow, HoldEvent> = {
  name: 'legal_holds',
  columns: {
    id: 'bigint',
    scope_kind: 'text',
    scope_id: 'bigint',
    matter: 'text',
    reason: 'text',
    placed_by: 'bigint',
    placed_at: 'timestamptz',
    released_by: 'bigint',
    released_at: 'timestamptz',
    release_reason: 'text',
    valid_from: 'bigint',
  },
  key: ['id'],
  versioned: false,
  touchedKeys: (event) => [[event.data.holdId]],
  createsRows: (event) => event.type === 'LegalHoldPlaced',
  fold: foldOne((row, event) => {
    const { occurredAt, actorId } = event.metadata;
    if (event.type === 'LegalHoldPlaced') {
      const { holdId, scope, matter, reason } = event.data;
      return {
        id: holdId,
        scope_kind: scope.kind,
        scope_id: scope.kind === 'all' ? null : scope.id,
        matter,
        reason,
        placed_by: actorId,
        placed_at: occurredAt,
        released_by: null,
        released_at: null,
        release_reason: null,
      };
    }
    return row && { ...row, released_by: actorId, released_at: occurredAt, release_reason: event.data.reason };
  }),
};

const isOfHold = ({ type }: NumberedEvent): boolean => type === 'LegalHoldPlaced' || type === 'LegalHoldReleased';

export const purges: Projection = {
  name: 'purges',
  version: 2,
  categories: ['purge', 'access'],
  tables: [purgeRows, holdRows],
  async apply(context, events) {
    const ofPurges = events.filter(({ category }) => category === 'purge') as NumberedEvent<PurgeEvent>[];
    await foldInto(context, purgeRows, ofPurges);
    await foldInto(context, holdRows, events.filter(isOfHold) as NumberedEvent<HoldEvent>[]);
    return new Map();
  },
};
