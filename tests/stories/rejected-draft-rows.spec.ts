/** The file of the rejected rows of a draft: it contains them as they were, and an import rejects them until they are corrected. */
import { workbookOf } from '@rdm/command-api/file-imports/sources/fixtures/workbook-files';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, endOfJob, newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';
import { firstSheet } from './xlsx-reader.ts';

let steward: HttpClient;
let collectionId: number;
let typeId: number;
beforeAll(async () => {
  steward = await signInAs('steward');
  collectionId = await newCollection(steward);
  typeId = await newType(steward, [{ name: 'population', dataType: 'number' }]);
});

const newTarget = (): Promise<number> => newDataSet(steward, typeId, collectionId, []);

/** Creates a draft for a data set, and waits until its file was read. */
async function draftOf(dataSetId: number, content: string | Buffer, fileName: string): Promise<Json> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(Buffer.from(content))], fileName));
  const { id } = done(await steward.post('/api/imports', form));
  await steward.eventually(`/api/imports/${id}`, ({ body }) => body.state !== 'READING');
  return done(await steward.patch(`/api/imports/${id}`, { target: { kind: 'dataSet', dataSetId } }));
}

async function importDraft({ id }: Json): Promise<Json> {
  const { jobId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Rows' }));
  return endOfJob(steward, jobId);
}

const downloadRejected = async (jobId: number): Promise<Buffer> =>
  Buffer.from(await (await steward.download(`/api/imports/${jobId}/errors`)).arrayBuffer());

/** Row and rule of each problem. */
const problemsOf = async (jobId: number): Promise<string[]> =>
  (done(await steward.get(`/api/jobs/${jobId}/logs?status=ERROR&pageSize=100`)).items as Json[])
    .filter(({ recordIndex }) => recordIndex !== null)
    .map(({ errorType, recordKey }) => `${recordKey}: ${errorType}`)
    .sort();

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (value: number, style = 0) => `<c s="${style}"><v>${value}</v></c>`;
const WORKBOOK = workbookOf({
  formats: ['00000'],
  sheets: [
    {
      rows: [
        [text('code'), text('name'), text('population')],
        [text('001'), text('Öse, &quot;gross&quot;'), number(12.5)],
        [text('002'), text('Zwei, &quot;klein&quot;'), text('viele')],
        [text('003'), text('=Drei'), text('31.12.2025')],
        [text('001'), text('Doppelt'), number(7, 1)],
      ]
        .map((cells) => `<row>${cells.join('')}</row>`)
        .join(''),
    },
  ],
});

const JSON_FILE = JSON.stringify([
  { code: '001', name: 'Öse, "gross"', population: 12.5 },
  { code: '002', name: 'Zwei, "klein"', population: 'viele' },
  { code: '003', name: '=Drei', population: '31.12.2025' },
  { code: '001', name: 'Doppelt', population: 7 },
]);

describe('the rejected rows of a draft', () => {
  it('of a workbook are a workbook with typed cells, and have the same problems again', async () => {
    const job = await importDraft(await draftOf(await newTarget(), WORKBOOK, 'rows.xlsx'));
    expect(job.counts).toMatchObject({ created: 1, failed: 3 });
    const file = await downloadRejected(job.jobId);
    const { cells } = firstSheet(file);
    const row = (number: number) =>
      ['B', 'C', 'D'].map((column) => {
        const { type, value } = cells.get(`${column}${number}`) ?? {};
        return `${type} ${value}`;
      });
    expect(cells.get('A1')?.value).toBe('rdm:reason');
    expect(cells.get('D4')?.format).toBe('00000');
    expect(row(1)).toEqual(['s code', 's name', 's population']);
    expect(cells.get('A2')?.value).toMatch(/^Row 3: population: /);
    expect([row(2), row(3), row(4)]).toEqual([
      ['s 002', 's Zwei, "klein"', 's viele'],
      ['s 003', 's =Drei', 's 31.12.2025'],
      ['s 001', 's Doppelt', 'n 7'],
    ]);

    // The row that was imported has the repeated key now.
    const draft = await draftOf(await newTarget(), file, 'rejected.xlsx');
    expect(draft.columns).toEqual(['code', 'name', 'population']);
    const secondImport = await importDraft(draft);
    expect(secondImport.counts).toMatchObject({ created: 1, failed: 2 });
    const before = await problemsOf(job.jobId);
    expect(before).toEqual(['001: DUPLICATE_IN_FILE', '002: WRONG_TYPE', '003: WRONG_TYPE']);
    expect(await problemsOf(secondImport.jobId)).toEqual(before.slice(1));
  });

  it('of a JSON file are a CSV file with all cells, and have the same problems again', async () => {
    const dataSetId = await newTarget();
    const job = await importDraft(await draftOf(dataSetId, JSON_FILE, 'rows.json'));
    expect(job.counts).toMatchObject({ created: 1, failed: 3 });
    const file = await downloadRejected(job.jobId);
    expect(file.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const lines = file.toString().split('\r\n');
    expect(lines[0]).toBe('\ufeffrdm:reason,code,name,population');
    expect(lines[1]).toContain(',002,"Zwei, ""klein""",viele');
    expect(lines[2]).toContain(",003,'=Drei,31.12.2025");

    // The row that was imported has the repeated key now.
    const secondImport = await importDraft(await draftOf(await newTarget(), file, 'rejected.csv'));
    expect(secondImport.counts).toMatchObject({ created: 1, failed: 2 });
    const before = await problemsOf(job.jobId);
    expect(before).toEqual(['001: DUPLICATE_IN_FILE', '002: WRONG_TYPE', '003: WRONG_TYPE']);
    expect(await problemsOf(secondImport.jobId)).toEqual(before.slice(1));
  });

  it('of a text in a national encoding are UTF-8', async () => {
    const dataSetId = await newTarget();
    // "code,name,population", then 東京 in Shift_JIS.
    const tokyo = Buffer.from([0x93, 0x8c, 0x8b, 0x9e]);
    const content = Buffer.concat([Buffer.from('code,name,population\nJ,'), tokyo, Buffer.from(',many\n')]);
    const draft = await draftOf(dataSetId, content, 'codes.csv');
    done(await steward.patch(`/api/imports/${draft.id}`, { read: { ...draft.read, encoding: 'shift_jis' } }));
    await steward.eventually(`/api/imports/${draft.id}`, ({ body }) => body.state === 'READY');
    const job = await importDraft(draft);
    expect((await downloadRejected(job.jobId)).toString()).toContain(',J,東京,many\r\n');
  });

  it('with a delimiter in a value are joined by the fix; without the fix, they are in the file byte for byte', async () => {
    const dataSetId = await newTarget();
    const content = 'code,name,population\nA,Smith, John,5\nB,Miller,6\n';
    const draft = await draftOf(dataSetId, content, 'names.csv');
    done(await steward.post(`/api/imports/${draft.id}/validate`));
    await steward.eventually(`/api/imports/${draft.id}`, ({ body }) => body.check?.status === 'DONE');
    const { groups } = done(await steward.get(`/api/imports/${draft.id}/problems`));
    expect(groups).toMatchObject([{ rule: 'FIELD_COUNT', count: 1 }]);
    const { items } = done(await steward.get(`/api/imports/${draft.id}/problems/all`));
    expect(items).toMatchObject([{ record: 2, place: 'line 2' }]);
    const join = groups[0].fixes.find(({ kind }: Json) => kind === 'joinSurplus');
    expect(join).toMatchObject({ column: 1 });

    const unfixed = await importDraft(draft);
    expect(unfixed.counts).toMatchObject({ created: 1, failed: 1 });
    const file = await downloadRejected(unfixed.jobId);
    expect(file.toString()).toContain(',A,Smith, John,5\r\n');
    const secondDraft = await draftOf(dataSetId, file, 'rejected.csv');
    const job = await importDraft(secondDraft);
    expect(await problemsOf(job.jobId)).toEqual([expect.stringContaining('FIELD_COUNT')]);

    const fixed = await draftOf(dataSetId, content, 'names.csv');
    done(await steward.patch(`/api/imports/${fixed.id}`, { fixes: [join] }));
    expect((await importDraft(fixed)).counts).toMatchObject({ created: 1, unchanged: 1, failed: 0 });
    const rows = await steward.eventually(`/api/reference-data/${dataSetId}/instances`, (at) => at.body.total === 2);
    expect(rows.body.items.find(({ data }: Json) => data.code === 'A').data).toMatchObject({ name: 'Smith, John' });
  });
});
