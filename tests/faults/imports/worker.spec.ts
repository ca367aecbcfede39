/** The import worker: exact counts, and nothing doubled or lost wherever it is cut short. */
import { randomUUID } from 'node:crypto';
import { beginStaging, completeStaging, pruneStaged, stagePiece } from '@rdm/command-api/file-imports/staged-files';
import { streams } from '@rdm/contracts';
import { deferred } from '@rdm/embedded/launcher/deferred';
import type { EventStore, Pool } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../conformance/seed.ts';
import { type Fields, useStand } from './environment.ts';
import { mortal } from './killable-process.ts';

const stand = useStand();
const FIELDS: Fields = [
  ['code', 'string'],
  ['name', 'string'],
  ['size', 'number'],
];
const seed = announcedSeed('imports');
/** In full, a larger file and more of its moments. */
const LONG = process.env['FAULTS'] === 'long';

const code = (index: number) => String(index).padStart(5, '0');
const lineOf = (index: number) => `${code(index)},Land ${index},${index}`;
const csv = (lines: readonly string[]) => `code,name,size\n${lines.join('\n')}\n`;
const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => lineOf(index));

/** The rows of a data set as `code,name,size`, sorted. */
async function lines(dataSetId: number): Promise<string[]> {
  const { rows } = await stand.rows(dataSetId);
  return rows.map(({ values }) => [values[1], values[2], values[3]].join(',')).sort();
}

/** Kills one worker after the other, each at its own moment, and lets the last one finish. */
async function underFire(jobId: number, kills: number, callsMax: number) {
  const next = random(seed);
  for (let kill = 0; kill < kills; kill++) {
    const body = mortal(stand.pool, stand.store, 1 + Math.floor(next() * callsMax), next() < 0.5);
    const worker = stand.worker(body);
    const ended = await new Promise<boolean>((resolve) => {
      const look = async () => {
        const { rows } = await stand.pool.query('SELECT ended_at FROM jobs.progress WHERE job_id = $1', [jobId]);
        if (body.dead || rows[0].ended_at) resolve(!body.dead);
        else setTimeout(look, 5);
      };
      void look();
    });
    await worker.stop();
    if (ended) return kill;
    // The time its lease would still run.
    await stand.pool.query('UPDATE jobs.progress SET leased_until = now() WHERE job_id = $1', [jobId]);
  }
  stand.worker();
  return kills;
}

/** An event store whose appends of rows go through `before`, with how many there were. */
function watched(before: (appends: number) => Promise<void>): EventStore {
  let appends = 0;
  return {
    ...stand.store,
    async append(stream, events, expected) {
      if (stream.startsWith('instances-')) await before(appends++);
      return stand.store.append(stream, events, expected);
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

describe('an import killed again and again', () => {
  it('inserts every row once', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    await stand.happen(streams.instances(dataSetId, 0), 'InstancesAdded', {
      schemaRevision: 1,
      keyFieldIds: [1],
      rows: [{ id: 64, values: { 1: 'there before' } }],
    });
    const jobId = await stand.begin(await stand.stage(dataSetId, mixedFile, FIELDS));
    const kills = await underFire(jobId, LONG ? 200 : 10, 80);
    expect(kills).toBeGreaterThan(3);
    const job = await stand.ended(jobId);
    expect(job.counts).toEqual({ total: 2_000, created: 1_995, changed: 0, unchanged: 0, failed: 5, skipped: 0 });
    expect(await stand.rejected(jobId)).toEqual(MIXED_REJECTED);
    expect(await lines(dataSetId)).toEqual([...VALID, 'there before,,'].sort());
    expect((await stand.rows(dataSetId)).added).toBe(1_995);
    const told = await stand.jobEvents(jobId);
    expect(told.map((event) => event.type)).toEqual([
      'ImportRequested',
      'ImportStarted',
      'ImportPhaseCompleted',
      'ImportPhaseCompleted',
      'ImportCompleted',
    ]);
    expect(told.at(-1)?.data).toEqual({ counts: job.counts });
  });
  it('merges every row once', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const first = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(1_000)), FIELDS));
    await stand.worker();
    await stand.ended(first);
    // A third is as it was, a third changes, a third is new.
    const merged = Array.from({ length: 999 }, (_, index) => {
      if (index % 3 === 0) return lineOf(index);
      return index % 3 === 1 ? `${code(index)},Changed ${index},${index}` : lineOf(index + 10_000);
    });
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(merged), FIELDS), { mode: 'upsert' });
    await underFire(jobId, LONG ? 20 : 6, 250);
    const job = await stand.ended(jobId);
    expect(job.counts).toEqual({ total: 999, created: 333, changed: 333, unchanged: 333, failed: 0, skipped: 0 });
    const { rows, added } = await stand.rows(dataSetId);
    expect(added).toBe(1_333);
    expect(rows.filter((row) => row.revision === 2)).toHaveLength(333);
    expect(rows.filter((row) => row.revision > 2)).toHaveLength(0);
  });
});

