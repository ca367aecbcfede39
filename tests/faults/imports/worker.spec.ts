/** The import worker counts rows exactly, and neither duplicates nor loses a row when it is interrupted. */
import { randomUUID } from 'node:crypto';
import { beginStaging, completeStaging, pruneStaged, stagePiece } from '@rdm/command-api/file-imports/staged-files';
import { streams } from '@rdm/contracts';
import { deferred } from '@rdm/embedded/launcher/deferred';
import type { EventStore, Pool } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { useImportEnvironment } from './environment.ts';
import { csv, FIELDS, lineOf, lines, rowsOf, runWithKills } from './rows.ts';

const environment = useImportEnvironment();
/** FAULTS=long kills the worker more often. */
const LONG = process.env['FAULTS'] === 'long';

/** Wraps the event store so that each append of rows first calls `before` with the number of earlier appends. */
function storeWithHook(before: (appends: number) => Promise<void>): EventStore {
  let appends = 0;
  return {
    ...environment.store,
    async append(stream, events, expected) {
      if (stream.startsWith('instances-')) await before(appends++);
      return environment.store.append(stream, events, expected);
    },
  };
}

const MIXED = rowsOf(2_000);
MIXED[100] = '00007,again,1';
MIXED[200] = ',no key,1';
MIXED[300] = '00300,ragged';
MIXED[400] = '00400,wrong,twelve';
const mixedFile = Buffer.concat([
  Buffer.from(csv(MIXED.slice(0, 500))),
  Buffer.from('00500,M'),
  Buffer.from([0xfc]),
  Buffer.from('nchen,1\n'),
  Buffer.from(`${MIXED.slice(501).join('\n')}\n`),
]);
const MIXED_REJECTED = [
  [102, 'DUPLICATE_IN_FILE'],
  [202, 'MISSING_KEY'],
  [302, 'FIELD_COUNT'],
  [402, 'WRONG_TYPE'],
  [502, 'ENCODING'],
];
const VALID = MIXED.filter((_, index) => ![100, 200, 300, 400, 500].includes(index)).sort();

describe('an import that is killed repeatedly', () => {
  it('inserts every valid row once', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    await environment.appendEvent(streams.instances(dataSetId, 0), 'InstancesAdded', {
      schemaRevision: 1,
      keyFieldIds: [1],
      rows: [{ id: 64, values: { 1: 'there before' } }],
    });
    const jobId = await environment.begin(await environment.stage(dataSetId, mixedFile, FIELDS));
    const kills = await runWithKills(environment, jobId, LONG ? 200 : 10, 80);
    expect(kills).toBeGreaterThan(3);
    const job = await environment.waitForEnd(jobId);
    expect(job.counts).toEqual({ total: 2_000, created: 1_995, changed: 0, unchanged: 0, failed: 5, skipped: 0 });
    expect(await environment.rejected(jobId)).toEqual(MIXED_REJECTED);
    expect(await lines(environment, dataSetId)).toEqual([...VALID, 'there before,,'].sort());
    expect((await environment.rows(dataSetId)).added).toBe(1_995);
    const jobEvents = await environment.jobEvents(jobId);
    expect(jobEvents.map((event) => event.type)).toEqual([
      'ImportRequested',
      'ImportStarted',
      'ImportPhaseCompleted',
      'ImportPhaseCompleted',
      'ImportCompleted',
    ]);
    expect(jobEvents.at(-1)?.data).toEqual({ counts: job.counts });
  });
});

describe('an update', () => {
  it('rejects rows whose key the data set lacks', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    environment.worker();
    await environment.waitForEnd(await environment.begin(await environment.stage(dataSetId, csv(rowsOf(10)), FIELDS)));
    const file = await environment.stage(dataSetId, csv(['00001,New,1', '99999,Nowhere,1']), FIELDS);
    const jobId = await environment.begin(file, { mode: 'update' });
    expect((await environment.waitForEnd(jobId)).counts).toMatchObject({ total: 2, changed: 1, failed: 1 });
    expect(await environment.rejected(jobId)).toEqual([[3, 'NOT_FOUND']]);
  });
});

