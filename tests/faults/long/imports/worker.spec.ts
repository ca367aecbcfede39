/** Tests that imports neither duplicate nor lose rows: with kills, several workers, and a crash of the database. */
import type { Pool } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { useImportEnvironment } from '../../imports/environment.ts';
import { code, csv, FIELDS, lineOf, lines, rowsOf, runWithKills } from '../../imports/rows.ts';

const environment = useImportEnvironment();
/** FAULTS=long kills more often. */
const LONG = process.env['FAULTS'] === 'long';

describe('an import that is killed repeatedly', () => {
  it('merges every row once', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const first = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(1_000)), FIELDS));
    await environment.worker();
    await environment.waitForEnd(first);
    // A third of the rows is unchanged, a third changes, and a third is new.
    const merged = Array.from({ length: 999 }, (_, index) => {
      if (index % 3 === 0) return lineOf(index);
      return index % 3 === 1 ? `${code(index)},Changed ${index},${index}` : lineOf(index + 10_000);
    });
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(merged), FIELDS), { mode: 'upsert' });
    await runWithKills(environment, jobId, LONG ? 20 : 6, 250);
    const job = await environment.waitForEnd(jobId);
    expect(job.counts).toEqual({ total: 999, created: 333, changed: 333, unchanged: 333, failed: 0, skipped: 0 });
    const { rows, added } = await environment.rows(dataSetId);
    expect(added).toBe(1_333);
    expect(rows.filter((row) => row.revision === 2)).toHaveLength(333);
    expect(rows.filter((row) => row.revision > 2)).toHaveLength(0);
  });
});

describe('several workers', () => {
  it('import each row of concurrent jobs once', async () => {
    const dataSetIds = await Promise.all(Array.from({ length: 5 }, () => environment.dataSet(FIELDS)));
    const jobs = await Promise.all(
      dataSetIds.map(async (id) => environment.begin(await environment.stage(id, csv(rowsOf(200)), FIELDS))),
    );
    for (let count = 0; count < 3; count++) environment.worker().wake();
    for (const jobId of jobs) expect((await environment.waitForEnd(jobId)).counts).toMatchObject({ created: 200 });
    for (const dataSetId of dataSetIds) expect((await environment.rows(dataSetId)).added).toBe(200);
  });
});

describe('a crash of the database that loses the last commits', () => {
  /** Returns a pool that deletes the first staged piece, like a crash of PostgreSQL that loses unflushed commits. */
  function poolLosingStagedPiece(jobId: number): { pool: Pool; readonly lost: number } {
    let lost = 0;
    const query = async (...args: unknown[]) => {
      const answer = await (environment.pool.query as (...given: unknown[]) => Promise<unknown>)(...args);
      const [statement] = args as [{ name?: string }];
      if (statement.name === 'stage-rows' && lost === 0) {
        lost += 1;
        await environment.pool.query('DELETE FROM command.staged_rows WHERE job_id = $1', [jobId]);
      }
      return answer;
    };
    return {
      pool: { query, connect: () => environment.pool.connect() } as unknown as Pool,
      get lost() {
        return lost;
      },
    };
  }

  it('makes the worker stage the lost rows again', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(2_000)), FIELDS));
    const database = poolLosingStagedPiece(jobId);
    environment.worker({ pool: database.pool });
    expect((await environment.waitForEnd(jobId)).counts).toMatchObject({ total: 2_000, created: 2_000, failed: 0 });
    expect(database.lost).toBe(1);
    expect(await lines(environment, dataSetId)).toEqual(rowsOf(2_000));
    expect((await environment.rows(dataSetId)).added).toBe(2_000);
  });
});
