/** Files of rows for the import worker, and workers that are killed. */
import { announcedSeed, random } from '../../conformance/seed.ts';
import type { Fields, ImportEnvironment } from './environment.ts';
import { createKillableProcess } from './killable-process.ts';

export const FIELDS: Fields = [
  ['code', 'string'],
  ['name', 'string'],
  ['size', 'number'],
];
const seed = announcedSeed('imports');

export const code = (index: number) => String(index).padStart(5, '0');
export const lineOf = (index: number) => `${code(index)},Land ${index},${index}`;
export const csv = (lines: readonly string[]) => `code,name,size\n${lines.join('\n')}\n`;
export const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => lineOf(index));

/** Returns the rows of a data set as `code,name,size`, sorted. */
export async function lines(environment: ImportEnvironment, dataSetId: number): Promise<string[]> {
  const { rows } = await environment.rows(dataSetId);
  return rows.map(({ values }) => [values[1], values[2], values[3]].join(',')).sort();
}

/**
 * Starts workers one after another and kills each at a random call, until a worker ends the job. After `kills` kills,
 * starts a last worker and does not wait for it. Returns the number of kills.
 */
export async function runWithKills(environment: ImportEnvironment, jobId: number, kills: number, callsMax: number) {
  const nextRandom = random(seed);
  for (let kill = 0; kill < kills; kill++) {
    const process = createKillableProcess(
      environment.pool,
      environment.store,
      1 + Math.floor(nextRandom() * callsMax),
      nextRandom() < 0.5,
    );
    const worker = environment.worker(process);
    const ended = await new Promise<boolean>((resolve) => {
      const checkEnd = async () => {
        const { rows } = await environment.pool.query('SELECT ended_at FROM jobs.progress WHERE job_id = $1', [jobId]);
        if (process.isKilled || rows[0].ended_at) resolve(!process.isKilled);
        else setTimeout(checkEnd, 5);
      };
      void checkEnd();
    });
    await worker.stop();
    if (ended) return kill;
    // End the lease of the killed worker: until then, no other worker takes the job.
    await environment.pool.query('UPDATE jobs.progress SET leased_until = now() WHERE job_id = $1', [jobId]);
  }
  environment.worker();
  return kills;
}
