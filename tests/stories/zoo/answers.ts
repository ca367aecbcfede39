/** Uploads the files of files.ts, and checks the answers of the product and the memory of its processes. */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { done } from '../fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from '../http-client.ts';
import type { ZooFile } from './files.ts';

/** The limit for the resident memory of a process that reads files; its heap is limited to 128 MiB. */
const RESIDENT_MIB_MAX = 300;
export const ANSWER_MS_MAX = 90_000;

export let steward: HttpClient;
let pool: pg.Pool;

/** Signs in a steward and connects to the database, before the tests of the calling file. */
export function prepareZoo(): void {
  beforeAll(async () => {
    steward = await signInAs('steward');
    pool = new pg.Pool({ connectionString: inject('databaseUrl'), max: 1 });
  });
  afterAll(() => pool?.end());
}

/** Returns the ids of the processes that read files of import drafts in the tested product. */
function draftProcesses(): number[] {
  const isDraftProcess = (environment: string) =>
    environment.includes('"work":"drafts"') && environment.includes(JSON.stringify(inject('databaseUrl')));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return isDraftProcess(readFileSync(`/proc/${name}/environ`, 'utf8'));
      } catch {
        return false; // The process has ended, or belongs to another user.
      }
    })
    .map(Number);
}

const peakMebibytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Checks the peak memory of the processes that read the files of import drafts. */
export function requireMemoryWithinLimit(): void {
  const pids = draftProcesses();
  if (process.env['VERBOSE']) console.log(pids.map((pid) => `${pid}: ${peakMebibytes(pid)} MiB`).join(', '));
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) expect(peakMebibytes(pid)).toBeLessThan(RESIDENT_MIB_MAX);
}

export async function upload(
  { fileName, content }: Pick<ZooFile, 'fileName' | 'content'>,
  person: HttpClient,
): Promise<Json> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(content())], fileName));
  return person.post('/api/imports', form);
}

export const isRead = ({ body }: Json) => body.state !== 'READING';
const isChecked = ({ body }: Json) => ['DONE', 'FAILED'].includes(body.check?.status);

/** Returns the findings in an uploaded file, or its refusal. `name` is the name for the target, a new data set. */
async function findingsIn(file: ZooFile, { status, body }: Json, name: string): Promise<Json> {
  if (status !== 201) return { refusal: body.error };
  const path = `/api/imports/${body.id}`;
  const { body: draft } = await steward.eventually(path, isRead, ANSWER_MS_MAX);
  if (draft.state === 'REFUSED') return { refusal: draft.refusal };
  const settings = 'settings' in file.answer ? file.answer.settings : {};
  done(await steward.patch(path, { ...settings, target: { kind: 'newDataSet', name } }));
  const validated = await steward.post(`${path}/validate`);
  const findings = {
    records: draft.records,
    read: draft.format === 'text' ? draft.read.encoding : draft.format,
    columns: draft.columns,
    notes: draft.notes.join(' '),
    questions: (validated.body.details?.questions ?? []).map(({ kind }: Json) => kind),
  };
  if (validated.status === 400) return { ...findings, problems: [] };
  done(validated);
  const { body: checked } = await steward.eventually(path, isChecked, ANSWER_MS_MAX);
  expect(checked.check).toMatchObject({ status: 'DONE' });
  const { rows } = await pool.query('SELECT count(*)::int AS staged FROM command.staged_rows WHERE job_id = $1', [
    checked.check.jobId,
  ]);
  expect(rows).toEqual([{ staged: 0 }]);
  return { ...findings, problems: await problemsOf(path) };
}

/** Returns the rule and the first position of each group of errors. */
async function problemsOf(path: string): Promise<[string, string][]> {
  const { groups } = done(await steward.get(`${path}/problems`));
  const errors = (groups as Json[]).filter(({ severity }) => severity === 'error');
  return Promise.all(
    errors.map(async ({ id, rule }): Promise<[string, string]> => {
      const { items } = done(await steward.get(`${path}/problems/${encodeURIComponent(id)}?pageSize=1`));
      return [rule, items[0].place];
    }),
  );
}

/** Checks the answer to an uploaded file. The dry run must create no data set. */
export async function requireAnswer(file: ZooFile, uploaded: Json): Promise<void> {
  const name = uniqueName('Zoo');
  const findings = await findingsIn(file, uploaded, name);
  const { answer } = file;
  if ('refusal' in answer) expect(findings.refusal, file.name).toMatch(answer.refusal);
  else {
    const { records, questions = [], problems = [], columns, read, notes } = answer;
    expect(findings, file.name).toMatchObject({ records, questions, problems });
    if (columns) expect(findings.columns, file.name).toEqual(columns);
    if (read) expect(findings.read, file.name).toBe(read);
    if (notes) expect(findings.notes, file.name).toMatch(notes);
  }
  const { total } = done(await steward.get(`/api/reference-data?q=${encodeURIComponent(name)}`));
  expect(total, file.name).toBe(0);
}
