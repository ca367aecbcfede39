/** A projector that waits for a lock of another session reports the wait and the session. */
import { type LockTimeouts, lockWarning } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { eventually, waitUntilProjected } from './environment.ts';
import { projectFirstRow, schema, useLockedProjection } from './locked-projection.ts';

useLockedProjection();

describe('a projector that waits for a lock', () => {
  it('reports the table and the session that holds the lock, until it gets the lock', async () => {
    const { pool, projector, session, pid, appendRow } = await projectFirstRow();
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
    await waitUntilProjected(pool, 2);
    expect(await readWarning(0)).toBeUndefined();
  });

  it('names only sessions that hold a lock on the table', async () => {
    const { pool, projector, session, pid, appendRow } = await projectFirstRow();
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
    await waitUntilProjected(pool, 2);
    expect(projector.lockTimeouts.size).toBe(0);
  });
});
