/** Commands of purges: they decide; the maintenance process makes the plans and deletes the data. */
import {
  ACCESS_STREAM,
  administrators,
  idsInPlan,
  type PlanPurge,
  PURGES_STREAM,
  type Purge,
  type PurgeEvent,
  type PurgePlan,
  purgedCount,
  purgePhrase,
  Refusal,
  type RequestPurge,
  streams,
} from '@rdm/contracts';
import { requireRole } from '@rdm/platform';
import { endPurge, requireNoHold, startPurge } from '../../invariants/legal-holds.ts';
import { command } from '../../runtime/commands.ts';
import type { Decision } from '../../runtime/decision.ts';
import type { Execution } from '../../runtime/execution.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import {
  type Confirmation,
  cancelPurge,
  confirmPurge,
  declinePurge,
  type PurgeOutcome,
  reclaimPurge,
  recordPurge,
  registerPurge,
  requestPurge,
  requireConfirmable,
  resumePurge,
} from './decider.ts';
import { closePlan, deletePlan, loadPlan, type StoredPlan, storePlanRequest } from './plans.ts';

const PLAN_CHANGED = 'The data to purge has changed since the dry run: make a new dry run';

const change = (x: Execution, id: number, decide: (state: Purge | undefined) => Decision<PurgeEvent>) =>
  x.change(kinds.purge, streams.purge(id), [], decide);

interface CompletePlan extends StoredPlan {
  plan: PurgePlan;
  planHash: string;
  counts: Record<string, number>;
}

/** Returns the plan of a dry run; throws if the dry run failed or has not ended, or if the plan is too old or empty. */
async function requireCurrentPlan(x: Execution, id: number): Promise<CompletePlan> {
  const { plan, planHash, counts, ...stored } = await loadPlan(x.pool, id);
  if (stored.problem !== null) throw new Refusal('PLAN_CHANGED', stored.problem);
  if (plan === null || planHash === null || counts === null) {
    throw new Refusal('CONFLICT', 'There is no plan: wait until the dry run has ended, or make a new dry run');
  }
  if (stored.isExpired) throw new Refusal('PLAN_CHANGED', 'This dry run is too old: make a new dry run');
  if (purgedCount(stored.kind, plan) === 0) throw new Refusal('CONFLICT', 'There is nothing to purge');
  return { ...stored, plan, planHash, counts };
}

/** The streams of definitions; their rows and values have other streams. */
const DEFINITION_STREAMS = {
  dataSet: { kind: kinds.dataSet, stream: streams.dataSet },
  crosswalk: { kind: kinds.crosswalk, stream: streams.crosswalk },
  relationship: { kind: kinds.relationship, stream: streams.relationship },
} as const;

/**
 * Throws if a data set, crosswalk or relationship of the plan was restored or has changed. The maintenance process
 * checks the other streams before it deletes.
 */
async function requireUnchanged(x: Execution, plan: PurgePlan): Promise<void> {
  const planned = new Map(plan.streams.map(({ stream, revision }) => [stream, revision]));
  for (const { kind, id } of [...plan.items, ...plan.dependants]) {
    if (kind !== 'dataSet' && kind !== 'crosswalk' && kind !== 'relationship') continue;
    const definition = DEFINITION_STREAMS[kind];
    const stream = definition.stream(id);
    const { state, revision } = await x.load<{ deleted: boolean } | undefined, never>(definition.kind as never, stream);
    if (!state?.deleted || revision !== planned.get(stream)) throw new Refusal('PLAN_CHANGED', PLAN_CHANGED);
  }
}

async function confirmationOf(x: Execution): Promise<Confirmation> {
  return { actorId: x.actorId, administrators: administrators(await x.access.current()), now: new Date() };
}

async function confirm(x: Execution, id: number): Promise<void> {
  const confirmation = await confirmationOf(x);
  const { state } = await x.load(kinds.purge, streams.purge(id));
  // A repeated command can find the purge already confirmed.
  if (state?.status !== 'CONFIRMED' || state.confirmedBy !== x.actorId) requireConfirmable(state, confirmation);
  const { plan } = await requireCurrentPlan(x, id);
  await requireUnchanged(x, plan);
  const actor = await x.actor();
  await x.change(kinds.access, ACCESS_STREAM, [], (access) => {
    if (x.meta.needs) requireRole(x.meta.needs, access, actor);
    return startPurge(access, {
      purgeId: id,
      dataSetIds: plan.dataSetIds,
      crosswalkIds: idsInPlan(plan, 'crosswalk'),
      relationshipIds: idsInPlan(plan, 'relationship'),
      userIds: plan.userIds,
    });
  });
  await change(x, id, (current) => confirmPurge(current, confirmation));
}

