/**
 * Measures the latencies of users during attacks, compared with the same users without attacks. The attacks run
 * concurrently: unfinished requests, endless CSV lines, unread exports, guessed passwords and slow regular expressions.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { io, type Socket } from 'socket.io-client';
import { type Caller, codeOf, newDataSet, newPerson } from './data-sets.ts';
import type { Answers, Attack } from './hostile-attack.ts';
import { type LargeDataSet, openLargeDataSet, PASSWORD } from './large-data-set.ts';
import { describeMachine, median, quantile } from './measure.ts';

const READERS = 20;
const WRITERS = 6;
const SOCKETS = 100;
const ATTACKERS = 3;
/** The limit of the p99 during attacks, relative to the p99 without attacks. It is printed, but not enforced. */
const LIMIT = 3;
/** The pause of users between two requests. */
const THINK_MS = 250;
const SERVICES = ['front-door', 'command-api', 'query-api', 'projector', 'event-store'];
const RSS_EVERY_MS = 5_000;

type Work = 'read' | 'write' | 'live';

interface Phase {
  /**
   * In milliseconds, by minute. The latency of a live change is the time from the response of the write to the arrival
   * at a socket.
   */
  latencies: Record<Work, number[][]>;
  errors: string[];
  /** The number of changes, counted per socket, that did not arrive within ten seconds. */
  missed: number;
  /** MiB of each service over time. */
  resident: Record<string, number[]>;
}

interface HostileResult {
  bench: 'hostile';
  machine: string;
  seconds: number;
  work: {
    name: Work;
    count: number;
    quietP50: number;
    quietP99: number;
    p50: number;
    p99: number;
    ratio: number;
    /** The p99 of each minute of the attack. */
    p99ByMinute: number[];
  }[];
  errors: string[];
  missed: number;
  resident: Record<string, { quiet: number; first: number; last: number }>;
  answers: Answers;
}

async function measureHostile(
  options: { rows?: number; quiet?: number; seconds?: number; only?: readonly string[] | undefined } = {},
) {
  const { rows = 100_000, quiet = 120, seconds = 600, only } = options;
  const large = await openLargeDataSet(rows);
  try {
    const people = await startUsers(large);
    // Open connections, plan statements and compile code before the measurement.
    await runUsers(large, people, 10);
    const quietPhase = await runUsers(large, people, quiet);
    const attack = await startAttack(large, only);
    const duringAttack = await runUsers(large, people, seconds);
    const answers = await attack.stop();
    for (const socket of people.sockets) socket.close();
    const names: Work[] = ['read', 'write', 'live'];
    const result: HostileResult = {
      bench: 'hostile',
      machine: describeMachine(),
      seconds,
      work: names.map((name) => {
        const quantileOf = (all: number[], part: number) =>
          quantile(
            all.toSorted((a, b) => a - b),
            part,
          );
        const [before, during] = [quietPhase.latencies[name].flat(), duringAttack.latencies[name].flat()];
        const [quietP99, p99] = [quantileOf(before, 0.99), quantileOf(during, 0.99)];
        return {
          name,
          count: during.length,
          ...{ quietP50: quantileOf(before, 0.5), quietP99, p50: quantileOf(during, 0.5), p99 },
          ratio: p99 / quietP99,
          p99ByMinute: duringAttack.latencies[name].map((minute) => quantileOf(minute, 0.99)),
        };
      }),
      errors: [...quietPhase.errors, ...duringAttack.errors],
      missed: quietPhase.missed + duringAttack.missed,
      resident: Object.fromEntries(SERVICES.map((name) => [name, medianMemory(quietPhase, duringAttack, name)])),
      answers,
    };
    return result;
  } finally {
    await large.stop();
  }
}

/**
 * Returns the median memory of a service: before the attack, in the second fifth of the attack and in the last fifth.
 */
