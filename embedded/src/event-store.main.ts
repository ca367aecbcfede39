/** Runs the embedded event store as a process of its own: `--port`, `--dir`, `--host`, `--segment-size`. */
import { parseArgs } from 'node:util';
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

function fail(error: Error): never {
  console.error(`event store: ${error.message}`);
  process.exit(1);
}

const store = await startEventStore({
  directory: values.dir,
  port: Number(values.port),
  host: values.host,
  segmentSize: Number(values['segment-size']),
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
