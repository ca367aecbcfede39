/**
 * Reads a page repeatedly, like a user, in a thread of its own: in the thread of a benchmark that uploads a file, reads
 * would wait for the upload.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** The pause between two reads of a busy user. Shorter pauses would measure the capacity, and slow the upload. */
const PAUSE_MS = 100;

interface Page {
  url: string;
  cookie: string;
}

/** Reads the page until `stop`, which returns the milliseconds of the reads in ascending order. */
export function readRepeatedly(page: Page): { stop(): Promise<number[]> } {
  const thread = new Worker(fileURLToPath(import.meta.url), { workerData: page });
  const latencies = new Promise<number[]>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  // `stop` throws the error. Without this handler, an error before `stop` would end the process.
  latencies.catch(() => undefined);
  return {
    async stop() {
      thread.postMessage('stop');
      return (await latencies).sort((a, b) => a - b);
    },
  };
}

async function readUntilStopped(page: Page): Promise<void> {
  const latencies: number[] = [];
  let isReading = true;
  parentPort?.once('message', () => {
    isReading = false;
  });
  // This read is not measured, because it opens the connection.
  await read(page);
  while (isReading) {
    latencies.push(await read(page));
    await pause(PAUSE_MS);
  }
  parentPort?.postMessage(latencies);
}

/** Reads the page once, and returns the milliseconds. */
async function read({ url, cookie }: Page): Promise<number> {
  const begin = performance.now();
  const answer = await fetch(url, { headers: { Cookie: cookie } });
  if (!answer.ok) throw new Error(`GET ${url}: ${answer.status} ${await answer.text()}`);
  await answer.json();
  return performance.now() - begin;
}

if (!isMainThread) await readUntilStopped(workerData as Page);
