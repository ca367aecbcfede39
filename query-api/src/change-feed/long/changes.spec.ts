/** Tests that the change feed disconnects a client that does not read. */
import { describe, expect, it, vi } from 'vitest';
import { tableOf } from '../../fixtures/database.ts';
import { ADMIN } from '../../fixtures/service.ts';
import {
  countChanges,
  ORIGIN,
  openSocket,
  seq,
  service,
  startFeedService,
  storeChanges,
} from '../fixtures/feed-service.ts';

startFeedService();

describe('a stream', () => {
  it('is disconnected if its client does not read', { timeout: 60_000 }, async () => {
    const Cookie = await service.signIn(ADMIN);
    const { ws, closed } = await openSocket('', { Cookie, Origin: ORIGIN });
    ws.pause();
    const before = seq;
    await service.database.pool.query(
      `INSERT INTO ${tableOf('changes')} (seq, position, type, entity, entity_id, ids, count, command_id, data_set_ids, at)
       SELECT $1 + n, '1', 'DataSetTouched', 'data-set', 3, array_fill(123456789012345, ARRAY[100]), 100, 'c', '{3}', now() FROM generate_series(1, 20000) n`,
      [before],
    );
    countChanges(20_000);
    await storeChanges({ dataSetIds: [1] });
    const open = async () => (await service.get('/metrics')).body.match(/change_streams\S* (\d+)/)?.[1];
    await vi.waitFor(async () => expect(await open()).toBe('0'), { timeout: 40_000, interval: 500 });
    ws.resume();
    await vi.waitFor(() => expect(closed.code).toBe(1006));
  });
});
