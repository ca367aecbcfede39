/**
 * Tests how PostgreSQL plans statements on the shared table of rows. A plan for one row would join a new data set by
 * nested loops, in quadratic time. A plan for an almost empty table would read the rows of all data sets.
 */
import { streams } from '@rdm/contracts';
import { projections } from '@rdm/projector';
import { expect, it } from 'vitest';
import { MemoryLog, schemaOf, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();
const ROWS = 1_000;

const importEvent = (dataSetId: number, rows = ROWS): NewEvent => ({
  stream: streams.instances(dataSetId, 0),
  type: 'InstancesImported',
  actorId: 1,
  dataSetIds: [dataSetId],
  data: {
    jobId: dataSetId,
    schemaRevision: 1,
    keyFieldIds: [11],
    fieldIds: [11],
    rows: Array.from({ length: rows }, (_, index) => [index * 64, `code ${index}`]),
  },
});

it('the planner expects several rows for a data set that was imported after the last ANALYZE', async () => {
  const record = recorder();
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...[1, 2, 3].map((dataSetId) => record(importEvent(dataSetId))));
  environment.project(url, log, { projections: projections.filter(({ name }) => name === 'instances') });
  await waitUntilProjected(pool, 3);
  const schema = await schemaOf(pool, 'instances');
  await pool.query(`ANALYZE ${schema}.instances`);
  log.append(record(importEvent(4)));
  await waitUntilProjected(pool, 4);
  const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) SELECT id FROM ${schema}.instances WHERE data_set_id = 4`);
  expect(rows[0]['QUERY PLAN'][0].Plan['Plan Rows']).toBeGreaterThan(ROWS / 100);
});

it('a prepared statement does not scan the whole table after the import of other data sets', async () => {
  const record = recorder();
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(record(importEvent(1, 1)));
  environment.project(url, log, { projections: projections.filter(({ name }) => name === 'instances') });
  await waitUntilProjected(pool, 1);
  const schema = await schemaOf(pool, 'instances');
  await pool.query(`ANALYZE ${schema}.instances`);
  const reader = await pool.connect();
  try {
    await reader.query('SET plan_cache_mode = force_generic_plan');
    await reader.query(`PREPARE small AS SELECT id FROM ${schema}.instances WHERE data_set_id = 1`);
    await reader.query('EXECUTE small');
    log.append(...[2, 3].map((dataSetId) => record(importEvent(dataSetId))));
    await waitUntilProjected(pool, 3);
    const { rows } = await reader.query('EXPLAIN EXECUTE small');
    expect(JSON.stringify(rows)).not.toContain('Seq Scan');
  } finally {
    reader.release(true);
  }
});
