/**
 * A process that writes backups for the benchmark: one backup for each message with settings. The answer has the
 * duration and size of the backup, and the peak memory of the process since its start.
 */
import { once } from 'node:events';
import { createBackup, embeddedLog, NICENESS } from '@rdm/embedded/maintenance/index';
import { connectEventStore, createPool, lowerPriority } from '@rdm/platform';
import { peakResidentMib } from './measure.ts';

export interface BackupRequest {
  /** The pause after each piece of work, as a multiple of the duration of the piece. */
  pauseFactor: number;
  passphrase?: string;
}

export interface MeasuredBackup {
  seconds: number;
  residentMib: number;
  fileName: string;
  bytes: number;
  events: number;
}

const [databaseUrl = '', eventStoreUrl = '', logFolder = '', folder = '', signingKeyFile = ''] = process.argv.slice(2);
// The maintenance process of the product has the same priority.
lowerPriority(NICENESS);
const pool = createPool(databaseUrl, { max: 2 });
const store = connectEventStore(eventStoreUrl);
process.send?.('ready');
for (;;) {
  const [{ pauseFactor, passphrase }] = (await once(process, 'message')) as [BackupRequest];
  const begin = performance.now();
  const { fileName, bytes, events } = await createBackup({
    ...{ folder, pool, signingKeyFile, passphrase, pauseFactor },
    source: embeddedLog(store, logFolder),
    productVersion: '0.1.0',
    sessionSecret: 's'.repeat(32),
  });
  const seconds = (performance.now() - begin) / 1_000;
  process.send?.({
    seconds,
    residentMib: peakResidentMib(process.pid),
    fileName,
    bytes,
    events,
  } satisfies MeasuredBackup);
}
