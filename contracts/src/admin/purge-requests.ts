/** The requests and answers of purges in the API. */
import { z } from 'zod';
import { IdentityProof } from '../access/identity-proof.ts';
import { defineView } from '../define-view.ts';
import { Reason } from '../text/fields.ts';
import { PURGE_KINDS } from '../text/purge-kinds.ts';
import { PURGE_STATUSES, PURGE_STEPS, PurgePlan, PurgeScope } from './purges.ts';

/** POST /api/purges: plans a purge. */
export const PlanPurge = z
  .object({
    kind: z.enum(PURGE_KINDS),
    scope: PurgeScope.default({ collectionId: null }).describe('One collection, or all data.'),
    before: z.iso
      .datetime({ offset: true })
      .describe('Selects only items that were deleted or ended before this instant.'),
  })
  .refine(({ kind, scope }) => kind !== 'telemetry' || scope.collectionId === null, {
    path: ['scope', 'collectionId'],
    error: 'Telemetry belongs to no collection: leave scope out, or set collectionId to null',
  });
export type PlanPurge = z.infer<typeof PlanPurge>;

/** POST /api/purges/{id}/request. */
export const RequestPurge = z.object({
  phrase: z.string().max(200).describe('Typed by the administrator, such as “purge 3 data sets”.'),
  reason: Reason,
});
export type RequestPurge = z.infer<typeof RequestPurge>;

/** POST /api/purges/{id}/confirm. */
export const ConfirmPurge = IdentityProof.describe(
  'Required if the caller requested the purge and is the only administrator.',
);

/** POST /api/purges/{id}/decline. */
export const DeclinePurge = z.object({ reason: Reason });

/** One row of GET /api/purges. */
export const PurgeView = defineView(() =>
  z.object({
    id: z.number(),
    jobId: z.number().describe('The id of the job of a confirmed purge; it is the id of the purge.'),
    kind: z.enum(PURGE_KINDS),
    scope: PurgeScope,
    before: z.string(),
    status: z.enum(PURGE_STATUSES),
    isPlanned: z.boolean().describe('Whether the dry run has ended.'),
    expiresAt: z.string().nullable().describe('The time until which the purge can be requested after its dry run.'),
    phrase: z.string().nullable().describe('The phrase that the administrator types to request the purge.'),
    counts: z.record(z.string(), z.number()).nullable().describe('Null until the dry run has ended.'),
    reason: z.string().nullable(),
    requestedBy: z.string().nullable(),
    requestedAt: z.string().nullable(),
    confirmedBy: z.string().nullable(),
    confirmedAt: z.string().nullable(),
    mayConfirm: z.boolean().describe('Whether the viewer can confirm the purge now.'),
    confirmNeedsPassword: z
      .boolean()
      .describe(
        'Whether the purge waits for a confirmation, and the viewer requested it and is the only administrator.',
      ),
    confirmFrom: z.string().nullable().describe('The time from which the only administrator can confirm the purge.'),
    isSealed: z.boolean().describe('Whether the purge can no longer be cancelled, only completed.'),
    step: z.enum(PURGE_STEPS).nullable().describe('The step that runs, or that failed.'),
    problem: z.string().nullable().describe('Why the purge failed, was declined or could not be planned.'),
    command: z
      .string()
      .nullable()
      .describe('The command with which the operator of the event store frees the space; null if none is needed.'),
    stored: z
      .number()
      .nullable()
      .describe('The number of purged events that the files of the event store contained at the last check.'),
    bytes: z.number().nullable().describe('The number of freed bytes.'),
    leftovers: z.array(z.string()).describe('Where bytes of purged data may still be.'),
    createdAt: z.string(),
    endedAt: z.string().nullable(),
  }),
);
export type PurgeView = z.infer<typeof PurgeView>;

/** GET /api/purges. */
export const PurgesView = defineView(() =>
  z.object({ items: z.array(PurgeView).describe('Newest first.'), total: z.number() }),
);

/** GET /api/purges/{id}. */
export const PurgeDetailsView = defineView(() =>
  PurgeView.extend({
    plan: PurgePlan.nullable().describe('Null before the dry run has ended and after the purge has ended.'),
  }),
);
export type PurgeDetailsView = z.infer<typeof PurgeDetailsView>;
