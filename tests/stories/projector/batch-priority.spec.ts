/** Tests the scheduling priority of the transactions of the projector in an embedded PostgreSQL. */
import { getPriority } from 'node:os';
import { streams } from '@rdm/contracts';
import type { Projection } from '@rdm/projector';
import { expect, it } from 'vitest';
import { MemoryLog, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();

const importEvent = (rowCount: number): NewEvent => ({
  stream: streams.instances(1, 0),
  type: 'InstancesImported',
  actorId: 1,
  dataSetIds: [1],
  data: {
    jobId: 1,
    schemaRevision: 1,
    keyFieldIds: [11],
    fieldIds: [11],
    rows: Array.from({ length: rowCount }, (_, row) => [row * 64, `code ${row}`]),
  },
});

it('writes thousands of imported rows at a lower priority than a few rows', async () => {
  const record = recorder();
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  const priorities: number[] = [];
  const priorityRecorder: Projection = {
    name: 'priorities',
    version: 1,
    categories: 'all',
    tables: [],
    async apply({ client }) {
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      priorities.push(getPriority(rows[0].pid));
      return new Map();
    },
  };
  environment.project(url, log, { projections: [priorityRecorder], isDatabaseEmbedded: true });
  for (const [index, rowCount] of [1, 3_000, 1].entries()) {
    log.append(record(importEvent(rowCount)));
    await waitUntilProjected(pool, index + 1);
  }
  expect(priorities).toEqual([getPriority(), 10, getPriority()]);
});