function medianMemory(quietPhase: Phase, duringAttack: Phase, name: string) {
  const all = duringAttack.resident[name] ?? [];
  const fifthFrom = (from: number) =>
    all.slice(Math.floor((all.length * from) / 5), Math.ceil((all.length * (from + 1)) / 5));
  return { quiet: median(quietPhase.resident[name] ?? []), first: median(fifthFrom(1)), last: median(fifthFrom(4)) };
}

interface People {
  readers: Caller[];
  writers: { person: Caller; dataSetId: number }[];
  sockets: Socket[];
}

async function startUsers(large: LargeDataSet): Promise<People> {
  const readers: Caller[] = [];
  for (let index = 0; index < READERS; index++) readers.push(await newPerson(large.baseUrl, large.person, PASSWORD));
  const writers: People['writers'] = [];
  for (let index = 0; index < WRITERS; index++) {
    const person = await newPerson(large.baseUrl, large.person, PASSWORD);
    writers.push({ person, dataSetId: await newDataSet(person, large.typeId) });
  }
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async (_, index) => {
      const { cookie } = readers[index % READERS] as Caller;
      const extraHeaders = { Cookie: cookie, Origin: large.baseUrl };
      const socket = io(large.baseUrl, { transports: ['websocket'], forceNew: true, extraHeaders });
      await new Promise<void>((resolve, reject) => {
        socket.once('connect', () => resolve());
        socket.once('connect_error', reject);
      });
      for (const { dataSetId } of writers) {
        await new Promise<void>((resolve) => socket.emit('join', `data-set:${dataSetId}`, () => resolve()));
      }
      return socket;
    }),
  );
  return { readers, writers, sockets };
}

