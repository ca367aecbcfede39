/** Tests the limit of downloads, and the requests of other users, while clients do not read their downloads. */

import { DOWNLOAD_CHECK } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { DATA_SET, READERS, service, stall, startServiceOfDownloads } from './fixtures/stalled-downloads.ts';

startServiceOfDownloads();

describe('downloads that are not read', () => {
  it('do not block downloads of other users, and are limited to two per user', async () => {
    const [reader = 0, other = 0] = READERS;
    const stalled = await Promise.all([stall(reader), stall(reader)]);
    expect(stalled.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const refused = await service.get(`${DATA_SET}/export`, reader);
    expect([refused.status, refused.body.error, refused.headers.get('Retry-After')]).toEqual([
      429,
      'You have 2 downloads under way. Wait until one of them is done and try again.',
      '5',
    ]);
    const check = { [DOWNLOAD_CHECK]: 'true' };
    expect(await service.get(`${DATA_SET}/export`, reader, check)).toMatchObject({
      status: 429,
      body: { error: refused.body.error },
    });
    expect((await service.get(`${DATA_SET}/export`, other)).status).toBe(200);
    // A check does not count as a download, and returns no file.
    const checks = await Promise.all([1, 2, 3].map(() => service.get(`${DATA_SET}/export`, other, check)));
    expect(checks.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([204, checks[0]?.body]));
    expect((await service.get('/api/reference-data/999/export', other, check)).status).toBe(404);
  });

  it('with a regular expression do not block searches with regular expressions', async () => {
    const [reader = 0, other = 0] = READERS;
    const filter = (value: string) =>
      encodeURIComponent(JSON.stringify({ logic: 'AND', conditions: [{ field: 'code', operator: 'regex', value }] }));
    expect((await stall(reader, `?filter=${filter('^[0-9a-f]')}`)).statusCode).toBe(200);
    const searched = await service.get(`${DATA_SET}/instances?filter=${filter('^ab')}`, other);
    expect(searched.status).toBe(200);
  });
});
