/** The same log produces the same rows in batches of different sizes, after a restart, and in a rebuild. */
import type { Pool } from '@rdm/platform';
import { projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, schemaOf, schemaOfBuild, waitUntilProjected } from './environment.ts';
import { loggedHistory } from './generated-history.ts';
import { BY_SEVEN, environment, ONE_BY_ONE, projectInBatches, useProjections } from './projected-history.ts';

useProjections();

/** The number of steps of the history in the first test: enough to fill every table. */
const STEPS = process.env['FAULTS'] === 'long' ? 200 : 120;

/** Checks that the stored counts of pending items match the pending rows in the tables of approval items. */
async function requirePendingCounts(pool: Pool): Promise<void> {
  for (const [projection, prefix] of [
    ['crosswalks', ''],
    ['relationships', 'relationship_'],
  ] as const) {
    const schema = await schemaOf(pool, projection);
    const columns = 'parent_id, authors, submitted_by, pending';
    const { rows: counted } = await pool.query(
      `SELECT ${columns} FROM ${schema}.${prefix}pending_counts ORDER BY 1, 2, 3`,
    );
    const { rows: waiting } = await pool.query(
      `SELECT parent_id, authors, coalesce(submitted_by, 0) AS submitted_by, count(*) AS pending
         FROM ${schema}.${prefix}approval_items WHERE status = 'PENDING' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    );
    expect(waiting.length, projection).toBeGreaterThan(0);
    expect(counted, projection).toEqual(waiting);
  }
}

describe('the same log', () => {
  it('produces the same rows in batches of one, of seven and of many events', async () => {
    const events = loggedHistory(7, STEPS);
    const [single, seven, many] = [
      await projectInBatches(events, ONE_BY_ONE),
      await projectInBatches(events, BY_SEVEN),
      await projectInBatches(events),
    ];
    const expected = await checksumsOf(single.pool);
    expect(Object.keys(expected)).toHaveLength(46);
    for (const [table, sum] of Object.entries(expected)) expect(sum, table).not.toBe('0:0');
    expect(await checksumsOf(seven.pool)).toEqual(expected);
    expect(await checksumsOf(many.pool)).toEqual(expected);
    await requirePendingCounts(many.pool);
  });

  it('produces the same rows in a rebuild while the reader is behind', async () => {
    const events = loggedHistory(10, 120);
    const whole = await projectInBatches(events);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    const before = Math.floor(events.length / 2);
    log.append(...events);
    const release = log.holdNextSubscriberAfter(before);
    const { projector } = environment.project(url, log);
    await waitUntilProjected(pool, before);
    await projector.rebuilder?.rebuild(...projections);
    await eventually(async () => expect(await schemaOf(pool, 'instances')).toBe(schemaOfBuild('instances', 2)));
    release();
    await waitUntilProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(whole.pool));
    const { rows } = await pool.query(`SELECT name FROM platform.builds WHERE state = 'DETACHED'`);
    expect(rows).toEqual([]);
  });

  it('produces the same rows after a restart and interrupted subscriptions', async () => {
    const events = loggedHistory(9, 120);
    const whole = await projectInBatches(events);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 50));
    const first = environment.project(url, log);
    await waitUntilProjected(pool, 50);
    await first.stop();
    log.append(...events.slice(50));
    log.interruption = { after: 40 };
    environment.project(url, log, { limits: BY_SEVEN });
    await eventually(() => expect(log.interruption).toBeUndefined());
    log.interruption = { after: 3, error: new Error('the subscription failed') };
    await waitUntilProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(whole.pool));
  });
});
