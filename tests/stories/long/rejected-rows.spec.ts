/** Tests the file of rejected rows of an import with a record that is too long. */
import { describe, expect, it } from 'vitest';
import { done, newDataSet } from '../fixtures.ts';
import { collectionId, downloadRejected, importFile, prepareImports, steward, typeId } from '../rejected-rows.ts';

prepareImports();

describe('the file of rejected rows of an import', () => {
  it('has a row for an overlong record, which a second import rejects too', async () => {
    const dataSetId = await newDataSet(steward, typeId, collectionId);
    const long = `long,${'x'.repeat(1_100_000)},1`;
    const first = await importFile(dataSetId, Buffer.from(`code,name,population\n${long}\nDE,Germany,83\n`));
    expect(first.counts).toMatchObject({ total: 2, created: 1, failed: 1 });
    const { items } = done(await steward.get(`/api/jobs/${first.jobId}/logs?status=ERROR`));
    expect(items[0].errorMessage).toContain('there are more than 1,048,576 characters');
    expect(JSON.stringify(items[0].recordData).length).toBeLessThan(400);
    const second = await importFile(dataSetId, await downloadRejected(first.jobId));
    expect(second.counts).toMatchObject({ total: 1, created: 0, failed: 1 });
  });
});
