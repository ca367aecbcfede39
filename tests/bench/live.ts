/** How soon a change reaches the people who look at it: accepted command to event, against a bare fan-out over ws. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LiveChange } from '@rdm/contracts';
import { type Stack, startStack } from '@rdm/embedded/stack';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import { machine, median, quantile } from './measure.ts';

const PASSWORD = 'Bench-live-1';
const CLIENTS = [1, 50, 1_000];
/** What must be reached, in milliseconds from the accepted command: p50 with one client, p99 with more. */
const BARS: Readonly<Record<number, string>> = { 1: 'p50 ≤ 10', 50: 'p99 ≤ 60', 1000: 'p99 ≤ 150' };

interface Spread {
  p50: number;
  p99: number;
  missed: number;
}

interface LiveRow {
  clients: number;
  product: Spread[];
  /** The same from the moment the command was sent. */
  sinceSent: Spread[];
  reference: Spread[];
}

export interface LiveResult {
  bench: 'live';
  reference: string;
  machine: string;
  rows: LiveRow[];
}

const spread = (latencies: number[], expected: number): Spread => {
  const sorted = latencies.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), missed: expected - sorted.length };
};

/** Runs product and reference in turn, A B B A, for each number of clients. */
export async function live(options: { rounds?: number; commands?: number } = {}): Promise<LiveResult> {
  const { rounds = 5, commands = 20 } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'rdm-bench-live-'));
  const stack = await startStack({ dataDir, adminPassword: PASSWORD });
  const fanOut = fork(fileURLToPath(new URL('./live-fan-out.js', import.meta.url)));
  try {
    const [port] = (await once(fanOut, 'message')) as [number];
    const cookie = await signIn(stack);
    const rows: LiveRow[] = [];
    for (const clients of CLIENTS) {
      const row: LiveRow = { clients, product: [], sinceSent: [], reference: [] };
      for (let round = 0; round < rounds; round++) {
        for (const turn of ['A', 'B', 'B', 'A']) {
          if (turn === 'B') row.reference.push(await bare(port, clients, commands));
          else {
            const { accepted, sent } = await product(stack, cookie, clients, commands);
            row.product.push(accepted);
            row.sinceSent.push(sent);
          }
        }
      }
      rows.push(row);
    }
    return { bench: 'live', reference: 'bare ws fan-out in a process of its own', machine: machine(), rows };
  } finally {
    fanOut.kill();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function signIn(stack: Stack): Promise<string> {
  const answer = await fetch(`${stack.baseUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: stack.baseUrl },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  });
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
}

async function product(stack: Stack, cookie: string, clients: number, commands: number) {
  const headers = { 'Content-Type': 'application/json', Cookie: cookie, Origin: stack.baseUrl };
  const write = async (path: string, method: string, body: unknown) => {
    const answer = await fetch(stack.baseUrl + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: number };
  };
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const { id } = await write('/api/reference-types', 'POST', { name: `Live ${randomUUID()}`, schemas });

  const arrived = new Map<number, number[]>();
  const sockets: Socket[] = await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = io(stack.baseUrl, {
        transports: ['websocket'],
        forceNew: true,
        extraHeaders: { Cookie: cookie, Origin: stack.baseUrl },
      });
      await new Promise<void>((resolve, reject) => {
        socket.once('connect_error', reject);
        socket.once('connect', () => socket.emit('join', 'types', () => resolve()));
      });
      socket.on('change', (change: LiveChange) => {
        if (change.entityId !== id || change.type !== 'ReferenceTypeDetailsChanged') return;
        const now = performance.now();
        const times = arrived.get(change.seq);
        if (times) times.push(now);
        else arrived.set(change.seq, [now]);
      });
      return socket;
    }),
  );
  const fromAccepted: number[] = [];
  const fromSent: number[] = [];
  for (let command = 0; command < commands; command++) {
    const before = arrived.size;
    const sent = performance.now();
    await write(`/api/reference-types/${id}`, 'PATCH', { description: `Change ${command} ${randomUUID()}` });
    const accepted = performance.now();
    const times = await everybodyHas(arrived, before, clients);
    // An event that overtakes the answer was there at once.
    fromAccepted.push(...times.map((at) => Math.max(0, at - accepted)));
    fromSent.push(...times.map((at) => at - sent));
  }
  for (const socket of sockets) socket.disconnect();
  return { accepted: spread(fromAccepted, commands * clients), sent: spread(fromSent, commands * clients) };
}

/** Arrival times of the next change at all clients; those that have none after five seconds have missed it. */
async function everybodyHas(arrived: Map<number, number[]>, before: number, clients: number): Promise<number[]> {
  for (const until = performance.now() + 5_000; ; await pause(1)) {
    const times = [...arrived.values()][before] ?? [];
    if (times.length >= clients || performance.now() > until) return times;
  }
}

async function bare(port: number, clients: number, messages: number): Promise<Spread> {
  const arrived: number[][] = [];
  const sockets = await Promise.all(
    Array.from({ length: clients }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`);
      await once(socket, 'open');
      socket.on('message', (text) => {
        const number = Number(String(text).split(' ')[0]);
        const now = performance.now();
        const times = arrived[number];
        if (times) times.push(now);
        else arrived[number] = [now];
      });
      return socket;
    }),
  );
  const latencies: number[] = [];
  for (let message = 0; message < messages; message++) {
    const sent = performance.now();
    sockets[0]?.send(`${message} ${'x'.repeat(200)}`);
    for (const until = sent + 5_000; (arrived[message]?.length ?? 0) < clients && performance.now() < until; )
      await pause(1);
    latencies.push(...(arrived[message] ?? []).map((at) => at - sent));
  }
  for (const socket of sockets) socket.terminate();
  return spread(latencies, messages * clients);
}

function table({ reference, machine: where, rows }: LiveResult): string {
  const of = (runs: Spread[], what: keyof Spread) => median(runs.map((run) => run[what]));
  return [
    '### live',
    '',
    `Reference: ${reference}. Machine: ${where}. Milliseconds from the accepted command to the event at each client.`,
    '',
    '| clients | p50 | p99 | p99 since sent | missed | reference p50 | p99 | ratio of p99 | bar |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(({ clients, product: runs, sinceSent, reference: other }) => {
      const missed = runs.reduce((sum, run) => sum + run.missed, 0);
      const ratio = of(runs, 'p99') / of(other, 'p99');
      return `| ${clients} | ${of(runs, 'p50').toFixed(1)} | ${of(runs, 'p99').toFixed(1)} | ${of(sinceSent, 'p99').toFixed(1)} | ${missed} | ${of(other, 'p50').toFixed(1)} | ${of(other, 'p99').toFixed(1)} | ${ratio.toFixed(1)}× | ${BARS[clients]} |`;
    }),
  ].join('\n');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const result = await live(process.argv.includes('--quick') ? { rounds: 1, commands: 10 } : {});
  console.log(table(result));
  console.log(JSON.stringify(result));
}
