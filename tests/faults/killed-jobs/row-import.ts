/**
 * An import of mappings or of relationship values while its process is killed: it continues, each row of the file is written
 * once, and the counts and the log are exact.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../../conformance/seed.ts';
import { bodyOf, RetryingClient } from '../retrying-client.ts';
import { killAndExpireLeases } from './leases.ts';
import { LONG, PASSWORD, stack } from './stack.ts';
import { until } from './until.ts';

/** Number of rows that exist before the import, which changes them. */
const EXISTING = 500;
const ROWS = LONG ? 20_000 : 1_500;
/** Number of empty rows in the file. */
const EMPTY = 1_500;
const KILLS = LONG ? 12 : 1;
/** Pause between two counts of all rows: each takes the database several milliseconds. */
const COUNT_INTERVAL_MS = 200;

let pool: pg.Pool;
let author: RetryingClient;

const write = async (path: string, body: unknown, key?: string) => bodyOf(await author.send('POST', path, body, key));

const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(text, values)).rows;

async function tableOf(build: string, table: string): Promise<string> {
  const [serving] = await query<{ schema_name: string }>(
    'SELECT schema_name FROM platform.builds WHERE name = $1 AND serving',
    [build],
  );
  return `${serving?.schema_name}.${table}`;
}

async function newCrosswalk(): Promise<number> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const type = await write('/api/reference-types', { name: `Job ${randomUUID()}`, schemas });
  const createDataSet = async () =>
    (await write('/api/reference-data', { name: `Job ${randomUUID()}`, typeId: type.id })).id as number;
  const ends = { sourceSystemId: await createDataSet(), targetSystemId: await createDataSet() };
  const attributes = { sourceAttribute: 'code', targetAttribute: 'code' };
  return (await write('/api/crosswalks', { name: 'Imported as a job', ...ends, ...attributes })).id;
}

/** Uploads a file whose rows are new, change existing ones, or are empty. */
async function stageMappings(crosswalkId: number): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, index) => `s${index},t${index}`);
  const empty = Array.from({ length: EMPTY }, (_, index) => `,nothing ${index}`);
  const form = new FormData();
  form.set('crosswalkId', String(crosswalkId));
  form.set('file', new Blob([['sourceValue,targetValue', ...rows, ...empty].join('\n')]), 'rows.csv');
  return (await write('/api/imports', form)).id;
}

/** Requests an import and kills its process repeatedly; each repeated request gets the same answer. Returns how the job ended. */
async function killDuringJob(
  startImport: () => Promise<{ jobId: number }>,
  pieceOf: (kill: number) => number,
  whileLeased?: () => Promise<void>,
): Promise<{ jobId: number; killsDuringJob: number; ended: { status: string; counts: object } }> {
  const answer = await startImport();
  const { jobId } = answer;
  let killsDuringJob = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const pieces = pieceOf(kill);
    const reached = await until(async () => {
      const [job] = await query<{ kept: number; ended: boolean }>(
        `SELECT (SELECT count(*)::int FROM command.bulk_pieces WHERE job_id = $1) AS kept, ended_at IS NOT NULL AS ended
           FROM jobs.progress WHERE job_id = $1`,
        [jobId],
      );
      return job && (job.ended || job.kept >= pieces) ? job : undefined;
    });
    if (reached.ended) break;
    killsDuringJob += 1;
    await killAndExpireLeases(stack.parts['command-api'], pool, whileLeased ? { whileLeased } : {});
    expect(await startImport()).toEqual(answer);
  }
  const ended = await until(async () => {
    const [job] = await query<{ status: string; counts: object }>(
      'SELECT status, counts FROM jobs.progress WHERE job_id = $1 AND ended_at IS NOT NULL',
      [jobId],
    );
    return job;
  });
  return { jobId, killsDuringJob, ended };
}

const countLoggedRows = async (jobId: number) =>
  (
    await query<{ lines: number; rows: number }>(
      `SELECT count(*)::int AS lines, count(DISTINCT record_index)::int AS rows
         FROM jobs.logs WHERE job_id = $1 AND status = 'ERROR'`,
      [jobId],
    )
  )[0];

/** The number of valid values in the file. */
const RELATED = LONG ? 10_000 : 1_500;
/** The numbers of invalid values: with an unknown source, with an attribute that is no number, and with a second target of a source. */
const UNKNOWN = 1_200;
const FLAWED = 700;
const SECOND = 300;

/** Creates a many-to-one relationship with the attribute `weight`, which is a number. */
async function newRelationship(): Promise<{ id: number; attributeId: number }> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const type = await write('/api/reference-types', { name: `Job ${randomUUID()}`, schemas });
  const createDataSet = async (size: number) => {
    const { id } = await write('/api/reference-data', { name: `Job ${randomUUID()}`, typeId: type.id });
    for (let from = 0; from < size; from += 1_000) {
      const length = Math.min(1_000, size - from);
      const rows = Array.from({ length }, (_, index) => ({ data: { code: `k${from + index}` } }));
      await write(`/api/reference-data/${id}/instances`, { rows });
    }
    return id as number;
  };
  const ends = { sourceDataSetId: await createDataSet(RELATED + FLAWED), targetDataSetId: await createDataSet(2) };
  const fields = { sourceField: 'code', targetField: 'code', cardinality: 'MANY_TO_ONE' };
  const { id } = await write('/api/relationships', { name: 'Imported as a job', ...ends, ...fields });
  const { attributeId } = await write(`/api/relationships/${id}/attributes`, { name: 'weight', dataType: 'number' });
  return { id, attributeId };
}

