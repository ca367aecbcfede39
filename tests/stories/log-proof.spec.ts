/** The proof of the log on the whole product: a signed head and the whole log as a file, verified without the product. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { testSigningKey } from '@rdm/platform/testing/purge-events';
import { describe, expect, it } from 'vitest';
import { dataSet, file, prepareLog, saveExport, saveHead, saveKey, verifyLog } from './log-verification.ts';

prepareLog();

describe('the log', () => {
  it('is verified with a signed head, an export and the public key, without the product', async () => {
    const head = await saveHead('before.json');
    expect(head.keyId).toBe(await saveKey());
    const lines = await saveExport('before.gz');
    // Every event that the product writes has a salt.
    const ofDataSet = lines.filter(({ stream }) => stream === `dataSet-${dataSet}`);
    expect(ofDataSet).toHaveLength(2);
    for (const { metadata } of ofDataSet) expect(metadata.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(ofDataSet[0].metadata.salt).not.toBe(ofDataSet[1].metadata.salt);
    const verified = await verifyLog('before.gz', '--head', 'before.json', '--key', 'key.pem');
    expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('Intact.') });
  });

  it('is refused with exit code 3 if an event is missing or the key is another one, and with 2 for wrong arguments', async () => {
    const lines = gunzipSync(readFileSync(file('before.gz')))
      .toString()
      .trim()
      .split('\n');
    const seq = 5;
    lines.splice(seq - 1, 1);
    writeFileSync(file('cut.gz'), gzipSync(`${lines.join('\n')}\n`));
    const missing = await verifyLog('cut.gz', '--head', 'before.json', '--key', 'key.pem');
    expect(missing.code).toBe(3);
    expect(missing.output).toContain(`Broken at event ${seq}: Event ${seq} is missing and no purge names it.`);
    writeFileSync(file('other.pem'), testSigningKey().publicKey);
    expect(await verifyLog('before.gz', '--head', 'before.json', '--key', 'other.pem')).toMatchObject({
      code: 3,
      output: expect.stringContaining('which --key does not name'),
    });
    for (const words of [
      [],
      ['before.gz'],
      ['before.gz', '--head', 'before.json'],
      ['none.gz', '--head', 'before.json', '--key', 'key.pem'],
      ['before.gz', '--head', 'key.pem', '--key', 'key.pem'],
      ['before.gz', '--head', 'before.json', '--key', 'before.json'],
    ]) {
      expect(await verifyLog(...words)).toMatchObject({ code: 2, output: expect.stringContaining('Usage:') });
    }
  });
});
