/** A process that writes one backup, for the benchmark: prints its seconds, peak memory and result as JSON. */
import { createBackup, embeddedLog } from '@rdm/embedded/maintenance/index';
import { connectEventStore, createPool } from '@rdm/platform';
import { mostResident } from './measure.ts';

export interface MeasuredBackup {
  seconds: number;
  residentMib: number;
  fileName: string;
  bytes: number;
  events: number;
}

const [databaseUrl = '', eventStoreUrl = '', logFolder = '', folder = '', signingKeyFile = '', rest, passphrase] =
  process.argv.slice(2);
const pool = createPool(databaseUrl, { max: 2 });
const store = connectEventStore(eventStoreUrl);
const begin = performance.now();
const { fileName, bytes, events } = await createBackup({
  ...{ folder, pool, signingKeyFile, passphrase },
  source: embeddedLog(store, logFolder),
  productVersion: '0.1.0',
  sessionSecret: 's'.repeat(32),
  rest: Number(rest),
});
const seconds = (performance.now() - begin) / 1_000;
const result: MeasuredBackup = { seconds, residentMib: mostResident(process.pid), fileName, bytes, events };
console.log(JSON.stringify(result));
process.exit(0);
