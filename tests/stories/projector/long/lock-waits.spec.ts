/** A projector that waits for a lock to attach a partition does not block other queries. */
import { lockWarning } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { eventually, waitUntilProjected } from '../environment.ts';
import { projectTwoRows, schema, useLockedProjection } from '../locked-projection.ts';

useLockedProjection();

describe('a projector that waits for a lock', () => {
  it('does not block other queries of the table', async () => {
    const { pool, projector, session, appendRow } = await projectTwoRows();
    const countRows = `SELECT count(*)::integer AS count FROM ${schema}.instances`;
    await session.query(`BEGIN; ${countRows}`);
    appendRow();
    await eventually(() => expect([...projector.lockTimeouts.keys()]).toEqual([`${schema}.instances`]));
    expect(await lockWarning(pool, projector.lockTimeouts, 0)).toContain(`a lock on the table ${schema}.instances`);
    const { rows } = await pool.query(countRows);
    expect(rows).toEqual([{ count: 2 }]);
    await session.query('ROLLBACK');
    session.release();
    await waitUntilProjected(pool, 3);
    expect((await pool.query(countRows)).rows).toEqual([{ count: 3 }]);
    expect(projector.lockTimeouts.size).toBe(0);
  });
});
