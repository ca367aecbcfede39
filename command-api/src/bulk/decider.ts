/** The life cycle of a bulk job: requested once, ended once. */
import { type BulkDecision, type BulkDecisionEvent, type ImportCounts, Refusal } from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';

type RequestedData = Extract<BulkDecisionEvent, { type: 'BulkDecisionRequested' }>['data'];

/** How a job ends: completed, cancelled, or failed. */
export type BulkEnd = { status: 'DONE' | 'CANCELLED' } | { status: 'FAILED'; reason: string };

export function requestBulk(job: BulkDecision | undefined, request: RequestedData): Decision<BulkDecisionEvent> {
  return job ? nothing() : decided({ type: 'BulkDecisionRequested', data: request });
}

export function endBulk(
  job: BulkDecision | undefined,
  end: BulkEnd,
  counts: ImportCounts,
): Decision<BulkDecisionEvent> {
  if (hasEnded(requireBulk(job))) return nothing();
  if (end.status === 'FAILED') return decided({ type: 'BulkDecisionFailed', data: { reason: end.reason, counts } });
  return decided({ type: end.status === 'DONE' ? 'BulkDecisionCompleted' : 'BulkDecisionCancelled', data: { counts } });
}

function requireBulk(job: BulkDecision | undefined): BulkDecision {
  if (!job) throw new Refusal('NOT_FOUND', 'This job does not exist');
  return job;
}

export const hasEnded = ({ status }: BulkDecision): boolean => status !== 'PENDING' && status !== 'IN_PROGRESS';
