/** Tests that a list can be read while downloads take all slots because their clients stopped reading. */

import { describe, expect, it } from 'vitest';
import { ADMIN } from '../../fixtures/service.ts';
import { DATA_SET, READERS, service, stall, startServiceOfDownloads } from '../fixtures/stalled-downloads.ts';

startServiceOfDownloads();

describe('downloads that are not read', () => {
  it('do not block reads of a list when all slots are taken', async () => {
    await Promise.all(READERS.slice(1).flatMap((reader) => [stall(reader), stall(reader)]));
    const reads = await Promise.all(
      Array.from({ length: 40 }, () => service.get(`${DATA_SET}/instances?pageSize=10`, ADMIN)),
    );
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await service.get(`${DATA_SET}/export`, ADMIN);
    expect([refused.status, refused.body.error]).toEqual([429, '8 downloads are under way. Try again in a moment.']);
  });
});
