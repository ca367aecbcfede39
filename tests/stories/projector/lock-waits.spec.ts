/** Tests that a projector that waits for a lock reports the wait and the holder of the lock, and blocks no readers. */
import { type LockTimeouts, lockWarning } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { eventually, waitUntilProjected } from './environment.ts';
import { projectTwoRows, schema, useLockedProjection } from './locked-projection.ts';

useLockedProjection();

describe('a projector that waits for a lock', () => {
  it('reports the table and the session that holds the lock', async () => {
    const { pool, projector, session, pid, appendRow } = await projectTwoRows();
    const readWarning = (afterMs: number) => lockWarning(pool, projector.lockTimeouts, afterMs);
    await session.query(`BEGIN; LOCK TABLE ${schema}.data_set_counts IN ACCESS EXCLUSIVE MODE`);
    appendRow();
    const waitMessage = new RegExp(
      `waited since .* UTC for a lock on the table ${schema}\\.data_set_counts: .* session ${pid}`,
    );
    await eventually(async () => expect(await readWarning(0)).toMatch(waitMessage));
    expect(await readWarning(60_000)).toBeUndefined();
    await session.query('ROLLBACK');
    session.release();
    await waitUntilProjected(pool, 3);
    expect(await readWarning(0)).toBeUndefined();
  });

  it('does not block readers while a vacuum delays the new partition of a data set', async () => {
    const { pool, session, appendRow } = await projectTwoRows();
    const table = `${schema}.instances_default`;
    // VACUUM takes the same lock.
    await session.query(`BEGIN; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
    appendRow();
    await eventually(async () => {
      const waits = await pool.query('SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass', [table]);
      expect(waits.rowCount).toBe(1);
    });
    // The query fails after a second if the waiting projector blocks readers.
    await pool.query(`BEGIN; SET LOCAL lock_timeout = '1s'; SELECT count(*) FROM ${schema}.instances; COMMIT`);
    await session.query('ROLLBACK');
    session.release();
    await waitUntilProjected(pool, 3);
  });

  it('names only sessions that hold a lock on the table', async () => {
    const { pool, projector, session, pid, appendRow } = await projectTwoRows();
    await session.query(`BEGIN; LOCK TABLE ${schema}.data_set_counts IN ACCESS EXCLUSIVE MODE`);
    appendRow();
    const readWarning = (timeouts: LockTimeouts) => lockWarning(pool, timeouts, 0);
    await eventually(async () => expect(await readWarning(new Map())).toContain(`session ${pid}`));
    const since = new Date(Date.now() - 60_000);
    const warning = await readWarning(new Map([[`${schema}.instances`, since]]));
    expect(warning).toMatch(new RegExp(`table ${schema}\\.instances: newer changes do not appear\\.$`));
    expect(await readWarning(new Map([[`${schema}.data_set_counts`, since]]))).toContain(`session ${pid}`);
    await session.query('ROLLBACK');
    session.release();
    await waitUntilProjected(pool, 3);
    expect(projector.lockTimeouts.size).toBe(0);
  });
});
