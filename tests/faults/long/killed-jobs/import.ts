/** Kills command-api during an import, which must continue without another request (reliability check 12). */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../../conformance/seed.ts';
import { killAndExpireLeases } from '../../killed-jobs/leases.ts';
import { LONG, PASSWORD, stack } from '../../killed-jobs/stack.ts';

const KILLS = LONG ? 50 : 2;
const ROWS = LONG ? 200_000 : 4_000;

let db: pg.Pool;
let cookie = '';

async function call(method: string, path: string, body?: unknown): Promise<Response> {
  const isForm = body instanceof FormData;
  const answer = await fetch(stack.baseUrl + path, {
    method,
    headers: {
      Origin: stack.baseUrl,
      Cookie: cookie,
      'Idempotency-Key': randomUUID(),
      ...(isForm ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

const bodyOf = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, number>>;

interface Progress {
  status: string;
  processed: number;
  counts: unknown;
}

async function progressOf(jobId: number): Promise<Progress> {
  const { rows } = await db.query('SELECT status, processed::int, counts FROM jobs.progress WHERE job_id = $1', [
    jobId,
  ]);
  return rows[0];
}

const hasEnded = ({ status }: Progress) => status !== 'PENDING' && status !== 'IN_PROGRESS';

describe('an import whose process is killed', () => {
  beforeAll(async () => {
    db = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
    const answer = await call('POST', '/api/login', { username: 'admin', password: PASSWORD });
    cookie = answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
  });
  afterAll(async () => {
    await db?.end();
  });

  it('creates each row exactly once', async () => {
    const next = random(announcedSeed('killed imports'));
    const schemas = [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'size', dataType: 'number' },
    ];
    const type = await bodyOf(call('POST', '/api/reference-types', { name: 'Killed', schemas }));
    const dataSet = await bodyOf(call('POST', '/api/reference-data', { name: 'Killed', typeId: type['id'] }));
    const lines = Array.from({ length: ROWS }, (_, index) => `C${index},${index}`);
    const form = new FormData();
    form.set('dataSetId', String(dataSet['id']));
    form.set('file', new File([`code,size\n${lines.join('\n')}\n`], 'rows.csv'));
    const staged = await bodyOf(call('POST', '/api/imports', form));
    const started = await bodyOf(call('POST', `/api/imports/${staged['id']}/start`, { description: 'Killed' }));
    const jobId = started['jobId'] as number;
    let kills = 0;
    while (kills < KILLS) {
      const before = await progressOf(jobId);
      if (hasEnded(before)) break;
      // Wait for progress of the job before each kill.
      for (
        let progress = before;
        progress.processed === before.processed && !hasEnded(progress);
        progress = await progressOf(jobId)
      )
        await pause(20);
      await pause(next() * 300);
      await killAndExpireLeases(stack.parts['command-api'], db, { keepLeases: kills === 0 });
      kills += 1;
    }
    for (let progress = await progressOf(jobId); !hasEnded(progress); progress = await progressOf(jobId))
      await pause(100);
    expect(await progressOf(jobId)).toMatchObject({
      status: 'DONE',
      counts: { total: ROWS, created: ROWS, changed: 0, unchanged: 0, failed: 0, skipped: 0 },
    });
    expect(kills).toBeGreaterThan(0);
    const path = `/api/reference-data/${dataSet['id']}`;
    while ((await bodyOf(call('GET', path)))['instanceCount'] !== ROWS) await pause(100);
    const { rows } = await db.query(`SELECT schema_name FROM platform.builds WHERE name = 'instances' AND serving`);
    const instanceCounts = await db.query(
      `SELECT count(*)::int AS rows, count(DISTINCT key)::int AS keys, max(revision)::int AS revision
         FROM ${rows[0].schema_name}.instances WHERE data_set_id = $1`,
      [dataSet['id']],
    );
    expect(instanceCounts.rows[0]).toEqual({ rows: ROWS, keys: ROWS, revision: 1 });
  });
});