async function runUsers(large: LargeDataSet, { readers, writers, sockets }: People, seconds: number): Promise<Phase> {
  const phase: Phase = { latencies: { read: [], write: [], live: [] }, errors: [], missed: 0, resident: {} };
  const begin = performance.now();
  const until = begin + seconds * 1_000;
  const record = (work: Work, milliseconds: number) => {
    // A request may end shortly after the last minute.
    const minute = Math.min(Math.floor((performance.now() - begin) / 60_000), Math.ceil(seconds / 60) - 1);
    phase.latencies[work][minute] ??= [];
    phase.latencies[work][minute].push(milliseconds);
  };
  const instances = `/api/reference-data/${large.dataSetId}/instances`;
  const reads = [
    () => `${instances}?key=${codeOf(Math.floor(Math.random() * 100_000))}`,
    () => `${instances}?pageSize=50&page=${1 + Math.floor(Math.random() * 100)}`,
    () => '/api/reference-data?pageSize=50',
    () => '/api/approvals?pageSize=50',
    () => '/api/user',
  ];
  /** By data set: the time of the last write's response, and the sockets that have not received the change. */
  const pendingChanges = new Map<number, { at: number; left: Set<Socket> }>();
  const listeners = sockets.map((socket) => {
    const listener = ({ entityId }: { entityId: number }) => {
      const change = pendingChanges.get(entityId);
      if (change?.left.delete(socket)) record('live', Math.max(0, performance.now() - change.at));
    };
    const dropped = (reason: string) => phase.errors.push(`A socket was closed: ${reason}`);
    socket.on('change', listener);
    socket.on('disconnect', dropped);
    return () => socket.off('change', listener).off('disconnect', dropped);
  });
  const measureRequest = async (work: Work, run: () => Promise<unknown>) => {
    const begin = performance.now();
    await run().catch((error: Error) => phase.errors.push(`${work}: ${error.message.slice(0, 200)}`));
    record(work, performance.now() - begin);
  };
  const repeatUntilEnd = async (act: () => Promise<void>) => {
    await pause(Math.random() * THINK_MS);
    while (performance.now() < until) {
      await act();
      await pause(THINK_MS);
    }
  };
  await Promise.all([
    ...readers.map((person) =>
      repeatUntilEnd(() => {
        const path = reads[Math.floor(Math.random() * reads.length)] as () => string;
        return measureRequest('read', () => person.read(path()));
      }),
    ),
    ...writers.map(({ person, dataSetId }) =>
      repeatUntilEnd(async () => {
        const change = { at: Number.POSITIVE_INFINITY, left: new Set(sockets) };
        pendingChanges.set(dataSetId, change);
        await measureRequest('write', () =>
          person.write(`/api/reference-data/${dataSetId}/instances`, { data: { code: randomUUID(), name: 'Written' } }),
        );
        change.at = performance.now();
        for (const end = change.at + 10_000; change.left.size > 0 && performance.now() < end; ) await pause(5);
        phase.missed += change.left.size;
      }),
    ),
    repeatUntilEnd(async () => {
      for (const name of SERVICES) {
        const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${large.parts[name]?.pid}/status`, 'utf8'))?.[1];
        phase.resident[name] ??= [];
        phase.resident[name].push(Math.round(Number(kilobytes) / 1024));
      }
      await pause(RSS_EVERY_MS);
    }),
  ]);
  for (const stop of listeners) stop();
  return phase;
}

/**
 * Starts all attacks, or those named in `only`, in another process. `stop()` ends the attacks and returns the counts of
 * their answers.
 */
async function startAttack(large: LargeDataSet, only: readonly string[] | undefined) {
  const attackers: string[] = [];
  for (let index = 0; index < ATTACKERS; index++)
    attackers.push((await newPerson(large.baseUrl, large.person, PASSWORD)).username);
  const { baseUrl, typeId, dataSetId } = large;
  const attack: Attack = { baseUrl, typeId, dataSetId, attackers, only };
  const process = fork(fileURLToPath(new URL('hostile-attack.js', import.meta.url)), [JSON.stringify(attack)]);
  await once(process, 'message');
  return {
    async stop() {
      process.send('stop');
      const [answers] = (await once(process, 'message')) as [Answers];
      process.disconnect();
      return answers;
    },
  };
}

function table({ work: rows, errors, missed, resident, answers, seconds, machine: where }: HostileResult): string {
  const ms = (value: number) => value.toFixed(1);
  return [
    '### hostile',
    '',
    `Reference: the same users without attacks. ${READERS} readers, ${WRITERS} writers, ${SOCKETS} sockets; attacked for ${seconds} s. Machine: ${where}.`,
    '',
    '| work | count | alone p50 ms | p99 ms | attacked p50 ms | p99 ms | p99 ratio | limit |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ name, count, quietP50, quietP99, p50, p99, ratio }) =>
        `| ${name} | ${count} | ${ms(quietP50)} | ${ms(quietP99)} | ${ms(p50)} | ${ms(p99)} | ${ratio.toFixed(2)}× | ${LIMIT}× |`,
    ),
    '',
    ...rows.map(({ name, p99ByMinute }) => `p99 of ${name} in each minute, ms: ${p99ByMinute.map(ms).join(', ')}`),
    '',
    `Errors: ${errors.length}${errors.length > 0 ? ` (${[...new Set(errors)].slice(0, 5).join('; ')})` : ''}. Changes that a socket missed: ${missed}.`,
    '',
    '| memory, MiB | alone | early in the attack | at its end |',
    '|---|---|---|---|',
    ...Object.entries(resident).map(([name, { quiet, first, last }]) => `| ${name} | ${quiet} | ${first} | ${last} |`),
    '',
    '| attack | answers |',
    '|---|---|',
    ...Object.entries(answers).map(
      ([attack, statuses]) =>
        `| ${attack} | ${Object.entries(statuses)
          .map(([status, times]) => `${times} × ${status}`)
          .join(', ')} |`,
    ),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick') ? { quiet: 20, seconds: 40 } : {};
  const once = process.argv.includes('--once') ? { quiet: 60, seconds: 120 } : {};
  // `--only=guessed passwords,endless lines` runs only these attacks.
  const only = process.argv
    .find((argument) => argument.startsWith('--only='))
    ?.slice('--only='.length)
    .split(',');
  const result = await measureHostile({ ...quick, ...once, only });
  console.log(table(result));
  console.log(JSON.stringify(result));
}