describe('an all-or-nothing import', () => {
  const exclusive = { allOrNothing: true };
  const eventTypesOf = async (dataSetId: number) => {
    const types: string[] = [];
    for await (const event of environment.store.read(streams.dataSet(dataSetId))) types.push(event.type);
    return types.slice(1);
  };
  it('locks the data set while all rows of a valid file are imported', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    environment.worker();
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(300)), FIELDS), exclusive);
    expect(await environment.waitForEnd(jobId)).toMatchObject({ status: 'DONE', counts: { created: 300 } });
    expect(await eventTypesOf(dataSetId)).toEqual(['ExclusiveImportStarted', 'ExclusiveImportEnded']);
  });
  it('imports nothing from a file with invalid rows', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    environment.worker();
    await environment.waitForEnd(await environment.begin(await environment.stage(dataSetId, csv([lineOf(7)]), FIELDS)));
    const jobId = await environment.begin(await environment.stage(dataSetId, mixedFile, FIELDS), exclusive);
    expect((await environment.waitForEnd(jobId)).status).toBe('FAILED');
    expect(await environment.rejected(jobId)).toEqual([[9, 'DUPLICATE_KEY'], ...MIXED_REJECTED]);
    expect(await lines(environment, dataSetId)).toEqual([lineOf(7)]);
    expect((await environment.jobEvents(jobId)).at(-1)).toEqual({
      type: 'ImportFailed',
      data: { reason: '6 of 2,000 rows cannot be imported: nothing was imported' },
    });
    expect((await eventTypesOf(dataSetId)).slice(-1)).toEqual(['ExclusiveImportEnded']);
  });
  it('removes its written rows when a later row is refused', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    // Simulates a writer that had read the data set before the import locked it.
    const storeWithLateWriter = storeWithHook(async (appends) => {
      if (appends !== 20) return;
      const rows = rowsOf(640).map((line, index) => ({ id: 64 * (index + 1) + 63, values: { 1: line.slice(0, 5) } }));
      await environment.appendEvent(streams.instances(dataSetId, 63), 'InstancesAdded', {
        schemaRevision: 1,
        keyFieldIds: [1],
        rows,
      });
    });
    environment.worker({ store: storeWithLateWriter });
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(640)), FIELDS), exclusive);
    expect((await environment.waitForEnd(jobId)).status).toBe('FAILED');
    const { rows, added } = await environment.rows(dataSetId);
    expect(added).toBeGreaterThan(0);
    expect(rows.filter((row) => row.values[2] !== undefined)).toEqual([]);
    expect((await eventTypesOf(dataSetId)).slice(-1)).toEqual(['ExclusiveImportEnded']);
  });
});

describe('a progress report that arrives after the end of its phase', () => {
  it('does not change the counts of the phase', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(640)), FIELDS));
    const { rows } = await environment.pool.query(
      `SELECT job_id FROM jobs.progress WHERE parent_job_id = $1 AND phase = 'IMPORT'`,
      [jobId],
    );
    const readProgress = async () =>
      (await environment.pool.query('SELECT status, counts FROM jobs.progress WHERE job_id = $1', [rows[0].job_id]))
        .rows[0];
    const reporting = deferred<void>();
    const reported = deferred<void>();
    let isLate = false;
    const query = async (...args: unknown[]) => {
      const [text, values] = args as [unknown, unknown[]];
      const send = () => (environment.pool.query as (...args: unknown[]) => Promise<unknown>)(...args);
      if (isLate || !String(text).includes('children AS') || values[2] !== 'IMPORT') return send();
      // The first report of the phase waits for the end of the phase.
      isLate = true;
      reporting.resolve();
      while ((await readProgress()).status !== 'DONE') await new Promise((resolve) => setTimeout(resolve, 5));
      return send().finally(() => reported.resolve());
    };
    const store: EventStore = {
      ...environment.store,
      async append(stream, events, expected) {
        if (stream.startsWith('instances-')) await reporting.promise;
        // The worker releases its lease after this event, so it still holds the lease when it writes the report.
        if (events.some(({ type }) => type === 'ImportCompleted')) await reported.promise;
        return environment.store.append(stream, events, expected);
      },
    };
    environment.worker({ pool: { query, connect: () => environment.pool.connect() } as unknown as Pool, store });
    expect((await environment.waitForEnd(jobId)).counts).toMatchObject({ created: 640 });
    expect(isLate).toBe(true);
    expect(await readProgress()).toMatchObject({ status: 'DONE', counts: { created: 640 } });
  });
});

