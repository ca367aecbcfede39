/** Imports workbooks of mappings and of relationship values from uploaded drafts. */
import { workbookOf } from '@rdm/command-api/file-imports/sources/fixtures/workbook-files';
import { describe, expect, it } from 'vitest';
import { done, endOfJob, newCrosswalk, newDataSet, newType } from '../fixtures.ts';
import { uniqueName } from '../http-client.ts';
import {
  changeDraft,
  collectionId,
  prepareDrafts,
  steward,
  uploadDraft,
  waitForReading,
} from '../import-draft-requests.ts';
import { firstSheet } from '../xlsx-reader.ts';

prepareDrafts();

describe('a workbook', () => {
  const row = (...texts: string[]) =>
    `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
  /** Returns a workbook with the rows on the second sheet, below a title. */
  const workbook = (...rows: string[]) =>
    workbookOf({
      sheets: [
        { name: 'Notes', rows: row('nothing') + row('here') },
        { name: 'Rows', rows: [row('Of July'), ...rows].join('') },
      ],
    });
  const createTwoDataSets = async (): Promise<[source: number, target: number]> => [
    await newDataSet(steward, await newType(steward), collectionId, [{ code: '01', name: 'A' }]),
    await newDataSet(steward, await newType(steward), collectionId, [{ code: '007', name: 'X' }]),
  ];

  async function readSecondSheet(file: Buffer, fileName: string): Promise<string> {
    const { id } = await uploadDraft(file, fileName);
    await changeDraft(id, { read: { sheet: 'Rows', headerRow: 2 } });
    expect((await waitForReading(id)).state).toBe('READY');
    return id;
  }

  it('of mappings is imported into its crosswalk, from the chosen sheet and header row', async () => {
    const crosswalkId = await newCrosswalk(steward, ...(await createTwoDataSets()));
    const rows = [row('sourceValue', 'targetValue'), row('01', '007'), row('', '007')];
    const id = await readSecondSheet(workbook(...rows), 'mappings.xlsx');
    await changeDraft(id, { target: { kind: 'crosswalk', crosswalkId } });
    const preview = done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings/import-preview`, { fileId: id }));
    expect(preview.counts).toMatchObject({ new: 1, invalid: 1 });
    const { jobId } = done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings/import`, { fileId: id }));
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', counts: { created: 1, failed: 1 } });
    const mappings = await steward.eventually(
      `/api/crosswalks/${crosswalkId}/mappings`,
      ({ body }) => body.total === 1,
    );
    expect(mappings.body.items).toMatchObject([{ sourceValue: '01', targetValue: '007' }]);
    const rejected = Buffer.from(await (await steward.download(`/api/imports/${jobId}/errors`)).arrayBuffer());
    const { cells } = firstSheet(rejected);
    expect(['A1', 'B1', 'C1'].map((cell) => cells.get(cell)?.value)).toEqual([
      'rdm:reason',
      'sourceValue',
      'targetValue',
    ]);
    // The reason names the number of the row in the sheet.
    expect(cells.get('A2')?.value).toMatch(/^Row 4: /);
    expect(cells.get('C2')).toMatchObject({ type: 's', value: '007' });
  });

  it('of relationship values is imported into its relationship', async () => {
    const [sourceDataSetId, targetDataSetId] = await createTwoDataSets();
    const ends = { sourceDataSetId, targetDataSetId, sourceField: 'code', targetField: 'code' };
    const { id: relationshipId } = done(
      await steward.post('/api/relationships', { name: uniqueName('Relationship'), ...ends }),
    );
    const id = await readSecondSheet(workbook(row('sourceKey', 'targetKey'), row('01', '007')), 'values.xlsx');
    await changeDraft(id, { target: { kind: 'relationship', relationshipId } });
    const { jobId } = done(await steward.post(`/api/relationships/${relationshipId}/values/import`, { fileId: id }));
    expect(await endOfJob(steward, jobId)).toMatchObject({
      ...{ status: 'DONE', jobType: 'RELATIONSHIP_VALUES_IMPORT', counts: { created: 1, failed: 0 } },
    });
  });
});
