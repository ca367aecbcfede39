/** Tests that the projector moves the rows of a large data set to a separate partition. */
import { streams } from '@rdm/contracts';
import { PARTITION_BEYOND_ROWS } from '@rdm/projector/read-models/instances';
import { describe, expect, it } from 'vitest';
import { checksumsOf, MemoryLog, schemaOfBuild, useProjectorEnvironment, waitUntilProjected } from '../environment.ts';
import { type NewEvent, recorder } from '../generated-history.ts';

const environment = useProjectorEnvironment();
const ROWS = 1_000;

/** Returns one event that imports rows into bucket 0. */
const importEvent = (dataSetId: number, from: number): NewEvent => ({
  stream: streams.instances(dataSetId, 0),
  type: 'InstancesImported',
  actorId: 1,
  dataSetIds: [dataSetId],
  data: {
    jobId: 1,
    schemaRevision: 1,
    keyFieldIds: [11],
    fieldIds: [11],
    rows: Array.from({ length: ROWS }, (_, index) => [(from + index) * 64, `code ${from + index}`]),
  },
});

describe('a large data set', () => {
  it('moves to its own partition, and accepts further writes', async () => {
    const record = recorder();
    const events = [record(importEvent(2, 1))];
    for (let from = 0; from <= PARTITION_BEYOND_ROWS; from += ROWS) events.push(record(importEvent(1, from)));
    events.push(
      record({
        stream: streams.instances(1, 0),
        type: 'InstancesRemoved',
        actorId: 1,
        dataSetIds: [1],
        data: { ids: [64, 128] },
      }),
      record(importEvent(1, 100_000)),
    );
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    environment.project(url, log);
    await waitUntilProjected(pool, events.length);
    const { rows } = await pool.query(
      `SELECT tableoid::regclass::text AS partition, data_set_id, count(*) FILTER (WHERE NOT deleted) AS rows
         FROM ${schemaOfBuild('instances')}.instances GROUP BY 1, 2 ORDER BY 2`,
    );
    expect(rows).toEqual([
      {
        partition: `${schemaOfBuild('instances')}.instances_of_1`,
        data_set_id: 1,
        rows: PARTITION_BEYOND_ROWS + 2 * ROWS - 2,
      },
      { partition: `${schemaOfBuild('instances')}.instances_default`, data_set_id: 2, rows: ROWS },
    ]);
    // In small batches, the rows move at another time. The result must be the same.
    const other = await environment.database();
    environment.project(other.url, log, { limits: { events: 3, bytes: 1e9, rows: 1e9 } });
    await waitUntilProjected(other.pool, events.length);
    expect(await checksumsOf(other.pool)).toEqual(await checksumsOf(pool));
  });
});
