/** Specifies the life cycle of a bulk job. */
import { type BulkDecisionEvent, noCounts } from '@rdm/contracts';
import { describe, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { specify } from '../testing/given.ts';
import { endBulk, requestBulk } from './decider.ts';

describe('a bulk decision', () => {
  const { given } = specify(kinds.bulkDecision, 5);
  const requested: Extract<BulkDecisionEvent, { type: 'BulkDecisionRequested' }> = {
    type: 'BulkDecisionRequested',
    data: {
      jobId: 3,
      commandId: '0f1c9c67-0f9f-4d1e-8a10-b7a1c1de64a6',
      description: 'Approve 20,000 mappings of Countries',
      dataSetIds: [9],
      total: 20_000,
      jobType: 'BULK_DECISION',
      fileId: null,
    },
  };
  const counts = { ...noCounts(), total: 20_000, changed: 19_990, failed: 10 };
  const stopped = { ...noCounts(), total: 20_000, changed: 5_000, skipped: 15_000 };
  const completed: BulkDecisionEvent = { type: 'BulkDecisionCompleted', data: { counts } };
  const cancelled: BulkDecisionEvent = { type: 'BulkDecisionCancelled', data: { counts: stopped } };
  const failed: BulkDecisionEvent = {
    type: 'BulkDecisionFailed',
    data: { reason: 'No more permission', counts: stopped },
  };

  it('is requested once', () => {
    given()
      .when((job) => requestBulk(job, requested.data))
      .then(requested);
    given(requested)
      .when((job) => requestBulk(job, requested.data))
      .thenNothing();
  });

  it('ends with the event of its result', () => {
    given(requested)
      .when((job) => endBulk(job, { status: 'DONE' }, counts))
      .then(completed);
    given(requested)
      .when((job) => endBulk(job, { status: 'CANCELLED' }, stopped))
      .then(cancelled);
    given(requested)
      .when((job) => endBulk(job, { status: 'FAILED', reason: 'No more permission' }, stopped))
      .then(failed);
  });

  it.each([completed, cancelled, failed])('does not end again after $type', (end) => {
    given(requested, end)
      .when((job) => endBulk(job, { status: 'DONE' }, counts))
      .thenNothing();
  });

  it('cannot end before the request', () => {
    given()
      .when((job) => endBulk(job, { status: 'DONE' }, counts))
      .thenRefused('NOT_FOUND');
  });
});
