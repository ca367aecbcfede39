/**
 * Measures the latency of a change from the accepted command to the event at each client, without other work and while
 * one command approves 10,000 values. The reference is a bare WebSocket server that sends messages to all clients.
 */
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
import { createCrosswalkUnderReview, freezeSelection, waitForCount } from './approve.ts';
import { type Caller, signIn } from './data-sets.ts';
import { describeMachine, median, quantile } from './measure.ts';

const PASSWORD = 'Bench-live-1';
const CLIENTS = [1, 50, 1_000];
/** The numbers of clients that receive changes during an approval. */
const BUSY_CLIENTS = [50, 1_000];
/** The number of values that the command approves. */
const APPROVED = 10_000;
/** Limits in milliseconds from the accepted command: p50 with one client, p99 with more. */
const LIMITS: Readonly<Record<number, string>> = { 1: 'p50 ≤ 10', 50: 'p99 ≤ 60', 1000: 'p99 ≤ 150' };

interface Spread {
  p50: number;
  p99: number;
  /** The number of events that did not arrive within five seconds. */
  missed: number;
}

interface LiveRow {
  clients: number;
  /** Whether values were approved meanwhile. */
  busy: boolean;
  product: Spread[];
  /** The latencies from the moment when the command was sent. */
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

/** Runs the product (A) and the reference (B) in the order A B B A in each round, for each number of clients. */
export async function measureLive(options: { rounds?: number; commands?: number } = {}): Promise<LiveResult> {
  const { rounds = 5, commands = 20 } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'rdm-bench-live-'));
  const stack = await startStack({ dataDir, adminPassword: PASSWORD });
  const fanOut = fork(fileURLToPath(new URL('./live-fan-out.js', import.meta.url)));
  try {
    const [port] = (await once(fanOut, 'message')) as [number];
    const admin = await signIn(stack.baseUrl, PASSWORD);
    const rows: LiveRow[] = [];
    const measureCase = async (clients: number, busy: boolean, product: () => Promise<Latencies>) => {
      const row: LiveRow = { clients, busy, product: [], sinceSent: [], reference: [] };
      for (let round = 0; round < rounds; round++) {
        for (const turn of ['A', 'B', 'B', 'A']) {
          if (turn === 'B') row.reference.push(await measureBareFanOut(port, clients, commands));
          else {
            const { accepted, sent } = await product();
            row.product.push(accepted);
            row.sinceSent.push(sent);
          }
        }
      }
      rows.push(row);
    };
    for (const clients of CLIENTS)
      await measureCase(clients, false, () => measureIdle(stack, admin, clients, commands));
    const approval = await createApproval(stack, admin);
    for (const clients of BUSY_CLIENTS)
      await measureCase(clients, true, () => measureWhileApproving(stack, admin, clients, approval));
    return { bench: 'live', reference: 'bare ws fan-out in a separate process', machine: describeMachine(), rows };
  } finally {
    fanOut.kill();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Latencies {
  accepted: Spread;
  sent: Spread;
}

/** Creates a type and connects clients. `change` changes the type and measures the latency at each client. */
async function subscribeClients(stack: Stack, { cookie, write }: Caller, clients: number, rooms: readonly string[]) {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const { id } = await write('/api/reference-types', { name: `Live ${randomUUID()}`, schemas });
  const headers = { 'Content-Type': 'application/json', Cookie: cookie, Origin: stack.baseUrl };
  const arrived = new Map<number, number[]>();
  /** The number of approved values that each client received. */
  const approved: number[] = Array.from({ length: clients }, () => 0);
  const sockets: Socket[] = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const socket = io(stack.baseUrl, {
        transports: ['websocket'],
        forceNew: true,
        extraHeaders: { Cookie: cookie, Origin: stack.baseUrl },
      });
      await new Promise<void>((resolve, reject) => {
        socket.once('connect_error', reject);
        socket.once('connect', () => resolve());
      });
      for (const room of rooms) await new Promise<void>((resolve) => socket.emit('join', room, () => resolve()));
      socket.on('change', (change: LiveChange) => {
        if (change.type === 'MappingsApproved') approved[client] = (approved[client] ?? 0) + change.count;
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
  let changes = 0;
  return {
    async change() {
      changes += 1;
      const before = arrived.size;
      const sent = performance.now();
      const body = JSON.stringify({ description: `Change ${changes} ${randomUUID()}` });
      const answer = await fetch(`${stack.baseUrl}/api/reference-types/${id}`, { method: 'PATCH', headers, body });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      const accepted = performance.now();
      const times = await waitForAllClients(arrived, before, clients);
      // An event that arrives before the response of the command has a latency of zero.
      fromAccepted.push(...times.map((at) => Math.max(0, at - accepted)));
      fromSent.push(...times.map((at) => at - sent));
    },
    approved,
    finish(): Latencies {
      for (const socket of sockets) socket.disconnect();
      return { accepted: spread(fromAccepted, changes * clients), sent: spread(fromSent, changes * clients) };
    },
  };
}

export async function measureIdle(stack: Stack, admin: Caller, clients: number, commands: number): Promise<Latencies> {
  const subscribers = await subscribeClients(stack, admin, clients, ['types']);
  for (let command = 0; command < commands; command++) await subscribers.change();
  return subscribers.finish();
}

interface Approval {
  approver: Caller;
  crosswalkId: number;
}

async function createApproval(stack: Stack, admin: Caller): Promise<Approval> {
  const username = 'decider';
  const decider = { username, email: 'decider@example.com', password: PASSWORD, roleId: 1 };
  await admin.write('/api/users', { ...decider, requirePasswordChange: false });
  return {
    approver: await signIn(stack.baseUrl, PASSWORD, username),
    crosswalkId: await createCrosswalkUnderReview(admin, APPROVED),
  };
}

/** Measures changes one after another, until all clients have received every approved value. */
async function measureWhileApproving(
  stack: Stack,
  admin: Caller,
  clients: number,
  { approver, crosswalkId }: Approval,
): Promise<Latencies> {
  const subscribers = await subscribeClients(stack, admin, clients, ['types', `crosswalk:${crosswalkId}`]);
  const selectionId = await freezeSelection(approver, crosswalkId, 'pending');
  const deciding = approver.write(`/api/crosswalks/${crosswalkId}/mappings/approve`, { selectionId });
  const deadline = performance.now() + 60_000;
  while (subscribers.approved.some((count) => count < APPROVED)) {
    if (performance.now() > deadline)
      throw new Error(`Not every client received ${APPROVED} values: ${new Set(subscribers.approved)}`);
    await subscribers.change();
  }
  const started: unknown = await deciding;
  const received = subscribers.finish();
  await approver.write(`/api/batches/${(started as { commandId: string }).commandId}/undo`, {});
  await waitForCount(approver, crosswalkId, 'pending', APPROVED);
  return received;
}

/** Returns the times at which the next change arrived at clients; waits at most five seconds for all clients. */
async function waitForAllClients(arrived: Map<number, number[]>, before: number, clients: number): Promise<number[]> {
  for (const deadline = performance.now() + 5_000; ; await pause(1)) {
    const times = [...arrived.values()][before] ?? [];
    if (times.length >= clients || performance.now() > deadline) return times;
  }
}

async function measureBareFanOut(port: number, clients: number, messages: number): Promise<Spread> {
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
    for (const deadline = sent + 5_000; (arrived[message]?.length ?? 0) < clients && performance.now() < deadline; )
      await pause(1);
    latencies.push(...(arrived[message] ?? []).map((at) => at - sent));
  }
  for (const socket of sockets) socket.terminate();
  return spread(latencies, messages * clients);
}

function table({ reference, machine: where, rows }: LiveResult): string {
  const medianOf = (runs: Spread[], figure: keyof Spread) => median(runs.map((run) => run[figure]));
  return [
    '### live',
    '',
    `Reference: ${reference}. Machine: ${where}.`,
    'Milliseconds from the accepted command (for the reference, from the sent message) to the event at each client.',
    '',
    '| clients | p50 | p99 | p99 since sent | missed | reference p50 | p99 | ratio of p99 | limit |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(({ clients, busy, product: runs, sinceSent, reference: other }) => {
      const missed = runs.reduce((sum, run) => sum + run.missed, 0);
      const ratio = medianOf(runs, 'p99') / medianOf(other, 'p99');
      const label = busy ? `${clients}, while ${APPROVED.toLocaleString('en')} values are approved` : clients;
      return `| ${label} | ${medianOf(runs, 'p50').toFixed(1)} | ${medianOf(runs, 'p99').toFixed(1)} | ${medianOf(sinceSent, 'p99').toFixed(1)} | ${missed} | ${medianOf(other, 'p50').toFixed(1)} | ${medianOf(other, 'p99').toFixed(1)} | ${ratio.toFixed(1)}× | ${LIMITS[clients]} |`;
    }),
  ].join('\n');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const result = await measureLive(process.argv.includes('--quick') ? { rounds: 1, commands: 10 } : {});
  console.log(table(result));
  console.log(JSON.stringify(result));
}