describe('an update', () => {
  it('refuses keys that are not there', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    stand.worker();
    await stand.ended(await stand.begin(await stand.stage(dataSetId, csv(rowsOf(10)), FIELDS)));
    const file = await stand.stage(dataSetId, csv(['00001,New,1', '99999,Nowhere,1']), FIELDS);
    const jobId = await stand.begin(file, { mode: 'update' });
    expect((await stand.ended(jobId)).counts).toMatchObject({ total: 2, changed: 1, failed: 1 });
    expect(await stand.rejected(jobId)).toEqual([[3, 'NOT_FOUND']]);
  });
});

describe('all or nothing', () => {
  const exclusive = { allOrNothing: true };
  const marks = async (dataSetId: number) => {
    const types: string[] = [];
    for await (const event of stand.store.read(streams.dataSet(dataSetId))) types.push(event.type);
    return types.slice(1);
  };
  it('imports everything where everything is valid, and has the data set to itself', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    stand.worker();
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(300)), FIELDS), exclusive);
    expect(await stand.ended(jobId)).toMatchObject({ status: 'DONE', counts: { created: 300 } });
    expect(await marks(dataSetId)).toEqual(['ExclusiveImportStarted', 'ExclusiveImportEnded']);
  });
  it('imports nothing where a row is not valid, or its key is taken', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    stand.worker();
    await stand.ended(await stand.begin(await stand.stage(dataSetId, csv([lineOf(7)]), FIELDS)));
    const jobId = await stand.begin(await stand.stage(dataSetId, mixedFile, FIELDS), exclusive);
    expect((await stand.ended(jobId)).status).toBe('FAILED');
    expect(await stand.rejected(jobId)).toEqual([[9, 'DUPLICATE_KEY'], ...MIXED_REJECTED]);
    expect(await lines(dataSetId)).toEqual([lineOf(7)]);
    expect((await stand.jobEvents(jobId)).at(-1)).toEqual({
      type: 'ImportFailed',
      data: { reason: '6 of 2,000 rows cannot be imported: nothing was imported' },
    });
    expect((await marks(dataSetId)).slice(-1)).toEqual(['ExclusiveImportEnded']);
  });
  it('takes everything back when a row is refused late', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    // A writer that had looked before the mark was set.
    const late = watched(async (appends) => {
      if (appends !== 20) return;
      const rows = rowsOf(640).map((line, index) => ({ id: 64 * (index + 1) + 63, values: { 1: line.slice(0, 5) } }));
      await stand.happen(streams.instances(dataSetId, 63), 'InstancesAdded', {
        schemaRevision: 1,
        keyFieldIds: [1],
        rows,
      });
    });
    stand.worker({ store: late });
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(640)), FIELDS), exclusive);
    expect((await stand.ended(jobId)).status).toBe('FAILED');
    const { rows, added } = await stand.rows(dataSetId);
    expect(added).toBeGreaterThan(0);
    expect(rows.filter((row) => row.values[2] !== undefined)).toEqual([]);
    expect((await marks(dataSetId)).slice(-1)).toEqual(['ExclusiveImportEnded']);
  });
});

