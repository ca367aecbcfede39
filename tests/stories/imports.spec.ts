/** Imports: a CSV becomes rows of a data set through a job, and every row that does not says why. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Json, type Person, signedIn } from './person.ts';
import { done, newCollection, newDataSet, newType } from './world.ts';

let steward: Person;
let collectionId: number;
let db: pg.Pool;
beforeAll(async () => {
  db = new pg.Pool({ connectionString: inject('databaseUrl'), max: 2 });
  steward = await signedIn('steward');
  collectionId = await newCollection(steward);
});
afterAll(() => db.end());

/** A data set of its own with a code, a name, a number, a flag and a day. */
async function newTarget(rows: Json[] = []): Promise<number> {
  const typeId = await newType(steward, [
    { name: 'population', dataType: 'number' },
    { name: 'active', dataType: 'boolean' },
    { name: 'since', dataType: 'date' },
  ]);
  return newDataSet(steward, typeId, collectionId, rows);
}

function form(dataSetId: number, content: string | Buffer, more: Record<string, string> = {}): FormData {
  const parts = new FormData();
  parts.set('dataSetId', String(dataSetId));
  for (const [name, value] of Object.entries(more)) parts.set(name, value);
  parts.set('file', new File([new Uint8Array(Buffer.from(content))], 'countries.csv', { type: 'text/csv' }));
  return parts;
}

const upload = async (dataSetId: number, content: string | Buffer, more: Record<string, string> = {}): Promise<Json> =>
  done(await steward.post('/api/imports', form(dataSetId, content, more)));

async function begin(dataSetId: number, content: string | Buffer, how: Json = {}): Promise<number> {
  const { id } = await upload(dataSetId, content);
  return done(await steward.post(`/api/imports/${id}/start`, { description: 'Countries', ...how })).jobId;
}

async function ended(jobId: number, withinMs = 30_000): Promise<Json> {
  for (const until = Date.now() + withinMs; ; ) {
    const { rows } = await db.query('SELECT * FROM jobs.progress WHERE job_id = $1', [jobId]);
    if (rows[0]?.ended_at) return rows[0];
    if (Date.now() > until) throw new Error(`Job ${jobId} has not ended: ${JSON.stringify(rows[0])}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const imported = async (dataSetId: number, content: string | Buffer, how: Json = {}): Promise<Json> =>
  ended(await begin(dataSetId, content, how));

const rejectedBy = async (jobId: number): Promise<Json[]> =>
  (
    await db.query(
      `SELECT record_index::int AS line, error_type AS rule, error_message AS message, record_data AS data, error_details
         FROM jobs.logs WHERE status = 'ERROR'
          AND job_id IN (SELECT job_id FROM jobs.progress WHERE job_id = $1 OR parent_job_id = $1)
        ORDER BY record_index`,
      [jobId],
    )
  ).rows;

const header = 'code,name,population,active,since\n';

describe('uploading', () => {
  it('tells what the file is and which column fills which field', async () => {
    const dataSetId = await newTarget();
    const staged = await upload(dataSetId, 'CODE; Name ;population\nDE;Deutschland;83\nFR;"France; la";68\n');
    expect(staged).toMatchObject({
      dataSetId,
      fileName: 'countries.csv',
      format: 'csv',
      delimiter: ';',
      encoding: 'utf-8',
      hasHeader: true,
      columns: ['CODE', 'Name', 'population'],
      sample: [
        ['DE', 'Deutschland', '83'],
        ['FR', 'France; la', '68'],
      ],
    });
    expect(Object.keys(staged.suggestedColumns)).toEqual(['CODE', 'Name', 'population']);
  });
});

describe('an import', () => {
  it('adds what is valid, to the letter, and tells of every other row', async () => {
    const dataSetId = await newTarget([{ code: '00003', name: 'There before' }]);
    const lines = Array.from({ length: 5_000 }, (_, index) => {
      const code = String(index).padStart(5, '0');
      return `${code},"Land ""${code}"", ä",${index},true,2024-01-31`;
    });
    lines[100] = '00007,again,1,true,2024-01-31';
    lines[200] = ',no key,1,true,2024-01-31';
    lines[300] = '00300,ragged';
    lines[400] = '00400,wrong,twelve,maybe,31.01.2024';
    const text = Buffer.from(`${header}${lines.join('\n')}\n`);
    const [before, after] = [lines.slice(0, 500).join('\n'), lines.slice(501).join('\n')];
    const bytes = Buffer.concat([
      Buffer.from(`${header}${before}\n00500,M`),
      Buffer.from([0xfc]),
      Buffer.from(`nchen,1,true,2024-01-31\n${after}\n`),
    ]);
    expect(bytes.length).not.toBe(text.length);
    const job = await imported(dataSetId, bytes);
    expect(job.counts).toEqual({ total: 5_000, created: 4_994, changed: 0, unchanged: 0, failed: 6, skipped: 0 });
    expect(job.status).toBe('DONE');
    const rejected = await rejectedBy(job.job_id);
    expect(rejected.map(({ line, rule }) => [line, rule])).toEqual([
      [5, 'DUPLICATE_KEY'],
      [102, 'DUPLICATE_IN_FILE'],
      [202, 'MISSING_KEY'],
      [302, 'FIELD_COUNT'],
      [402, 'WRONG_TYPE'],
      [502, 'ENCODING'],
    ]);
    const list = await steward.eventually(
      `/api/reference-data/${dataSetId}/instances?pageSize=1000`,
      ({ body }) => body.total === 4_995,
    );
    expect(list.body.items.find((row: Json) => row.data.code === '00000')?.data).toEqual({
      code: '00000',
      name: 'Land "00000", ä',
      population: 0,
      active: true,
      since: '2024-01-31',
    });
  });
});
