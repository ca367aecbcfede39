/**
 * Runs the embedded event store in its own process. Its options are `--port`, `--dir`, `--host`, `--segment-size`,
 * `--password-file` and `--scavenge-rest`.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LOG_END_EXPECTED, LOG_END_PATTERN } from '@rdm/platform/event-store/log-end';
import { setHeapGrowth } from '@rdm/platform/service/heap-growth';
import { announceRefusal } from '@rdm/platform/service/service';
import { ShortenedLog } from './event-store/storage/log.ts';
import { DamagedLog } from './event-store/storage/record.ts';
import { SEGMENT_SIZE } from './event-store/store.ts';
import { connectionString, readOrCreatePassword } from './event-store/wire/password.ts';
import { SCAVENGE_PAUSE_FACTOR, startEventStore } from './event-store/wire/server.ts';

// The heap has about 10 MiB: 500 percent let the heap and the buffers grow by 50 MiB before the next full collection.
setHeapGrowth(500);

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '2113' },
    dir: { type: 'string', default: '.data/event-store' },
    host: { type: 'string', default: '127.0.0.1' },
    'segment-size': { type: 'string', default: String(SEGMENT_SIZE) },
    'password-file': { type: 'string' },
    'scavenge-rest': { type: 'string', default: String(SCAVENGE_PAUSE_FACTOR) },
  },
});

/**
 * Ends the process. Reports a shortened or damaged log to the supervisor, so that the supervisor does not restart the
 * process.
 */
async function fail(error: Error): Promise<never> {
  console.error(`event store: ${error.message}`);
  if (error instanceof ShortenedLog || error instanceof DamagedLog) await announceRefusal(error.message);
  process.exit(1);
}

const acceptedEnd = process.env['ACCEPT_LOG_END'];
if (acceptedEnd && !LOG_END_PATTERN.test(acceptedEnd)) {
  await fail(new Error(`ACCEPT_LOG_END must be ${LOG_END_EXPECTED}`));
}

const passwordFile = values['password-file'] === undefined ? undefined : resolve(values['password-file']);
let password: string | undefined;
try {
  if (passwordFile !== undefined) password = readOrCreatePassword(passwordFile);
} catch (error) {
  await fail(error as Error);
}

const store = await startEventStore({
  directory: values.dir,
  port: Number(values.port),
  host: values.host,
  segmentSize: Number(values['segment-size']),
  password,
  scavengePauseFactor: Number(values['scavenge-rest']),
  // For tests of programs that must also work with EventStoreDB, which ends slow subscriptions.
  endsSlowSubscriptions: process.env['END_SLOW_SUBSCRIPTIONS'] === 'on',
  acceptedEnd: acceptedEnd ? Number(acceptedEnd) : undefined,
  warn: (message) => console.warn(`event store: ${message}`),
  // `fail` announces a DamagedLog as a refusal, because a restart does not repair the log.
  onFailure: (error) =>
    fail(
      error instanceof DamagedLog
        ? error
        : new Error(`the log can no longer be written, so the store stops: ${error.message}`),
    ),
}).catch(fail);

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await store.stop();
  process.exit(0);
}

process.on('SIGTERM', stop);
process.on('SIGINT', stop);
process.on('disconnect', stop);
// The output may be logged, so it does not contain the password: a shell inserts the password from its file.
const url = connectionString(values.host, store.port, passwordFile && `$(cat '${passwordFile}')`);
console.log(`event store ready: ${url} (${values.dir})`);
process.send?.({ type: 'ready', port: store.port });
