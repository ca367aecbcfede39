/**
 * The planner of PostgreSQL must expect several rows for a data set that is newer than the statistics of its table. If
 * it expected one row, queries would join the rows by nested loops, in a time that grows with the square of their
 * number.
 */
import { streams } from '@rdm/contracts';
import { projections } from '@rdm/projector';
import { expect, it } from 'vitest';
import { MemoryLog, schemaOf, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();
const ROWS = 1_000;

const importEvent = (dataSetId: number): NewEvent => ({
  stream: streams.instances(dataSetId, 0),
  type: 'InstancesImported',
  actorId: 1,
  dataSetIds: [dataSetId],
  data: {
    jobId: dataSetId,
    schemaRevision: 1,
    keyFieldIds: [11],
    fieldIds: [11],
    rows: Array.from({ length: ROWS }, (_, index) => [index * 64, `code ${index}`]),
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