describe('an import that is stopped', () => {
  it('keeps the committed rows when it is cancelled', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(640)), FIELDS));
    let cancelling: Promise<void> | undefined;
    const slow = storeWithHook(async (appends) => {
      if (appends < 10) return;
      cancelling ??= environment.cancel(jobId).then(() => environment.waitForProgressReport(jobId));
      await cancelling;
    });
    environment.worker({ store: slow });
    const { status, counts } = await environment.waitForEnd(jobId);
    expect(status).toBe('CANCELLED');
    const { rows } = await environment.rows(dataSetId);
    expect(rows.length).toBeGreaterThan(0);
    expect(counts).toMatchObject({ total: 640, created: rows.length, skipped: 640 - rows.length, failed: 0 });
    expect((await environment.jobEvents(jobId)).at(-1)).toEqual({ type: 'ImportCancelled', data: { counts } });
    // The last event of the job has the id of the request that cancelled it.
    const end = await environment.store.tail(streams.importJob(jobId));
    expect(end?.metadata).toMatchObject({ requestId: 'CancelImport', $correlationId: 'story' });
  });
  it('adds no row when it is cancelled before a worker starts', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(10)), FIELDS));
    await environment.cancel(jobId);
    environment.worker();
    expect((await environment.waitForEnd(jobId)).status).toBe('CANCELLED');
    expect(await lines(environment, dataSetId)).toEqual([]);
  });
  it('fails if its user is deactivated, and completes when it is retried after a reactivation', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const jobId = await environment.begin(await environment.stage(dataSetId, csv(rowsOf(640)), FIELDS));
    const revoking = storeWithHook(async (appends) => {
      if (appends === 10) await environment.appendEvent('access-main', 'UserDeactivated', { userId: 1 });
    });
    const worker = environment.worker({ store: revoking });
    const failed = await environment.waitForEnd(jobId);
    await worker.stop();
    expect(failed.status).toBe('FAILED');
    expect((await environment.jobEvents(jobId)).at(-1)).toEqual({
      type: 'ImportFailed',
      data: { reason: 'The user who started this job may no longer write to its data set' },
    });
    const before = (await environment.rows(dataSetId)).added;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(640);
    await environment.appendEvent('access-main', 'UserReactivated', { userId: 1 });
    await environment.retry(jobId);
    environment.worker();
    expect((await environment.waitForEnd(jobId)).counts).toMatchObject({
      total: 640,
      created: 640,
      failed: 0,
      skipped: 0,
    });
    expect((await environment.rows(dataSetId)).added).toBe(640);
    expect(await lines(environment, dataSetId)).toEqual(rowsOf(640));
  });
});

describe('a staged file with a piece that a database crash lost', () => {
  it('is not imported', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const whole = await environment.stage(dataSetId, csv(rowsOf(10)), FIELDS);
    const lossy = { ...whole, id: randomUUID() };
    await beginStaging(environment.pool, lossy.id, 1, lossy.fileName);
    await stagePiece(environment.pool, lossy.id, 0, Buffer.from(csv(rowsOf(9))));
    await expect(completeStaging(environment.pool, randomUUID(), lossy)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(environment.begin(lossy)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('staged files', () => {
  const setAge = (fileId: string, interval: string) =>
    environment.pool.query(`UPDATE command.staged_files SET created_at = now() - $2::interval WHERE id = $1`, [
      fileId,
      interval,
    ]);
  const remainingAfterPruning = async (...fileIds: string[]) => {
    await pruneStaged(environment.pool);
    const { rows } = await environment.pool.query('SELECT id FROM command.staged_files WHERE id = ANY($1)', [fileIds]);
    return rows.map((row) => row.id);
  };
  it('are removed after a day without an import', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const [old, young] = [
      await environment.stage(dataSetId, csv(rowsOf(1)), FIELDS),
      await environment.stage(dataSetId, csv(rowsOf(1)), FIELDS),
    ];
    await setAge(old.id, '25 hours');
    expect(await remainingAfterPruning(old.id, young.id)).toEqual([young.id]);
  });
  it('are kept for a week after their job has ended', async () => {
    const dataSetId = await environment.dataSet(FIELDS);
    const file = await environment.stage(dataSetId, csv(['00001,wrong,one']), FIELDS);
    const jobId = await environment.begin(file, { allOrNothing: true });
    await setAge(file.id, '9 days');
    expect(await remainingAfterPruning(file.id)).toEqual([file.id]);
    environment.worker();
    await environment.waitForEnd(jobId);
    expect(await remainingAfterPruning(file.id)).toEqual([file.id]);
    await environment.pool.query(`UPDATE jobs.progress SET ended_at = now() - interval '8 days' WHERE job_id = $1`, [
      jobId,
    ]);
    expect(await remainingAfterPruning(file.id)).toEqual([]);
    await expect(environment.retry(jobId)).rejects.toThrow('The file of this job is gone: upload it again');
  });
});