describe('a progress report that arrives after the end of its phase', () => {
  it('leaves the counts of the phase as they were at its end', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(640)), FIELDS));
    const { rows } = await stand.pool.query(
      `SELECT job_id FROM jobs.progress WHERE parent_job_id = $1 AND phase = 'IMPORT'`,
      [jobId],
    );
    const phase = async () =>
      (await stand.pool.query('SELECT status, counts FROM jobs.progress WHERE job_id = $1', [rows[0].job_id])).rows[0];
    const reporting = deferred<void>();
    const reported = deferred<void>();
    let isLate = false;
    const query = async (...words: unknown[]) => {
      const [text, values] = words as [unknown, unknown[]];
      const send = () => (stand.pool.query as (...given: unknown[]) => Promise<unknown>)(...words);
      if (isLate || !String(text).includes('children AS') || values[2] !== 'IMPORT') return send();
      // The first report of the phase waits for the end of the phase.
      isLate = true;
      reporting.resolve();
      while ((await phase()).status !== 'DONE') await new Promise((resolve) => setTimeout(resolve, 5));
      return send().finally(() => reported.resolve());
    };
    const store: EventStore = {
      ...stand.store,
      async append(stream, events, expected) {
        if (stream.startsWith('instances-')) await reporting.promise;
        // The lease ends after this event: the report still finds it held.
        if (events.some(({ type }) => type === 'ImportCompleted')) await reported.promise;
        return stand.store.append(stream, events, expected);
      },
    };
    stand.worker({ pool: { query, connect: () => stand.pool.connect() } as unknown as Pool, store });
    expect((await stand.ended(jobId)).counts).toMatchObject({ created: 640 });
    expect(isLate).toBe(true);
    expect(await phase()).toMatchObject({ status: 'DONE', counts: { created: 640 } });
  });
});

describe('an import that is stopped', () => {
  it('keeps what was committed when it is cancelled', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(640)), FIELDS));
    let cancelling: Promise<void> | undefined;
    const slow = watched(async (appends) => {
      if (appends < 10) return;
      cancelling ??= stand.cancel(jobId).then(() => stand.reported(jobId));
      await cancelling;
    });
    stand.worker({ store: slow });
    const { status, counts } = await stand.ended(jobId);
    expect(status).toBe('CANCELLED');
    const { rows } = await stand.rows(dataSetId);
    expect(rows.length).toBeGreaterThan(0);
    expect(counts).toMatchObject({ total: 640, created: rows.length, skipped: 640 - rows.length, failed: 0 });
    expect((await stand.jobEvents(jobId)).at(-1)).toEqual({ type: 'ImportCancelled', data: { counts } });
    // The end is the doing of whoever asked for it, in their request.
    const end = await stand.store.tail(streams.importJob(jobId));
    expect(end?.metadata).toMatchObject({ requestId: 'CancelImport', $correlationId: 'story' });
  });
  it('is cancelled before anybody has begun', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(10)), FIELDS));
    await stand.cancel(jobId);
    stand.worker();
    expect((await stand.ended(jobId)).status).toBe('CANCELLED');
    expect(await lines(dataSetId)).toEqual([]);
  });
  it('fails when its starter may not write any more, and goes on when they may again', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(640)), FIELDS));
    const revoking = watched(async (appends) => {
      if (appends === 10) await stand.happen('access-main', 'UserDeactivated', { userId: 1 });
    });
    const worker = stand.worker({ store: revoking });
    const failed = await stand.ended(jobId);
    await worker.stop();
    expect(failed.status).toBe('FAILED');
    expect((await stand.jobEvents(jobId)).at(-1)).toEqual({
      type: 'ImportFailed',
      data: { reason: 'Whoever started this job may not write to its data set any more' },
    });
    const before = (await stand.rows(dataSetId)).added;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(640);
    await stand.happen('access-main', 'UserReactivated', { userId: 1 });
    await stand.retry(jobId);
    stand.worker();
    expect((await stand.ended(jobId)).counts).toMatchObject({ total: 640, created: 640, failed: 0, skipped: 0 });
    expect((await stand.rows(dataSetId)).added).toBe(640);
    expect(await lines(dataSetId)).toEqual(rowsOf(640));
  });
});

