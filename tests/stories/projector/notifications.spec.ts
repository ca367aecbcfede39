/** Tests notifications of large commands, after rebuilds, and after the restore of an older log. */
import { BUCKETS } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { eventually, MemoryLog, schemaOf } from './environment.ts';
import {
  AUTHOR,
  createCommandRecorder,
  environment,
  notifications,
  ONE_BY_ONE,
  projectEvents,
  REVIEWER,
  readChecksums,
  rowsOf,
  useNotifications,
} from './projected-notifications.ts';

useNotifications();

const ROWS = 10_048;

describe('notifications', () => {
  it('are created once for the submission and once for the decision of 10,000 rows', async () => {
    const recordCommand = createCommandRecorder();
    const ids = Array.from({ length: ROWS }, (_, index) => index + 1);
    const events = [
      ...recordCommand(AUTHOR, ids, (bucketIds) => ({
        type: 'MappingsSubmitted',
        data: { ids: bucketIds, comment: 'Please' },
      })),
      ...recordCommand(REVIEWER, ids.slice(0, -48), (bucketIds) => ({
        type: 'MappingsApproved',
        data: { ids: bucketIds },
      })),
    ];
    const { pool, projector } = await projectEvents(events);
    const query = `SELECT user_id, reason, count, waiting, cardinality(ids) AS named, seq, part FROM $schema.notifications ORDER BY seq`;
    expect(await rowsOf(pool, query)).toEqual([
      { user_id: 0, reason: 'REVIEW', count: ROWS, waiting: 48, named: 100, seq: 1, part: 0 },
      { user_id: AUTHOR, reason: 'APPROVED', count: ROWS - 48, waiting: 0, named: 100, seq: BUCKETS + 1, part: 0 },
    ]);
    // For each bucket, the table has at most two lists of ids: decided rows, and rows under review.
    const [{ lists, ids: idCount }] = await rowsOf(
      pool,
      'SELECT count(*)::int AS lists, sum(cardinality(ids))::int AS ids FROM $schema.submitted_rows',
    );
    expect(idCount).toBe(ROWS);
    expect(lists).toBeLessThanOrEqual(2 * BUCKETS);
    const single = await projectEvents(events, ONE_BY_ONE);
    expect(await readChecksums(single.pool)).toEqual(await readChecksums(pool));
    const [build] = (await projector.rebuilder?.rebuild(notifications)) ?? [];
    await eventually(async () => expect(await schemaOf(pool, 'notifications')).toBe(build?.schema));
    expect(await readChecksums(pool)).toEqual(await readChecksums(single.pool));
  });

  it('have no read positions and no marks beyond the end of a restored log', async () => {
    const recordCommand = createCommandRecorder();
    const events = [1, 2].flatMap((id) =>
      recordCommand(AUTHOR, [id], (ids) => ({ type: 'MappingsSubmitted', data: { ids } })),
    );
    const { url, pool } = await environment.database();
    // The identity tables are newer than the restored log, so they contain read positions of later notifications.
    await pool.query(`
      INSERT INTO identity.users (id, username, email) VALUES (4, 'd', 'd@example.com'), (5, 'e', 'e@example.com'), (6, 'f', 'f@example.com');
      INSERT INTO identity.notifications_seen (user_id, read_up_to, dismissed_up_to) VALUES (4, 90, 1), (5, 2, 50), (6, 1, 1);
      INSERT INTO identity.notification_marks (user_id, seq, part) VALUES (4, 2, 0), (4, 3, 0), (5, 90, 1)`);
    const log = new MemoryLog();
    log.append(...events);
    environment.project(url, log, { projections: [notifications], limits: ONE_BY_ONE });
    const readPositions = async () =>
      (await pool.query('SELECT user_id, read_up_to, dismissed_up_to FROM identity.notifications_seen ORDER BY 1'))
        .rows;
    await eventually(async () =>
      expect(await readPositions()).toEqual([
        { user_id: 4, read_up_to: 2, dismissed_up_to: 1 },
        { user_id: 5, read_up_to: 2, dismissed_up_to: 2 },
        { user_id: 6, read_up_to: 1, dismissed_up_to: 1 },
      ]),
    );
    expect((await pool.query('SELECT user_id, seq FROM identity.notification_marks')).rows).toEqual([
      { user_id: 4, seq: 2 },
    ]);
  });
});
