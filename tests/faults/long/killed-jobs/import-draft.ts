/**
 * Kills random processes during an import through a draft: the data set equals that of an undisturbed import, and no
 * staged row remains.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../../conformance/seed.ts';
import { HttpClient, type Json } from '../../../stories/http-client.ts';
import { LONG, PASSWORD, stack } from '../../killed-jobs/stack.ts';
import { KILLABLE_PROCESSES, type KillableProcess, killProcess, killsText, RetryingPool } from './random-processes.ts';

const ROWS = LONG ? 200_000 : 4_000;
/** Number of kills in each of the four phases. */
const KILLS = LONG ? 9 : 1;
const PATIENCE_MS = 240_000;

let db: RetryingPool;
let admin: HttpClient;

/** Waits for the expected answer; requests may fail while a killed process restarts. */
async function until(request: () => Promise<Json>, isExpected: (answer: Json) => boolean): Promise<Json> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(50)) {
    const answer = await request().catch((): Json => ({ status: 0 }));
    if (isExpected(answer)) return answer;
  }
  throw new Error('The expected answer did not arrive in time');
}

const hasSucceeded = ({ status }: Json) => status >= 200 && status < 300;

/** Whether a file is being read or checked, or a job runs. */
async function isWorking(): Promise<boolean> {
  const found = await db.query(
    `SELECT FROM command.import_drafts WHERE state = 'READING' OR check_status IN ('PENDING', 'IN_PROGRESS')
     UNION ALL SELECT FROM jobs.progress WHERE ended_at IS NULL`,
  );
  return found.length > 0;
}

type Phase = 'reading' | 'check' | 'start' | 'import';

/** Imports a file through a draft, and returns the result to compare; `disturb` runs in each phase. */
async function importThroughDraft(name: string, disturb: (phase: Phase) => Promise<void>) {
  const lines = Array.from(
    { length: ROWS },
    (_, index) => `C${index};${index},5;${index % 50 === 7 ? 'x' : '31.12.2025'}`,
  );
  const form = new FormData();
  form.set('file', new File([`code;size;since\n${lines.join('\n')}\n`], 'rows.csv'));
  const { body: uploaded } = await admin.post('/api/imports', form);
  const path = `/api/imports/${uploaded.id}`;
  await disturb('reading');
  await until(
    () => admin.get(path),
    ({ body }) => body?.state === 'READY',
  );
  await until(() => admin.patch(path, { target: { kind: 'newDataSet', name } }), hasSucceeded);
  await until(() => admin.post(`${path}/validate`), hasSucceeded);
  await disturb('check');
  const { body: draft } = await until(
    () => admin.get(path),
    ({ body }) => body?.check?.status === 'DONE',
  );

  // A start whose answer was lost is repeated under the same idempotency key.
  const headers = { 'Idempotency-Key': `start-${uploaded.id}` };
  const start = () => admin.post(`${path}/start`, { description: name }, { headers });
  const starting = start().catch(() => undefined);
  await disturb('start');
  await starting;
  const { body: started } = await until(start, hasSucceeded);
  await disturb('import');
  const { body: job } = await until(
    () => admin.get(`/api/jobs/${started.jobId}`),
    ({ body }) => ['DONE', 'FAILED'].includes(body?.status),
  );
  const rows = ROWS - Math.ceil((ROWS - 7) / 50);
  await until(
    () => admin.get(`/api/reference-data/${started.dataSetId}`),
    ({ body }) => body?.instanceCount === rows,
  );
  const [remaining] = await db.query(
    `SELECT (SELECT count(*)::int FROM command.staged_rows WHERE job_id IN ($1, $2)) AS rows,
            (SELECT count(*)::int FROM command.import_problems WHERE draft_id = $3 AND check_job_id <> $1) AS outdated,
            (SELECT count(*)::int FROM command.import_problems WHERE draft_id = $3) AS problems`,
    [draft.check.jobId, started.jobId, uploaded.id],
  );
  const [build] = await db.query<{ schema_name: string }>(
    `SELECT schema_name FROM platform.builds WHERE name = 'instances' AND serving`,
  );
  const [written] = await db.query(
    `SELECT count(*)::int AS rows, count(DISTINCT key)::int AS keys, max(revision)::int AS revision,
            md5(string_agg(key || data::text, ',' ORDER BY key)) AS checksum
       FROM ${build?.schema_name}.instances WHERE data_set_id = $1`,
    [started.dataSetId],
  );
  return {
    columns: draft.profiles,
    counts: draft.check.counts,
    job: { status: job.status, counts: job.counts },
    remaining,
    written,
  };
}

describe('a draft whose processes are killed', () => {
  beforeAll(async () => {
    db = new RetryingPool(stack.databaseUrl);
    admin = new HttpClient(stack.baseUrl);
    const { status } = await admin.post('/api/login', { username: 'admin', password: PASSWORD });
    expect(status).toBeLessThan(300);
  });
  afterAll(async () => {
    await db?.end();
  });

  it('becomes the same data set as an undisturbed draft', async () => {
    const undisturbed = await importThroughDraft('Undisturbed', async () => undefined);
    expect(undisturbed.job).toMatchObject({ status: 'DONE', counts: { total: ROWS, skipped: 0 } });
    expect(undisturbed.remaining).toMatchObject({ rows: 0, outdated: 0 });
    const next = random(announcedSeed('killed drafts'));
    const kills: KillableProcess[] = [];
    let killsDuringWork = 0;
    const disturbed = await importThroughDraft('Disturbed', async (phase) => {
      for (let count = 0; count < KILLS; count++) {
        await pause(next() * 400);
        // The short form selects each kind of process once, except PostgreSQL, which the short form of `import-undo`
        // kills.
        const target = KILLABLE_PROCESSES[
          LONG ? Math.floor(next() * KILLABLE_PROCESSES.length) : kills.length % KILLABLE_PROCESSES.length
        ] as KillableProcess;
        if (await isWorking()) killsDuringWork += 1;
        kills.push(await killProcess(stack, db, target, phase === 'reading' || phase === 'check' ? 'drafts' : 'rows'));
      }
    });
    expect(disturbed).toEqual(undisturbed);
    expect(kills).toHaveLength(4 * KILLS);
    expect(killsDuringWork).toBeGreaterThan(0);
    const text = `${ROWS} rows, ${kills.length} kills (${killsText(kills)}), ${killsDuringWork} during work`;
    console.info(`${text}: ${JSON.stringify(disturbed.written)}`);
  });
});
