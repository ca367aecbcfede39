/** A draft and its import while their processes are killed at random: the same data as undisturbed, and nothing left behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../conformance/seed.ts';
import { HttpClient, type Json } from '../../stories/http-client.ts';
import { startTestStack, type TestStack } from '../../test-stack.ts';

const LONG = process.env['FAULTS'] === 'long';
const ROWS = LONG ? 100_000 : 10_000;
/** Kills in each of the four phases. */
const KILLS = LONG ? 5 : 1;
const PASSWORD = 'Killed-draft-1';
const LAST_CHANCE_MS = 120_000;

let stack: TestStack;
let db: pg.Pool;
let admin: HttpClient;

beforeAll(async () => {
  stack = await startTestStack('killed-draft', { adminPassword: PASSWORD });
  db = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
  admin = new HttpClient(stack.baseUrl);
  const { status } = await admin.post('/api/login', { username: 'admin', password: PASSWORD });
  expect(status).toBeLessThan(300);
});
afterAll(async () => {
  await db?.end();
  await stack?.stop();
});

/** The child process of command-api for this kind of files. */
function fileProcess(work: 'drafts' | 'rows'): number | undefined {
  const found = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      return environment.includes(`"work":"${work}"`) && environment.includes(JSON.stringify(stack.databaseUrl));
    } catch {
      return false; // The process has ended, or belongs to another user.
    }
  });
  return found === undefined ? undefined : Number(found);
}

/** Kills one of the processes; leases run out at once instead of after 15 seconds. */
async function kill(which: 'drafts' | 'rows' | 'command-api'): Promise<void> {
  const pid = which === 'command-api' ? stack.parts['command-api']?.pid : fileProcess(which);
  if (pid === undefined) return;
  process.kill(pid, 'SIGKILL');
  await pause(50);
  await db.query('UPDATE jobs.progress SET leased_until = now() WHERE leased_until > now()');
  await db.query('UPDATE command.import_drafts SET leased_until = now() WHERE leased_until > now()');
  await stack.parts['command-api']?.ready();
}

/** Waits for an answer; requests fail while command-api restarts. */
async function until(request: () => Promise<Json>, isExpected: (answer: Json) => boolean): Promise<Json> {
  for (const end = Date.now() + LAST_CHANCE_MS; Date.now() < end; await pause(50)) {
    const answer = await request().catch((): Json => ({ status: 0 }));
    if (isExpected(answer)) return answer;
  }
  throw new Error('The expected answer never came');
}

const succeeded = ({ status }: Json) => status >= 200 && status < 300;

/** Imports a file through a draft; `disturb` runs in each phase. */
async function importThroughDraft(name: string, disturb: (phase: 'drafts' | 'rows') => Promise<void>) {
  const lines = Array.from(
    { length: ROWS },
    (_, index) => `C${index};${index},5;${index % 50 === 7 ? 'x' : '31.12.2025'}`,
  );
  const form = new FormData();
  form.set('file', new File([`code;size;since\n${lines.join('\n')}\n`], 'rows.csv'));
  const { body: uploaded } = await admin.post('/api/imports', form);
  const path = `/api/imports/${uploaded.id}`;
  await disturb('drafts');
  await until(
    () => admin.get(path),
    ({ body }) => body?.state === 'READY',
  );
  await until(() => admin.patch(path, { target: { kind: 'newDataSet', name } }), succeeded);
  await until(() => admin.post(`${path}/validate`), succeeded);
  await disturb('drafts');
  const { body: draft } = await until(
    () => admin.get(path),
    ({ body }) => body?.check?.status === 'DONE',
  );

  // The same key: a start whose answer was lost is repeated.
  const headers = { 'Idempotency-Key': `start-${uploaded.id}` };
  const start = () => admin.post(`${path}/start`, { description: name }, { headers });
  const starting = start().catch(() => undefined);
  await disturb('rows');
  await starting;
  const { body: started } = await until(start, succeeded);
  await disturb('rows');
  const { body: job } = await until(
    () => admin.get(`/api/jobs/${started.jobId}`),
    ({ body }) => ['DONE', 'FAILED'].includes(body?.status),
  );
  const rows = ROWS - Math.ceil((ROWS - 7) / 50);
  await until(
    () => admin.get(`/api/reference-data/${started.dataSetId}`),
    ({ body }) => body?.instanceCount === rows,
  );
  const staged = await db.query(
    `SELECT (SELECT count(*)::int FROM command.staged_rows WHERE job_id IN ($1, $2)) AS rows,
            (SELECT count(*)::int FROM command.import_problems WHERE draft_id = $3 AND check_job_id <> $1) AS outdated,
            (SELECT count(*)::int FROM command.import_problems WHERE draft_id = $3) AS problems`,
    [draft.check.jobId, started.jobId, uploaded.id],
  );
  const { rows: builds } = await db.query(
    `SELECT schema_name FROM platform.builds WHERE name = 'instances' AND serving`,
  );
  const written = await db.query(
    `SELECT count(*)::int AS rows, count(DISTINCT key)::int AS keys, max(revision)::int AS revision,
            md5(string_agg(key || data::text, ',' ORDER BY key)) AS checksum
       FROM ${builds[0].schema_name}.instances WHERE data_set_id = $1`,
    [started.dataSetId],
  );
  return {
    columns: draft.profiles,
    counts: draft.check.counts,
    job: { status: job.status, counts: job.counts },
    left: staged.rows[0],
    written: written.rows[0],
  };
}

describe('a draft whose processes are killed', () => {
  it('becomes the same data set as undisturbed', async () => {
    const undisturbed = await importThroughDraft('Undisturbed', async () => undefined);
    expect(undisturbed.job).toMatchObject({ status: 'DONE', counts: { total: ROWS, skipped: 0 } });
    expect(undisturbed.left).toMatchObject({ rows: 0, outdated: 0 });
    const next = random(announcedSeed('killed drafts'));
    let kills = 0;
    const disturbed = await importThroughDraft('Disturbed', async (phase) => {
      for (let count = 0; count < KILLS; count++) {
        await pause(next() * 400);
        await kill(next() < 0.5 ? 'command-api' : phase);
        kills += 1;
      }
    });
    expect(disturbed).toEqual(undisturbed);
    expect(kills).toBe(4 * KILLS);
  });
});
