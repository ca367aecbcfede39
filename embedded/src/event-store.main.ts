/** Runs the embedded event store as a process of its own: `--port`, `--dir`, `--host`, `--segment-size`. */
import { parseArgs } from 'node:util';
import { LOG_END, LOG_END_EXPECTED } from '@rdm/platform/log-end';
import { announceRefusal } from '@rdm/platform/service';
import { ShortenedLog } from './event-store/log.ts';
import { DamagedLog } from './event-store/record.ts';
import { startEventStore } from './event-store/server.ts';
import { SEGMENT_SIZE } from './event-store/store.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '2113' },
    dir: { type: 'string', default: '.data/event-store' },
    host: { type: 'string', default: '127.0.0.1' },
    'segment-size': { type: 'string', default: String(SEGMENT_SIZE) },
  },
});

/** Tells a supervisor apart what starting again cannot mend. */
async function fail(error: Error): Promise<never> {
  console.error(`event store: ${error.message}`);
  if (error instanceof ShortenedLog || error instanceof DamagedLog) await announceRefusal(error.message);
  process.exit(1);
}

const accepted = process.env['ACCEPT_LOG_END'];
if (accepted && !LOG_END.test(accepted)) await fail(new Error(`ACCEPT_LOG_END must be ${LOG_END_EXPECTED}`));

const store = await startEventStore({
  directory: values.dir,
  port: Number(values.port),
  host: values.host,
  segmentSize: Number(values['segment-size']),
  acceptedEnd: accepted ? Number(accepted) : undefined,
  warn: (message) => console.warn(`event store: ${message}`),
  onFailure: (error) => fail(new Error(`the log can no longer be written, so the store stops: ${error.message}`)),
}).catch(fail);

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await store.stop();
  process.exit(0);
}

process.on('SIGTERM', stop);
process.on('SIGINT', stop);
process.on('disconnect', stop);
console.log(`event store ready: esdb://${values.host}:${store.port}?tls=false (${values.dir})`);
process.send?.({ type: 'ready', port: store.port });