describe('several workers', () => {
  it('share the jobs', async () => {
    const dataSetIds = await Promise.all(Array.from({ length: 5 }, () => stand.dataSet(FIELDS)));
    const jobs = await Promise.all(
      dataSetIds.map(async (id) => stand.begin(await stand.stage(id, csv(rowsOf(200)), FIELDS))),
    );
    for (let count = 0; count < 3; count++) stand.worker().wake();
    for (const jobId of jobs) expect((await stand.ended(jobId)).counts).toMatchObject({ created: 200 });
    for (const dataSetId of dataSetIds) expect((await stand.rows(dataSetId)).added).toBe(200);
  });
});

describe('a database that crashed before its last commits were on the disk', () => {
  /** A pool whose first staged piece of rows is gone again, as PostgreSQL loses what it had not yet flushed. */
  function forgetful(jobId: number): { pool: Pool; readonly lost: number } {
    let lost = 0;
    const query = async (...words: unknown[]) => {
      const answer = await (stand.pool.query as (...given: unknown[]) => Promise<unknown>)(...words);
      const [asked] = words as [{ name?: string }];
      if (asked.name === 'stage-rows' && lost === 0) {
        lost += 1;
        await stand.pool.query('DELETE FROM command.staged_rows WHERE job_id = $1', [jobId]);
      }
      return answer;
    };
    return {
      pool: { query, connect: () => stand.pool.connect() } as unknown as Pool,
      get lost() {
        return lost;
      },
    };
  }

  it('has rows staged anew of which a piece is gone', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const jobId = await stand.begin(await stand.stage(dataSetId, csv(rowsOf(2_000)), FIELDS));
    const database = forgetful(jobId);
    stand.worker({ pool: database.pool });
    expect((await stand.ended(jobId)).counts).toMatchObject({ total: 2_000, created: 2_000, failed: 0 });
    expect(database.lost).toBe(1);
    expect(await lines(dataSetId)).toEqual(rowsOf(2_000));
    expect((await stand.rows(dataSetId)).added).toBe(2_000);
  });

  it('takes no file of which a piece is gone', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const whole = await stand.stage(dataSetId, csv(rowsOf(10)), FIELDS);
    const lossy = { ...whole, id: randomUUID() };
    await beginStaging(stand.pool, lossy.id, 1, lossy.fileName);
    await stagePiece(stand.pool, lossy.id, 0, Buffer.from(csv(rowsOf(9))));
    await expect(completeStaging(stand.pool, randomUUID(), lossy)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(stand.begin(lossy)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('staged files', () => {
  const age = (fileId: string, interval: string) =>
    stand.pool.query(`UPDATE command.staged_files SET created_at = now() - $2::interval WHERE id = $1`, [
      fileId,
      interval,
    ]);
  const left = async (...fileIds: string[]) => {
    await pruneStaged(stand.pool);
    const { rows } = await stand.pool.query('SELECT id FROM command.staged_files WHERE id = ANY($1)', [fileIds]);
    return rows.map((row) => row.id);
  };
  it('go after a day when nobody starts them', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const [old, young] = [
      await stand.stage(dataSetId, csv(rowsOf(1)), FIELDS),
      await stand.stage(dataSetId, csv(rowsOf(1)), FIELDS),
    ];
    await age(old.id, '25 hours');
    expect(await left(old.id, young.id)).toEqual([young.id]);
  });
  it('stay for a week after their job has ended', async () => {
    const dataSetId = await stand.dataSet(FIELDS);
    const file = await stand.stage(dataSetId, csv(['00001,wrong,one']), FIELDS);
    const jobId = await stand.begin(file, { allOrNothing: true });
    await age(file.id, '9 days');
    expect(await left(file.id)).toEqual([file.id]);
    stand.worker();
    await stand.ended(jobId);
    expect(await left(file.id)).toEqual([file.id]);
    await stand.pool.query(`UPDATE jobs.progress SET ended_at = now() - interval '8 days' WHERE job_id = $1`, [jobId]);
    expect(await left(file.id)).toEqual([]);
    await expect(stand.retry(jobId)).rejects.toThrow('The file of this job is gone: upload it again');
  });
});
