/** Verifies a backup by restoring a copy beside the running product whose read models differ from the copy. */
import { expect, it, vi } from 'vitest';
import { done } from '../../stories/fixtures.ts';
import type { Json } from '../../stories/http-client.ts';
import { admin, backupId, dataSetId, pool, readBackup, useBackup, viewer } from '../verify-restore/backup.ts';

useBackup();

async function verify(): Promise<Json> {
  done(await admin.post(`/api/backups/${backupId}/verify`, { level: 'restore' }));
  await vi.waitFor(async () => expect((await readBackup())['verifying']).toBe(true), { timeout: 60_000 });
  return vi.waitFor(
    async () => {
      const found = await readBackup();
      expect(found['verifying']).toBe(false);
      return found;
    },
    { timeout: 180_000, interval: 200 },
  );
}

async function tableOf(projection: string, table: string): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>(
    'SELECT schema_name AS schema FROM platform.builds WHERE serving AND name = $1',
    [projection],
  );
  return `${rows[0]?.schema}.${table}`;
}

it('names the read model that differs between the copy and the product', async () => {
  const table = await tableOf('data_sets', 'reference_data_sets');
  await pool.query(`UPDATE ${table}_history SET name = name || ' altered' WHERE id = $1`, [dataSetId]);
  const { status, problem } = await verify();
  expect([status, problem]).toEqual(['DAMAGED', expect.stringContaining('The read model reference_data_sets')]);

  const { body } = await admin.eventually('/api/notifications', (answer) =>
    answer.body.items.some(({ kind }: Json) => kind === 'backup'),
  );
  expect(body.items[0]).toMatchObject({ reason: 'BACKUP_DAMAGED', parentId: backupId, comment: problem, read: false });
  expect(done(await viewer.get('/api/notifications')).items).toEqual([]);
});
