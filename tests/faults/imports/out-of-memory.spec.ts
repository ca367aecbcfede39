/** Imports whose process runs out of memory: three times at the same place fail, whatever else ends a run does not. */
import { MEMORY_FAILURES_MAX, OUT_OF_MEMORY, recordOutOfMemory } from '@rdm/command-api/bulk/memory-failures';
import { describe, expect, it } from 'vitest';
import { type Fields, useStand } from './environment.ts';

const stand = useStand();
const FIELDS: Fields = [['code', 'string']];
const WORKER = '5f0f0c1e-0000-4000-8000-000000000000';

async function begun(): Promise<number> {
  const dataSetId = await stand.dataSet(FIELDS);
  return stand.begin(await stand.stage(dataSetId, 'code\nDE\nFR\n', FIELDS));
}

/** A process takes the job, and runs out of memory over it. */
async function runOut(jobId: number): Promise<void> {
  await stand.pool.query(
    `UPDATE jobs.progress SET leased_by = $2, leased_until = now() + interval '15 seconds', status = 'IN_PROGRESS'
      WHERE job_id = $1`,
    [jobId, `${WORKER}:${jobId}`],
  );
  await recordOutOfMemory(stand.pool, WORKER);
}

describe('an import whose process runs out of memory', () => {
  it('fails at the third time at the same place, and says so', async () => {
    const jobId = await begun();
    for (let time = 0; time < MEMORY_FAILURES_MAX; time++) await runOut(jobId);
    stand.worker();
    expect(await stand.ended(jobId)).toMatchObject({ status: 'FAILED' });
    expect(await stand.jobEvents(jobId)).toContainEqual({ type: 'ImportFailed', data: { reason: OUT_OF_MEMORY } });
  });

  it('goes on where it got further in between, and where other processes were killed', async () => {
    const jobId = await begun();
    for (let time = 1; time < MEMORY_FAILURES_MAX; time++) await runOut(jobId);
    // Its rows were staged meanwhile.
    await stand.pool.query('UPDATE command.imports SET validated_attempt = 1 WHERE job_id = $1', [jobId]);
    await runOut(jobId);
    await stand.pool.query('UPDATE command.imports SET validated_attempt = NULL WHERE job_id = $1', [jobId]);
    await recordOutOfMemory(stand.pool, 'another worker');
    stand.worker();
    expect(await stand.ended(jobId)).toMatchObject({ status: 'DONE', counts: { created: 2 } });
  });

  it('begins to count anew when it is tried again', async () => {
    const jobId = await begun();
    for (let time = 0; time < MEMORY_FAILURES_MAX; time++) await runOut(jobId);
    const worker = stand.worker();
    await stand.ended(jobId);
    await worker.stop();
    await stand.retry(jobId);
    stand.worker();
    expect(await stand.ended(jobId)).toMatchObject({ status: 'DONE', counts: { created: 2 } });
  });
});
