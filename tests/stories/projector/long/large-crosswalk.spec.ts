/** Counts the reads of rows during a rebuild of a large crosswalk. */
import { BUCKETS, type MappingEvent, streams } from '@rdm/contracts';
import { projections } from '@rdm/projector';
import { expect, it } from 'vitest';
import { eventually, MemoryLog, schemaOf, useProjectorEnvironment, waitUntilProjected } from '../environment.ts';
import { recorder } from '../generated-history.ts';

const environment = useProjectorEnvironment();
const BUCKETS_USED = [0, 1, 2, 3];
const ROWS_PER_BUCKET = 1_000;
const ROWS = ROWS_PER_BUCKET * BUCKETS_USED.length;
/**
 * The maximum number of reads per row, on average. A rebuild reads a row for its submission, for its approval, for the
 * served value of its source, and to create each secondary index.
 */
const READS_MAX = 12;

it('reads each row at most 12 times on average during a rebuild of a large crosswalk', async () => {
  const record = recorder();
  const recordForBuckets = (eventOf: (ids: number[]) => MappingEvent) =>
    BUCKETS_USED.map((bucket) => {
      const ids = Array.from({ length: ROWS_PER_BUCKET }, (_, row) => row * BUCKETS + bucket);
      return record({ ...eventOf(ids), stream: streams.mappings(3, bucket), actorId: 1, dataSetIds: [1, 2] });
    });
  const events = [
    ...recordForBuckets((ids) => ({
      type: 'MappingsDrafted',
      data: {
        rows: ids.map((id) => ({
          id,
          sourceValue: `s${id}`,
          targetValue: `t${id}`,
          confidence: 1,
          origin: 'MANUAL' as const,
        })),
      },
    })),
    ...recordForBuckets((ids) => ({ type: 'MappingsSubmitted', data: { ids } })),
    ...recordForBuckets((ids) => ({ type: 'MappingsApproved', data: { ids } })),
  ];
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  const { projector, stop } = environment.project(url, log);
  await waitUntilProjected(pool, events.length);
  const [build] =
    (await projector.rebuilder?.rebuild(...projections.filter(({ name }) => name === 'crosswalks'))) ?? [];
  await eventually(async () => expect(await schemaOf(pool, 'crosswalks')).toBe(build?.schema));
  // PostgreSQL completes the statistics of a connection when the connection ends.
  await stop();
  const reads = await eventually(async () => {
    const { rows } = await pool.query(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS reads FROM pg_stat_user_tables
        WHERE schemaname = $1 AND relname = 'crosswalk_mapping_values' AND n_tup_del >= $2`,
      [build?.schema, ROWS],
    );
    expect(rows).toHaveLength(1);
    return rows[0].reads as number;
  });
  expect(reads).toBeGreaterThan(ROWS);
  expect(reads).toBeLessThan(READS_MAX * ROWS);
});