async function stageValues(relationshipId: number): Promise<string> {
  const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at));
  const rows = [
    ...lines(RELATED, (index) => `k${index},k0,7`),
    ...lines(EMPTY, (index) => `,nothing ${index},7`),
    ...lines(UNKNOWN, (index) => `nobody ${index},k0,7`),
    ...lines(FLAWED, (index) => `k${RELATED + index},k0,heavy`),
    ...lines(SECOND, (index) => `k${index},k1,7`),
  ];
  const form = new FormData();
  form.set('relationshipId', String(relationshipId));
  form.set('file', new Blob([['sourceKey,targetKey,weight', ...rows].join('\n')]), 'rows.csv');
  return (await write('/api/imports', form)).id;
}

describe('an import job', () => {
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 });
    author = new RetryingClient(stack.baseUrl);
    await author.signIn('admin', PASSWORD);
  });
  afterAll(async () => {
    await pool?.end();
  });

  it('writes each row once, however often its process is killed', async () => {
    const next = random(announcedSeed('imported as job'));
    const id = await newCrosswalk();
    const existing = Array.from({ length: EXISTING }, (_, index) => ({
      sourceValue: `s${index}`,
      targetValue: 'other',
    }));
    await write(`/api/crosswalks/${id}/mappings`, { rows: existing });
    const fileId = await stageMappings(id);
    const key = randomUUID();
    const startImport = () => write(`/api/crosswalks/${id}/mappings/import`, { fileId, submit: true }, key);
    const { jobId, killsDuringJob, ended } = await killDuringJob(startImport, (kill) =>
      Math.min(Math.floor((66 * kill + next() * 30) / (KILLS + 1)), 56),
    );
    expect(ended).toEqual({
      status: 'DONE',
      counts: {
        total: ROWS + EMPTY,
        created: ROWS - EXISTING,
        changed: EXISTING,
        unchanged: 0,
        failed: EMPTY,
        skipped: 0,
      },
    });
    expect(await countLoggedRows(jobId)).toEqual({ lines: EMPTY, rows: EMPTY });
    const table = await tableOf('crosswalks', 'crosswalk_mapping_values');
    // New rows have two versions (drafted, submitted), changed rows three. No pair exists twice, and none is missing.
    const found = await until(async () => {
      const [rows] = await query<{ rows: number; pairs: number; right: number; revisions: number }>(
        `SELECT count(*)::int AS rows, count(DISTINCT source_value)::int AS pairs, sum(revision)::int AS revisions,
                count(*) FILTER (WHERE approval_status = 'PENDING' AND target_value = 't' || substr(source_value, 2))::int AS right
           FROM ${table} WHERE crosswalk_id = $1`,
        [id],
      );
      return rows?.right === ROWS ? rows : undefined;
    }, COUNT_INTERVAL_MS);
    expect(found).toEqual({ rows: ROWS, pairs: ROWS, right: ROWS, revisions: 2 * ROWS + EXISTING });
    expect(killsDuringJob).toBeGreaterThan(0);
    console.info(`${ROWS} rows imported once; ${killsDuringJob} kills during the import`);
  });

  it('relates each pair once while attributes are renamed, however often its process is killed', async () => {
    const next = random(announcedSeed('values imported as job'));
    const { id, attributeId } = await newRelationship();
    const path = `/api/relationships/${id}`;
    const existing = Array.from({ length: EXISTING }, (_, index) => ({ sourceKey: `k${index}`, targetKey: 'k0' }));
    await write(`${path}/values`, { rows: existing });
    const fileId = await stageValues(id);
    const key = randomUUID();
    const startImport = () => write(`${path}/values/import`, { fileId }, key);
    let renames = 0;
    // The job resolved the column of the file to the attribute by its former name when it started.
    const rename = async () => {
      renames += 1;
      bodyOf(await author.send('PATCH', `${path}/attributes`, { id: attributeId, name: `Renamed ${renames}` }));
    };
    const { jobId, killsDuringJob, ended } = await killDuringJob(
      startImport,
      (kill) => Math.min(Math.floor((66 * kill + next() * 30) / (KILLS + 1)), 56),
      rename,
    );
    const failed = EMPTY + UNKNOWN + FLAWED + SECOND;
    expect(ended).toEqual({
      status: 'DONE',
      counts: {
        total: RELATED + failed,
        created: RELATED - EXISTING,
        changed: EXISTING,
        unchanged: 0,
        failed,
        skipped: 0,
      },
    });
    expect(await countLoggedRows(jobId)).toEqual({ lines: failed, rows: failed });
    const table = await tableOf('relationships', 'relationship_values');
    const found = await until(async () => {
      const [rows] = await query<{ rows: number; sources: number; right: number; revisions: number }>(
        `SELECT count(*)::int AS rows, count(DISTINCT source_instance_id)::int AS sources,
                sum(revision)::int AS revisions,
                count(*) FILTER (WHERE approval_status = 'DRAFT' AND attributes ->> $2 = '7')::int AS right
           FROM ${table} WHERE relationship_id = $1`,
        [id, String(attributeId)],
      );
      return rows?.right === RELATED ? rows : undefined;
    }, COUNT_INTERVAL_MS);
    expect(found).toEqual({ rows: RELATED, sources: RELATED, right: RELATED, revisions: RELATED + EXISTING });
    expect(killsDuringJob).toBeGreaterThan(0);
    console.info(`${RELATED} values imported once; ${killsDuringJob} kills during the import`);
  });
});
