/** Legal holds: the data that a hold covers, the purges that it prevents, and the payloads and views of holds. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { Name, Reason } from '../text/fields.ts';
import { type AccessState, HoldScope, type LegalHold, type RunningPurge } from './access.ts';

/** The data of a purge that a hold can cover. */
export interface Purgeable {
  dataSetIds: readonly number[];
  /** The users who acted on the purged data; for telemetry, the users without a hold. Null means all users. */
  userIds: readonly number[] | null;
}

/** The first hold that covers any of the data to purge. */
export const holdOn = ({ holds, ...state }: Pick<AccessState, 'holds' | 'collections'>, purged: Purgeable) =>
  [...holds.values()].find(({ scope }) => covers(state, scope, purged));

/** The first hold that covers the user. */
export const holdOnUser = (state: Pick<AccessState, 'holds' | 'collections'>, userId: number): LegalHold | undefined =>
  holdOn(state, { dataSetIds: [], userIds: [userId] });

/** The first running purge that a hold with this scope would cover. */
export const runningPurgeOf = (
  state: Pick<AccessState, 'purges' | 'collections'>,
  scope: HoldScope,
): RunningPurge | undefined => [...state.purges.values()].find((purge) => covers(state, scope, purge));

function covers({ collections }: Pick<AccessState, 'collections'>, scope: HoldScope, purged: Purgeable): boolean {
  const { dataSetIds, userIds } = purged;
  switch (scope.kind) {
    case 'all':
      return true;
    case 'dataSet':
      return dataSetIds.includes(scope.id);
    case 'collection':
      // A collection still contains its deleted data sets, and a deleted collection its data sets.
      return dataSetIds.some((id) => collections.get(scope.id)?.dataSetIds.has(id));
    case 'user':
      return userIds === null || userIds.includes(scope.id);
  }
}

/** POST /api/legal-holds. */
export const PlaceLegalHold = z.object({
  scope: HoldScope,
  matter: Name('A matter is required').describe('The case that requires the hold.'),
  reason: Reason,
});
export type PlaceLegalHold = z.infer<typeof PlaceLegalHold>;

/** POST /api/legal-holds/{id}/release. */
export const ReleaseLegalHold = z.object({ reason: Reason });

/** One row of GET /api/legal-holds. */
export const LegalHoldView = defineView(() =>
  z.object({
    id: z.number(),
    scope: HoldScope,
    name: z
      .string()
      .nullable()
      .describe(
        'The name of the held data set, collection or user; null for a hold on all data, and if the name no longer exists.',
      ),
    matter: z.string(),
    reason: z.string(),
    placedAt: z.string(),
    placedBy: z.string().nullable(),
    releasedAt: z.string().nullable().describe('Null while the hold is in force.'),
    releasedBy: z.string().nullable(),
    releaseReason: z.string().nullable(),
  }),
);
export type LegalHoldView = z.infer<typeof LegalHoldView>;

/** GET /api/legal-holds. */
export const LegalHoldsView = defineView(() =>
  z.object({ items: z.array(LegalHoldView).describe('Newest first.'), total: z.number() }),
);
