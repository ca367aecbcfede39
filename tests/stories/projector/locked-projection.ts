/** Projects rows of a data set that gets a partition with its next row, for tests of locks. */
import { streams } from '@rdm/contracts';
import { PARTITION_BEYOND_ROWS } from '@rdm/projector/read-models/instances';
import {
  MemoryLog,
  type ProjectorEnvironment,
  schemaOfBuild,
  useProjectorEnvironment,
  waitUntilProjected,
} from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

let environment: ProjectorEnvironment;

/** Starts the environment of the projector before the tests of a file. */
export function useLockedProjection(): void {
  environment = useProjectorEnvironment();
}

export const schema = schemaOfBuild('instances');

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

/** Returns the projector after two rows, a separate database session, and a function that appends the third row. */
export async function projectTwoRows() {
  const record = recorder();
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(record(importEvent(1, 1)));
  const { projector } = environment.project(url, log);
  await waitUntilProjected(pool, 1);
  await pool.query(`UPDATE ${schema}.data_set_counts SET instances = $1`, [PARTITION_BEYOND_ROWS]);
  // The second row creates the table of the partition, the third fills and attaches it.
  log.append(record(importEvent(1, 2)));
  await waitUntilProjected(pool, 2);
  const session = await pool.connect();
  const { rows } = await session.query('SELECT pg_backend_pid() AS pid');
  return { pool, projector, session, pid: rows[0].pid, appendRow: () => log.append(record(importEvent(1, 3))) };
}
