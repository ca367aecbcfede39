/** The proof of the log: a signed head and an export of the whole log are verified without the product. */
import { describe, expect, it } from 'vitest';
import { dataSet, prepareLog, saveExport, saveHead, saveKey, verifyLog } from './log-verification.ts';

prepareLog();

describe('the log', () => {
  it('is verified with a signed head, an export and the public key, without the product', async () => {
    const head = await saveHead('before.json');
    expect(head.keyId).toBe(await saveKey());
    const lines = await saveExport('before.gz');
    // Every event that the product writes has a salt.
    const eventsOfDataSet = lines.filter(({ stream }) => stream === `dataSet-${dataSet}`);
    expect(eventsOfDataSet).toHaveLength(2);
    for (const { metadata } of eventsOfDataSet) expect(metadata.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(eventsOfDataSet[0].metadata.salt).not.toBe(eventsOfDataSet[1].metadata.salt);
    const verified = await verifyLog('before.gz', '--head', 'before.json', '--key', 'key.pem');
    expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('Intact.') });
  });
});
