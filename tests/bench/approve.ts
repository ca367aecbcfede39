/** Measures the time until approved values are projected, compared with one SQL UPDATE of the same number of rows. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startStack } from '@rdm/embedded/stack';
import pg from 'pg';
import { type Caller, newDataSet, signIn } from './data-sets.ts';
import { describeMachine, median } from './measure.ts';

const PASSWORD = 'Bench-approve-1';
/** The maximum time, relative to the time of the reference. */
const LIMIT = 4;
const ROWS_PER_REQUEST = 10_000;
const POLL_MS = 20;

interface Case {
  values: number;
  /** The seconds until the command is answered, and until every value is projected. */
  answeredSeconds: number[];
  productSeconds: number[];
  referenceSeconds: number[];
}

interface ApproveResult {
  bench: 'approve';
  reference: string;
  machine: string;
  cases: Case[];
}

type Counts = Record<'draft' | 'pending' | 'approved', number>;

async function measureApproval(options: { sizes?: number[]; rounds?: number } = {}): Promise<ApproveResult> {
  const { sizes = [10_000, 100_000], rounds = 5 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-approve-'));
  const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 2 });
  try {
    const author = await signIn(stack.baseUrl, PASSWORD);
    const username = 'decider';
    const decider = { username, email: 'decider@example.com', password: PASSWORD, roleId: 1 };
    await author.write('/api/users', { ...decider, requirePasswordChange: false });
    const approver = await signIn(stack.baseUrl, PASSWORD, username);
    const cases: Case[] = [];
    for (const values of sizes) {
      const crosswalkId = await createCrosswalkUnderReview(author, values);
      const measured: Case = { values, answeredSeconds: [], productSeconds: [], referenceSeconds: [] };
      const product = async () => {
        const { answered, projected, commandId } = await approve(approver, crosswalkId, values);
        measured.answeredSeconds.push(answered);
        measured.productSeconds.push(projected);
        await approver.write(`/api/batches/${commandId}/undo`, {});
        await waitForCount(approver, crosswalkId, 'pending', values);
      };
      const reference = async () => {
        measured.referenceSeconds.push(await update(pool, crosswalkId));
      };
      for (let round = 0; round < rounds; round++) {
        await product();
        await reference();
        await reference();
        await product();
      }
      cases.push(measured);
    }
    return {
      bench: 'approve',
      reference: 'one SQL UPDATE of as many rows in a table with the same indexes',
      machine: describeMachine(),
      cases,
    };
  } finally {
    await pool.end();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function createCrosswalkUnderReview(author: Caller, values: number): Promise<number> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const { id: typeId } = await author.write('/api/reference-types', { name: `Approve ${randomUUID()}`, schemas });
  const { id } = await author.write('/api/crosswalks', {
    name: `Approve ${values}`,
    sourceSystemId: await newDataSet(author, typeId),
    targetSystemId: await newDataSet(author, typeId),
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  for (let from = 0; from < values; from += ROWS_PER_REQUEST) {
    const rows = Array.from({ length: Math.min(ROWS_PER_REQUEST, values - from) }, (_, index) => ({
      sourceValue: `source ${from + index}`,
      targetValue: `target ${from + index}`,
    }));
    await author.write(`/api/crosswalks/${id}/mappings`, { rows });
  }
  await waitForCount(author, id, 'draft', values);
  await author.write(`/api/crosswalks/${id}/mappings/submit`, {
    selectionId: await freezeSelection(author, id, 'draft'),
  });
  await waitForCount(author, id, 'pending', values);
  return id;
}

export async function freezeSelection(person: Caller, parentId: number, tab: keyof Counts): Promise<string> {
  const selection: unknown = await person.write('/api/selections', { kind: 'mappings', parentId, tab });
  return (selection as { selectionId: string }).selectionId;
}

export async function waitForCount(
  person: Caller,
  crosswalkId: number,
  tab: keyof Counts,
  values: number,
): Promise<void> {
  for (;;) {
    const { counts } = await person.read<{ counts: Counts }>(`/api/crosswalks/${crosswalkId}`);
    if (counts[tab] === values) return;
    await pause(POLL_MS);
  }
}

async function approve(person: Caller, crosswalkId: number, values: number) {
  const selectionId = await freezeSelection(person, crosswalkId, 'pending');
  const begin = performance.now();
  const started: unknown = await person.write(`/api/crosswalks/${crosswalkId}/mappings/approve`, { selectionId });
  const answered = (performance.now() - begin) / 1_000;
  await waitForCount(person, crosswalkId, 'approved', values);
  // If there are too many values for one request, the answer is a job with the number of values.
  const { commandId, done, total, jobId } = started as {
    commandId: string;
    done?: number;
    total?: number;
    jobId?: number;
  };
  if ((done ?? total) !== values) throw new Error(`${done ?? total} of ${values} values were approved`);
  const projected = (performance.now() - begin) / 1_000;
  if (jobId !== undefined) await waitForEnd(person, jobId);
  return { answered, projected, commandId };
}

/** Waits for the end of a job, because only an ended job can be undone. */
async function waitForEnd(person: Caller, jobId: number): Promise<void> {
  for (;;) {
    const { status } = await person.read<{ status: string }>(`/api/jobs/${jobId}`);
    if (status === 'DONE') return;
    if (status === 'FAILED' || status === 'CANCELLED') throw new Error(`Job ${jobId} ended as ${status}`);
    await pause(POLL_MS);
  }
}

/**
 * Runs the reference: makes the same change to a copy of the rows in a table with the same indexes. Returns the
 * seconds.
 */
async function update(pool: pg.Pool, crosswalkId: number): Promise<number> {
  const build = await pool.query(`SELECT schema_name FROM platform.builds WHERE name = 'crosswalks' AND serving`);
  const table = `${build.rows[0].schema_name}.crosswalk_mapping_values`;
  await pool.query('DROP TABLE IF EXISTS public.bench_approve');
  await pool.query(`CREATE TABLE public.bench_approve (LIKE ${table} INCLUDING ALL)`);
  await pool.query(`INSERT INTO public.bench_approve SELECT * FROM ${table} WHERE crosswalk_id = $1`, [crosswalkId]);
  await pool.query('VACUUM ANALYZE public.bench_approve');
  const begin = performance.now();
  await pool.query(
    `UPDATE public.bench_approve SET approval_status = 'APPROVED', revision = revision + 1, served_target = target_value,
       served_confidence = confidence, approved_by = 2, approved_at = now(), authors = '{}', updated_by = 2,
       updated_at = now(), last_event = 'MappingsApproved' WHERE crosswalk_id = $1 AND approval_status = 'PENDING'`,
    [crosswalkId],
  );
  return (performance.now() - begin) / 1_000;
}

function table({ cases, reference, machine }: ApproveResult): string {
  const head = [
    '### approve',
    '',
    `Reference: ${reference}. Machine: ${machine}.`,
    '',
    '| values | answered s | projected s | reference s | ratio (median, spread) | limit |',
    '|---|---|---|---|---|---|',
  ];
  const lines = cases.map(({ values, answeredSeconds, productSeconds, referenceSeconds }) => {
    const ratios = productSeconds.map((seconds, index) => seconds / (referenceSeconds[index] as number));
    return [
      `| ${values.toLocaleString('en')}`,
      median(answeredSeconds).toFixed(2),
      median(productSeconds).toFixed(2),
      median(referenceSeconds).toFixed(2),
      `${median(ratios).toFixed(2)}× (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      `${LIMIT}× |`,
    ].join(' | ');
  });
  return [...head, ...lines].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick') ? { sizes: [10_000], rounds: 1 } : {};
  const once = process.argv.includes('--once') ? { rounds: 1 } : {};
  const result = await measureApproval({ ...quick, ...once });
  console.log(table(result));
  console.log(JSON.stringify(result));
}
