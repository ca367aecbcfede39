/** Projecting while other sessions hold locks: the wait is reported, and it does not block other queries. */
import { streams } from '@rdm/contracts';
import { type LockTimeouts, lockWarning } from '@rdm/projector';
import { PARTITION_BEYOND_ROWS } from '@rdm/projector/read-models/instances';
import { describe, expect, it } from 'vitest';
import { eventually, MemoryLog, schemaOfBuild, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();
const schema = schemaOfBuild('instances');

const importEvent = (dataSetId: number, number: number): NewEvent => ({
  stream: streams.instances(dataSetId, 0),
  type: 'InstancesImported',
  actorId: 1,
  dataSetIds: [dataSetId],
  data: {
    jobId: 1,
    schemaRevision: 1,
    keyFieldIds: [11],
    fieldIds: [11],
    rows: [[number * 64, `code ${number}`]],
  },
});

/** Projects one row of a data set whose next row makes it large; returns the projector and a session of another user. */
async function projectFirstRow() {
  const record = recorder();
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(record(importEvent(1, 1)));
  const { projector } = environment.project(url, log);
  await waitUntilProjected(pool, 1);
  await pool.query(`UPDATE ${schema}.data_set_counts SET instances = $1`, [PARTITION_BEYOND_ROWS]);
  const other = await pool.connect();
  const { rows } = await other.query('SELECT pg_backend_pid() AS pid');
  return { pool, projector, other, pid: rows[0].pid, appendRow: () => log.append(record(importEvent(1, 2))) };
}

describe('a projector that waits for a lock', () => {
  it('reports the table and the session that holds the lock, until it gets the lock', async () => {
    const { pool, projector, other, pid, appendRow } = await projectFirstRow();
    const readWarning = (afterMs: number) => lockWarning(pool, projector.lockTimeouts, afterMs);
    await other.query(`BEGIN; LOCK TABLE ${schema}.data_set_counts IN ACCESS EXCLUSIVE MODE`);
    appendRow();
    const waits = new RegExp(
      `waited since .* UTC for a lock on the table ${schema}\\.data_set_counts: .* session ${pid}`,
    );
    await eventually(async () => expect(await readWarning(0)).toMatch(waits));
    expect(await readWarning(60_000)).toBeUndefined();
    await other.query('ROLLBACK');
    other.release();
    await waitUntilProjected(pool, 2);
    expect(await readWarning(0)).toBeUndefined();
  });

  it('names no session that holds the lock of another table', async () => {
    const { pool, projector, other, pid, appendRow } = await projectFirstRow();
    await other.query(`BEGIN; LOCK TABLE ${schema}.data_set_counts IN ACCESS EXCLUSIVE MODE`);
    appendRow();
    const readWarning = (timeouts: LockTimeouts) => lockWarning(pool, timeouts, 0);
    await eventually(async () => expect(await readWarning(new Map())).toContain(`session ${pid}`));
    const since = new Date(Date.now() - 60_000);
    const warning = await readWarning(new Map([[`${schema}.instances`, since]]));
    expect(warning).toMatch(new RegExp(`table ${schema}\\.instances: newer changes do not appear\\.$`));
    expect(await readWarning(new Map([[`${schema}.data_set_counts`, since]]))).toContain(`session ${pid}`);
    await other.query('ROLLBACK');
    other.release();
    await waitUntilProjected(pool, 2);
    expect(projector.lockTimeouts.size).toBe(0);
  });

  it('does not block other queries while a long query delays the new partition of a data set', async () => {
    const { pool, projector, other, appendRow } = await projectFirstRow();
    const countRows = `SELECT count(*)::integer AS count FROM ${schema}.instances`;
    await other.query(`BEGIN; ${countRows}`);
    appendRow();
    await eventually(() => expect([...projector.lockTimeouts.keys()]).toEqual([`${schema}.instances`]));
    expect(await lockWarning(pool, projector.lockTimeouts, 0)).toContain(`a lock on the table ${schema}.instances`);
    const { rows } = await pool.query(countRows);
    expect(rows).toEqual([{ count: 1 }]);
    await other.query('ROLLBACK');
    other.release();
    await waitUntilProjected(pool, 2);
    expect((await pool.query(countRows)).rows).toEqual([{ count: 2 }]);
    expect(projector.lockTimeouts.size).toBe(0);
  });
});
