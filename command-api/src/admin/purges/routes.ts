/** Routes of purges for administrators, and the routes by which the maintenance process reports. */
import {
  administrators,
  ConfirmPurge,
  confirmationBy,
  DeclinePurge,
  type IdentityProof,
  PlanPurge,
  purgeEvents,
  RequestPurge,
  streams,
} from '@rdm/contracts';
import { type Access, type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { ChangeAnswer, withPosition } from '../../runtime/answer-schemas.ts';
import type { CommandDefinition, Commands } from '../../runtime/commands.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import type { Streams } from '../../runtime/streams.ts';
import { purgeCommands } from './commands.ts';

export interface PurgeDependencies {
  commands: Commands;
  streams: Streams;
  access: Access;
  /** Throws if the proof of the user's identity in the request is missing or wrong. */
  requireIdentity: (request: ApiRequest, proof: IdentityProof) => Promise<void>;
}

const Outcome = z.discriminatedUnion('type', [
  z.object({ type: z.literal('PurgeManifestPart'), data: purgeEvents.PurgeManifestPart.schema }),
  z.object({ type: z.literal('PurgeManifestSealed'), data: purgeEvents.PurgeManifestSealed.schema }),
  z.object({ type: z.literal('PurgeReclaiming'), data: purgeEvents.PurgeReclaiming.schema }),
  z.object({ type: z.literal('PurgeFailed'), data: purgeEvents.PurgeFailed.schema }),
  z.object({ type: z.literal('PurgeCompleted'), data: purgeEvents.PurgeCompleted.schema }),
]);

/** An outcome can contain a part of a manifest, which lists thousands of events. */
const OUTCOME_BYTES_MAX = 4 * 1024 * 1024;

/** Returns the metadata of a command that the system runs for the user `actorId`, or for no user. */
const onBehalfOf = (actorId: number | null, { requestId, correlationId }: ApiRequest) => ({
  actorId,
  requestId,
  correlationId,
  sourceType: 'SYSTEM' as const,
});

export function purgeRoutes({ commands, streams: log, access, requireIdentity }: PurgeDependencies): Route[] {
  const administrator = { administrator: true } as const;
  const service = { service: true } as const;
  commands.register(Object.values(purgeCommands) as CommandDefinition<never>[]);

  const purgeOf = async (id: number) => (await log.load(kinds.purge, streams.purge(id))).state;

  /** Requires a new proof of identity if the user requested the purge and is the only administrator. */
  async function requireIdentityOfOnlyAdministrator(id: number, request: ApiRequest<IdentityProof>) {
    const purge = await purgeOf(id);
    const context = { userId: request.principal.userId, administrators: administrators(await access.current()) };
    if (purge && confirmationBy(purge, context).isOnlyAdministrator) await requireIdentity(request, request.body);
  }

  const stepRoute = (name: 'resume' | 'reclaim', summary: string) =>
    route(
      'post',
      `/api/purges/:id/${name}`,
      administrator,
      { summary, answers: { 200: ChangeAnswer }, errors: ['CONFLICT'] },
      (request) => commands.handle(purgeCommands[name], request, { id: idParam(request) }),
    );

  return [
    route(
      'post',
      '/api/purges',
      administrator,
      {
        summary: 'Plan a purge: a dry run lists what would be deleted for good',
        example: { body: { kind: 'dataSets', scope: { collectionId: null }, before: '2026-01-01T00:00:00Z' } },
        answers: { 202: withPosition(z.object({ id: z.number() })) },
        body: PlanPurge,
      },
      (request) => commands.handle(purgeCommands.plan, request, { body: request.body }),
    ),
    route(
      'post',
      '/api/purges/:id/request',
      administrator,
      {
        summary: 'Request a purge that was planned; a different administrator confirms it, unless there is only one',
        example: { body: { phrase: 'purge 3 data sets', reason: 'Retention rule R7' } },
        answers: { 200: ChangeAnswer },
        errors: ['WRONG_PHRASE', 'PLAN_CHANGED', 'LEGAL_HOLD', 'CONFLICT', 'PURGED'],
        body: RequestPurge,
      },
      (request) => commands.handle(purgeCommands.request, request, { id: idParam(request), body: request.body }),
    ),
    route(
      'post',
      '/api/purges/:id/confirm',
      administrator,
      {
        summary: 'Confirm a purge and start its job; the requester can confirm only if no other administrator exists',
        example: { body: {} },
        answers: { 200: ChangeAnswer },
        errors: [
          'SAME_ADMINISTRATOR',
          'WRONG_PASSWORD',
          'LOCKED_OUT',
          'SIGN_IN_AGAIN',
          'PLAN_CHANGED',
          'LEGAL_HOLD',
          'PURGE_RUNNING',
          'CONFLICT',
          'PURGED',
        ],
        body: ConfirmPurge,
      },
      async (request) => {
        const id = idParam(request);
        await requireIdentityOfOnlyAdministrator(id, request);
        return commands.handle(purgeCommands.confirm, request, { id });
      },
    ),
    route(
      'post',
      '/api/purges/:id/decline',
      administrator,
      {
        summary: 'Decline a purge that was requested',
        example: { body: { reason: 'Needed for the annual report' } },
        answers: { 200: ChangeAnswer },
        errors: ['CONFLICT'],
        body: DeclinePurge,
      },
      (request) => commands.handle(purgeCommands.decline, request, { id: idParam(request), ...request.body }),
    ),
    route(
      'post',
      '/api/purges/:id/cancel',
      administrator,
      {
        summary: 'Discard a dry run, or cancel a purge that has not begun to delete',
        example: { from: { id: { operation: 'POST /api/purges', property: 'id' } } },
        answers: { 200: ChangeAnswer },
        errors: ['CONFLICT'],
      },
      (request) => commands.handle(purgeCommands.cancel, request, { id: idParam(request) }),
    ),
    stepRoute('resume', 'Resume a purge that failed'),
    stepRoute('reclaim', 'Check again whether the space of a purge can be reclaimed'),

    route(
      'post',
      '/internal/purges/outcomes',
      service,
      {
        summary: 'Record the progress or the outcome of a purge',
        answers: { 204: null },
        errors: ['CONFLICT'],
        body: Outcome,
        limit: OUTCOME_BYTES_MAX,
      },
      async (request) => {
        const outcome = request.body;
        const purge = await purgeOf(outcome.data.purgeId);
        // Only the completion has an actor: the administrator who requested the purge.
        const actorId = outcome.type === 'PurgeCompleted' ? (purge?.requestedBy ?? null) : null;
        const by = onBehalfOf(actorId, request);
        const { position } = await commands.runAs(purgeCommands.record, request.idempotencyKey, { outcome }, by);
        return { status: 204, position };
      },
    ),
    route(
      'post',
      '/internal/purges/registrations',
      service,
      {
        summary: 'Register a purge whose manifest is sealed',
        answers: { 204: null },
        errors: ['CONFLICT'],
        body: purgeEvents.PurgeRegistered.schema,
      },
      async (request) => {
        const by = onBehalfOf(null, request);
        const input = { data: request.body };
        const { position } = await commands.runAs(purgeCommands.register, request.idempotencyKey, input, by);
        return { status: 204, position };
      },
    ),
  ];
}