const endInAccessStream = (x: Execution, id: number) =>
  x.change(kinds.access, ACCESS_STREAM, [], (access) => endPurge(access, id));

/** The statuses of a confirmed purge until its streams are deleted. */
const CONFIRMED_STATUSES: ReadonlySet<Purge['status']> = new Set(['CONFIRMED', 'RUNNING', 'FAILED']);

async function endInAccessStreamUnlessConfirmed(x: Execution, id: number): Promise<void> {
  const { state } = await x.load(kinds.purge, streams.purge(id));
  if (!state || !CONFIRMED_STATUSES.has(state.status)) await endInAccessStream(x, id);
}

export const purgeCommands = {
  plan: command<{ body: PlanPurge }>('PlanPurge', async (x, { body }) => {
    const id = await x.allocateOne('job_ids');
    await storePlanRequest(x.pool, id, x.actorId, body);
    return { status: 202, body: { id } };
  }),

  request: command<{ id: number; body: RequestPurge }>('RequestPurge', async (x, { id, body }) => {
    const { kind, scope, before, plan, planHash, counts } = await requireCurrentPlan(x, id);
    const phrase = purgePhrase(kind, purgedCount(kind, plan));
    if (body.phrase.trim() !== phrase) throw new Refusal('WRONG_PHRASE', `Type “${phrase}” to request the purge`);
    await requireUnchanged(x, plan);
    requireNoHold(await x.access.current(), plan);
    await change(x, id, (state) =>
      requestPurge(state, {
        ...{ purgeId: id, kind, scope, before: before.toISOString() },
        ...{ reason: body.reason, planHash, counts },
      }),
    );
    return { body: { id } };
  }),

  /**
   * First starts the purge in the access stream. Legal holds are placed in the same stream, so the later of a purge and a
   * hold always finds the earlier one. Then confirms the purge. If the command is refused and the purge is not
   * confirmed, ends the purge in the access stream.
   */
  confirm: command<{ id: number }>('ConfirmPurge', async (x, { id }) => {
    try {
      await confirm(x, id);
    } catch (error) {
      if (error instanceof Refusal) await endInAccessStreamUnlessConfirmed(x, id);
      throw error;
    }
    return { body: { id } };
  }),

  decline: command<{ id: number; reason: string }>('DeclinePurge', async (x, { id, reason }) => {
    await change(x, id, (state) => declinePurge(state, reason));
    await closePlan(x.pool, id);
    return { body: { id } };
  }),

  cancel: command<{ id: number }>('CancelPurge', async (x, { id }) => {
    const { state } = await x.load(kinds.purge, streams.purge(id));
    if (!state) {
      await deletePlan(x.pool, id);
      return { body: { id } };
    }
    await change(x, id, cancelPurge);
    await endInAccessStream(x, id);
    await closePlan(x.pool, id);
    return { body: { id } };
  }),

  resume: command<{ id: number }>('ResumePurge', async (x, { id }) => {
    await change(x, id, resumePurge);
    return { body: { id } };
  }),

  reclaim: command<{ id: number }>('ReclaimPurge', async (x, { id }) => {
    await change(x, id, reclaimPurge);
    return { body: { id } };
  }),

  /** The input is not stored: a part of a manifest is large, and the decider recognises a repeated part. */
  record: command<{ outcome: PurgeOutcome }>(
    'RecordPurge',
    async (x, { outcome }) => {
      const { purgeId } = outcome.data;
      await change(x, purgeId, (state) => recordPurge(state, outcome));
      // The streams are deleted. There is nothing left that a hold could keep or that a command could restore.
      if (outcome.type === 'PurgeReclaiming' || outcome.type === 'PurgeCompleted') await endInAccessStream(x, purgeId);
      if (outcome.type === 'PurgeCompleted') await closePlan(x.pool, purgeId);
      return { status: 204 };
    },
    { keep: false },
  ),

  register: command<{ data: Extract<PurgeEvent, { type: 'PurgeRegistered' }>['data'] }>(
    'RegisterPurge',
    async (x, { data }) => {
      const { state } = await x.load(kinds.purge, streams.purge(data.purgeId));
      if (!state?.isSealed) throw new Refusal('CONFLICT', 'The manifest of this purge is not sealed');
      await x.change(kinds.registeredPurges, PURGES_STREAM, [], (registered) => registerPurge(registered, data));
      return { status: 204 };
    },
    { keep: false },
  ),
};
