import type { BackupEvent, RecordedEvent } from '@rdm/contracts';
import { expect, it } from 'vitest';
import { openBackupStream } from './backup-stream.ts';

it('counts uploads and backups requested with a passphrase as backups with their own passphrase', async () => {
  const file = {
    fileName: 'rdm-20261126T160000Z-3.tar.gz.age',
    bytes: 1,
    sha256: 'ab',
    encrypted: true,
    events: 1,
    position: '1',
    seq: 1,
    chainHash: 'ab',
  };
  const events: BackupEvent[] = [
    { type: 'BackupRequested', data: { backupId: 1, trigger: 'SCHEDULE' } },
    { type: 'BackupRequested', data: { backupId: 2, trigger: 'MANUAL', hasOwnPassphrase: true } },
    { type: 'BackupUploaded', data: { backupId: 3, madeAt: '2026-11-26T16:00:00.000Z', ...file } },
  ];
  const stream = openBackupStream({
    async *read(_stream, from = 0) {
      for (const [revision, event] of [...events.entries()].slice(Number(from))) {
        yield { ...event, revision, metadata: { occurredAt: '2026-11-27T02:00:00.000Z' } } as unknown as RecordedEvent;
      }
    },
  });
  await stream.read();
  await stream.read();
  expect([...stream.withOwnPassphrase]).toEqual([2, 3]);
});
