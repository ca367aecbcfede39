/** Tests that an import fails if its process runs out of memory three times at the same step. */
import { MEMORY_FAILURES_MAX, OUT_OF_MEMORY, recordOutOfMemory } from '@rdm/command-api/bulk/memory-failures';
import { describe, expect, it } from 'vitest';
import { type Fields, useImportEnvironment } from './environment.ts';

const environment = useImportEnvironment();
const FIELDS: Fields = [['code', 'string']];
const WORKER = '5f0f0c1e-0000-4000-8000-000000000000';

async function beginImport(): Promise<number> {
  const dataSetId = await environment.dataSet(FIELDS);
  return environment.begin(await environment.stage(dataSetId, 'code\nDE\nFR\n', FIELDS));
}

/** Claims the job for a worker that then runs out of memory. */
async function runOutOfMemory(jobId: number): Promise<void> {
  await environment.pool.query(
    `UPDATE jobs.progress SET leased_by = $2, leased_until = now() + interval '15 seconds', status = 'IN_PROGRESS'
      WHERE job_id = $1`,
    [jobId, `${WORKER}:${jobId}`],
  );
  await recordOutOfMemory(environment.pool, WORKER);
}

describe('an import whose process runs out of memory', () => {
  it('fails with this reason after the third time at the same step', async () => {
    const jobId = await beginImport();
    for (let time = 0; time < MEMORY_FAILURES_MAX; time++) await runOutOfMemory(jobId);
    environment.worker();
    expect(await environment.waitForEnd(jobId)).toMatchObject({ status: 'FAILED' });
    expect(await environment.jobEvents(jobId)).toContainEqual({
      type: 'ImportFailed',
      data: { reason: OUT_OF_MEMORY },
    });
  });

  it('continues if it made progress between the failures', async () => {
    const jobId = await beginImport();
    for (let time = 1; time < MEMORY_FAILURES_MAX; time++) await runOutOfMemory(jobId);
    // Simulates that the rows were validated meanwhile.
    await environment.pool.query('UPDATE command.imports SET validated_attempt = 1 WHERE job_id = $1', [jobId]);
    await runOutOfMemory(jobId);
    // Lets the worker validate the rows.
    await environment.pool.query('UPDATE command.imports SET validated_attempt = NULL WHERE job_id = $1', [jobId]);
    await recordOutOfMemory(environment.pool, 'another worker');
    environment.worker();
    expect(await environment.waitForEnd(jobId)).toMatchObject({ status: 'DONE', counts: { created: 2 } });
  });

  it('starts a new count of failures after a retry', async () => {
    const jobId = await beginImport();
    for (let time = 0; time < MEMORY_FAILURES_MAX; time++) await runOutOfMemory(jobId);
    const worker = environment.worker();
    await environment.waitForEnd(jobId);
    await worker.stop();
    await environment.retry(jobId);
    environment.worker();
    expect(await environment.waitForEnd(jobId)).toMatchObject({ status: 'DONE', counts: { created: 2 } });
  });
});
