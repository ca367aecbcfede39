/** Notifications are limited per user and per reviewed data set. */
import { NOTIFICATIONS_KEPT } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import {
  AUTHOR,
  createCommandRecorder,
  projectEvents,
  REVIEWER,
  readChecksums,
  rowsOf,
  useNotifications,
} from '../projected-notifications.ts';

useNotifications();

const SMALL_BATCHES = { events: 37, bytes: 1e9, rows: 1e9 };

describe('notifications', () => {
  it('are limited to the newest per user and per reviewed data set, also in small batches', async () => {
    const recordCommand = createCommandRecorder();
    const excess = 20;
    const events = Array.from({ length: NOTIFICATIONS_KEPT + excess }, (_, index) => [
      ...recordCommand(AUTHOR, [index + 1], (ids) => ({ type: 'MappingsSubmitted', data: { ids } })),
      ...recordCommand(REVIEWER, [index + 1], (ids) => ({ type: 'MappingsRejected', data: { ids, comment: 'no' } })),
    ]).flat();
    const [inOneBatch, inSmallBatches] = [await projectEvents(events), await projectEvents(events, SMALL_BATCHES)];
    expect(
      await rowsOf(
        inOneBatch.pool,
        'SELECT user_id, count(*)::int AS kept, min(seq)::int AS oldest FROM $schema.notifications GROUP BY 1 ORDER BY 1',
      ),
    ).toEqual([
      // Notifications of reviewers belong to the data set and have no user.
      { user_id: 0, kept: NOTIFICATIONS_KEPT, oldest: 2 * excess + 1 },
      { user_id: AUTHOR, kept: NOTIFICATIONS_KEPT, oldest: 2 * excess + 2 },
    ]);
    expect(await readChecksums(inSmallBatches.pool)).toEqual(await readChecksums(inOneBatch.pool));
  });
});
