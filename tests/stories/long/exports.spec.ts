/** XLSX exports: the maximum number of cells, and a client that does not read its export. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { exportFile, prepareDataSet, steward } from '../data-set-exports.ts';
import { done, newCollection, newDataSet, newType } from '../fixtures.ts';
import { signInAs } from '../http-client.ts';

prepareDataSet();

describe('an XLSX export', () => {
  it('is refused if it has too many cells, with a message that names alternatives', async () => {
    const fields = Array.from({ length: 248 }, (_, index) => ({ name: `f${index}`, dataType: 'string' }));
    const typeId = await newType(steward, fields);
    const rows = Array.from({ length: 1_001 }, (_, index) => ({ code: `c${index}` }));
    const id = await newDataSet(steward, typeId, await newCollection(steward), rows.slice(0, 600));
    done(
      await steward.post(`/api/reference-data/${id}/instances`, { rows: rows.slice(600).map((data) => ({ data })) }),
    );
    await steward.eventually(`/api/reference-data/${id}/instances`, ({ body }) => body.total === 1_001);
    const refused = await steward.get(`/api/reference-data/${id}/export?format=xlsx`);
    expect(refused).toMatchObject({
      status: 413,
      body: {
        code: 'TOO_LARGE',
        error:
          'An XLSX export of 250 columns has at most 800 rows: export CSV instead, or narrow the filter or the columns',
      },
    });
    expect((await steward.get(`/api/reference-data/${id}/export?format=xlsx&fields=code,name`)).status).toBe(200);
    expect((await steward.get(`/api/reference-data/${id}/export?format=csv`)).status).toBe(200);
  });
});

describe('an XLSX export that its client does not read', () => {
  it('does not block other exports', async () => {
    // Random texts cannot be compressed, so the file is larger than the buffers of a connection.
    const texts = Array.from({ length: 240 }, () => randomBytes(24_000).toString('base64'));
    const id = await newDataSet(steward, await newType(steward), await newCollection(steward));
    for (let from = 0; from < texts.length; from += 20) {
      const rows = texts.slice(from, from + 20).map((name, index) => ({ data: { code: `${from + index}`, name } }));
      done(await steward.post(`/api/reference-data/${id}/instances`, { rows }));
    }
    const stalled = await steward.download(`/api/reference-data/${id}/export?format=xlsx`);
    expect(stalled.status).toBe(200);
    expect((await exportFile('format=xlsx', await signInAs('admin'))).status).toBe(200);
    // The first client can still read the complete export.
    expect((await stalled.arrayBuffer()).byteLength).toBe(Number(stalled.headers.get('Content-Length')));
  });
});
