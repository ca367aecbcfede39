/** Queries and commands for purges and legal holds. */

import type { IdentityProof } from '@rdm/contracts/access/identity-proof';
import type { LegalHoldView, PlaceLegalHold } from '@rdm/contracts/access/legal-holds';
import type { PlanPurge, PurgeDetailsView, PurgeView } from '@rdm/contracts/admin/purge-requests';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';

const PURGES = '/api/purges';
const HOLDS = '/api/legal-holds';
/** Purges are polled, because they have no live updates. They are polled faster while a dry run or a purge runs. */
const REFRESH_MS = 10_000;
const WORKING_REFRESH_MS = 1_000;

const purgesKey = ['purges'] as const;

const isWorking = ({ status, isPlanned, problem }: PurgeView): boolean =>
  status === 'CONFIRMED' || status === 'RUNNING' || (status === 'DRY_RUN' && !isPlanned && problem === null);

export const purgesQuery = queryOptions({
  queryKey: [...purgesKey, 'list'],
  queryFn: async () => (await read<{ items: PurgeView[] }>(PURGES)).items,
  refetchInterval: ({ state }) => (state.data?.some(isWorking) ? WORKING_REFRESH_MS : REFRESH_MS),
});

export const purgeQuery = (id: number) =>
  queryOptions({
    queryKey: [...purgesKey, 'one', id],
    queryFn: () => read<PurgeDetailsView>(`${PURGES}/${id}`),
    refetchInterval: ({ state }) => (state.data && isWorking(state.data) ? WORKING_REFRESH_MS : REFRESH_MS),
  });

export const holdsQuery = queryOptions({
  queryKey: [...purgesKey, 'holds'],
  queryFn: async () => (await read<{ items: LegalHoldView[] }>(HOLDS)).items,
});

/** Reloads purges and legal holds together, because a hold changes what a purge deletes. */
export const reloadPurges = (queries: QueryClient) => queries.invalidateQueries({ queryKey: purgesKey });

export const planPurge = (plan: PlanPurge) => write<{ id: number }>('POST', PURGES, plan);

export const requestPurge = (id: number, request: { phrase: string; reason: string }) =>
  write('POST', `${PURGES}/${id}/request`, request);

export const confirmPurge = (id: number, proof: IdentityProof) => write('POST', `${PURGES}/${id}/confirm`, proof);

export const declinePurge = (id: number, reason: string) => write('POST', `${PURGES}/${id}/decline`, { reason });

export const changePurge = (id: number, verb: 'cancel' | 'resume' | 'reclaim') =>
  write('POST', `${PURGES}/${id}/${verb}`);

export const placeHold = (hold: PlaceLegalHold) => write<{ id: number }>('POST', HOLDS, hold);

export const releaseHold = (id: number, reason: string) => write('POST', `${HOLDS}/${id}/release`, { reason });
