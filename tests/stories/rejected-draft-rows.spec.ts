/** Tests the file with the rejected rows of a draft, and a second import of this file. */
import { describe, expect, it } from 'vitest';
import { done } from './fixtures.ts';
import type { Json } from './http-client.ts';
import {
  downloadRejected,
  draftOf,
  importDraft,
  newTarget,
  prepareDrafts,
  problemsOf,
  steward,
} from './rejected-draft-rows.ts';

prepareDrafts();

const JSON_FILE = JSON.stringify([
  { code: '001', name: 'Öse, "gross"', population: 12.5 },
  { code: '002', name: 'Zwei, "klein"', population: 'viele' },
  { code: '003', name: '=Drei', population: '31.12.2025' },
  { code: '001', name: 'Doppelt', population: 7 },
]);

describe('the rejected rows of a draft', () => {
  it('from a JSON file are a CSV file with all cells, and a second import rejects the same wrong cells', async () => {
    const dataSetId = await newTarget();
    const job = await importDraft(await draftOf(dataSetId, JSON_FILE, 'rows.json'));
    expect(job.counts).toMatchObject({ created: 1, failed: 3 });
    const file = await downloadRejected(job.jobId);
    expect(file.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const lines = file.toString().split('\r\n');
    expect(lines[0]).toBe('\ufeffrdm:reason,code,name,population');
    expect(lines[1]).toContain(',002,"Zwei, ""klein""",viele');
    expect(lines[2]).toContain(",003,'=Drei,31.12.2025");

    // The row with the repeated key is valid in the second import, because the file contains this key only once.
    const secondImport = await importDraft(await draftOf(await newTarget(), file, 'rejected.csv'));
    expect(secondImport.counts).toMatchObject({ created: 1, failed: 2 });
    const before = await problemsOf(job.jobId);
    expect(before).toEqual(['001: DUPLICATE_IN_FILE', '002: WRONG_TYPE', '003: WRONG_TYPE']);
    expect(await problemsOf(secondImport.jobId)).toEqual(before.slice(1));
  });

  it('from a file in Shift_JIS are downloaded as UTF-8', async () => {
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

  it('contain the original line if a value contains the delimiter, and a fix imports the row', async () => {
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
    const rows = await steward.eventually(
      `/api/reference-data/${dataSetId}/instances`,
      (answer) => answer.body.total === 2,
    );
    expect(rows.body.items.find(({ data }: Json) => data.code === 'A').data).toMatchObject({ name: 'Smith, John' });
  });
});
