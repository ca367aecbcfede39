/**
 * What people at work notice while others attack: unfinished requests, endless lines of CSV, exports that nobody reads,
 * guessed passwords and costly regular expressions, all at once, against the same people alone.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { connect, type Socket as TcpSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { io, type Socket } from 'socket.io-client';
import { type Caller, codeOf, newDataSet, signIn } from './data-sets.ts';
import { type LargeDataSet, openLargeDataSet, PASSWORD } from './large-data-set.ts';
import { machine, median, quantile } from './measure.ts';

const READERS = 20;
const WRITERS = 6;
const SOCKETS = 100;
const UNFINISHED = 300;
const ATTACKERS = 3;
/** Of the p99 of the same people alone. */
const BAR = 3;
/** People look, think and click again. */
const THINK_MS = 250;
const SERVICES = ['front-door', 'command-api', 'query-api', 'projector', 'event-store'];
const RSS_EVERY_MS = 5_000;
const COSTLY = '^(.*)(.*)(.*)(.*)(.*)(.*)\\6\\5\\4\\3\\2\\1!?$';

type Work = 'read' | 'write' | 'hear';

interface Phase {
  /** Milliseconds of every request, and of every change from its answer to a socket. */
  latencies: Record<Work, number[]>;
  errors: string[];
  missed: number;
  /** MiB of each service, as time goes by. */
  resident: Record<string, number[]>;
}

interface HostileResult {
  bench: 'hostile';
  machine: string;
  seconds: number;
  work: { name: Work; count: number; quietP50: number; quietP99: number; p50: number; p99: number; ratio: number }[];
  errors: string[];
  missed: number;
  resident: Record<string, { quiet: number; first: number; last: number }>;
  /** Answers to the attackers, by attack and status; `closed` for a connection that was cut. */
  answers: Record<string, Record<string, number>>;
}

async function hostile({ rows = 100_000, quiet = 120, seconds = 600 } = {}): Promise<HostileResult> {
  const large = await openLargeDataSet(rows);
  try {
    const people = await everybody(large);
    // Connections are opened, statements planned and code compiled before anything is measured.
    await work(large, people, 10);
    const alone = await work(large, people, quiet);
    const attack = await startAttack(large);
    const amid = await work(large, people, seconds);
    const answers = await attack.stop();
    for (const socket of people.sockets) socket.close();
    const names: Work[] = ['read', 'write', 'hear'];
    return {
      bench: 'hostile',
      machine: machine(),
      seconds,
      work: names.map((name) => {
        const [before, during] = [alone.latencies[name], amid.latencies[name]].map((all) =>
          all.toSorted((a, b) => a - b),
        );
        const p = (all: number[] | undefined, part: number) => quantile(all ?? [], part);
        const [quietP99, p99] = [p(before, 0.99), p(during, 0.99)];
        return {
          name,
          count: during?.length ?? 0,
          ...{ quietP50: p(before, 0.5), quietP99, p50: p(during, 0.5), p99 },
          ratio: p99 / quietP99,
        };
      }),
      errors: [...alone.errors, ...amid.errors],
      missed: alone.missed + amid.missed,
      resident: Object.fromEntries(SERVICES.map((name) => [name, drift(alone, amid, name)])),
      answers,
    };
  } finally {
    await large.stop();
  }
}

/** The median of a service's memory: alone, in the second fifth of the attack and in its last. */
function drift(alone: Phase, amid: Phase, name: string) {
  const all = amid.resident[name] ?? [];
  const fifth = (from: number) =>
    all.slice(Math.floor((all.length * from) / 5), Math.ceil((all.length * (from + 1)) / 5));
  return { quiet: median(alone.resident[name] ?? []), first: median(fifth(1)), last: median(fifth(4)) };
}

interface People {
  readers: Caller[];
  writers: { person: Caller; dataSetId: number }[];
  sockets: Socket[];
}

/** A person of their own: limits are counted by person. */
async function newPerson({ baseUrl, person }: LargeDataSet): Promise<Caller> {
  const username = `p${randomUUID().slice(0, 13)}`;
  const account = { username, email: `${username}@example.com`, password: PASSWORD, roleId: 1 };
  await person.write('/api/users', { ...account, requirePasswordChange: false });
  return signIn(baseUrl, PASSWORD, username);
}

async function everybody(large: LargeDataSet): Promise<People> {
  const readers: Caller[] = [];
  for (let index = 0; index < READERS; index++) readers.push(await newPerson(large));
  const writers: People['writers'] = [];
  for (let index = 0; index < WRITERS; index++) {
    const person = await newPerson(large);
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

/** Everybody at work for so long. */
async function work(large: LargeDataSet, { readers, writers, sockets }: People, seconds: number): Promise<Phase> {
  const phase: Phase = { latencies: { read: [], write: [], hear: [] }, errors: [], missed: 0, resident: {} };
  const until = performance.now() + seconds * 1_000;
  const instances = `/api/reference-data/${large.dataSetId}/instances`;
  const reads = [
    () => `${instances}?key=${codeOf(Math.floor(Math.random() * 100_000))}`,
    () => `${instances}?pageSize=50&page=${1 + Math.floor(Math.random() * 100)}`,
    () => '/api/reference-data?pageSize=50',
    () => '/api/approvals?pageSize=50',
    () => '/api/user',
  ];
  /** Data sets that were just written to, and the sockets that have to hear of it. */
  const heard = new Map<number, { at: number; left: Set<Socket> }>();
  const listeners = sockets.map((socket) => {
    const listener = ({ entityId }: { entityId: number }) => {
      const change = heard.get(entityId);
      if (change?.left.delete(socket)) phase.latencies.hear.push(Math.max(0, performance.now() - change.at));
    };
    const dropped = (reason: string) => phase.errors.push(`A socket was closed: ${reason}`);
    socket.on('change', listener);
    socket.on('disconnect', dropped);
    return () => socket.off('change', listener).off('disconnect', dropped);
  });
  const attempt = async (what: Work, run: () => Promise<unknown>) => {
    const begin = performance.now();
    await run().catch((error: Error) => phase.errors.push(`${what}: ${error.message.slice(0, 200)}`));
    phase.latencies[what].push(performance.now() - begin);
  };
  const during = async (act: () => Promise<void>) => {
    await pause(Math.random() * THINK_MS);
    while (performance.now() < until) {
      await act();
      await pause(THINK_MS);
    }
  };
  await Promise.all([
    ...readers.map((person) =>
      during(() => {
        const path = reads[Math.floor(Math.random() * reads.length)] as () => string;
        return attempt('read', () => person.read(path()));
      }),
    ),
    ...writers.map(({ person, dataSetId }) =>
      during(async () => {
        const change = { at: Number.POSITIVE_INFINITY, left: new Set(sockets) };
        heard.set(dataSetId, change);
        await attempt('write', () =>
          person.write(`/api/reference-data/${dataSetId}/instances`, { data: { code: randomUUID(), name: 'Written' } }),
        );
        change.at = performance.now();
        for (const end = change.at + 10_000; change.left.size > 0 && performance.now() < end; ) await pause(5);
        phase.missed += change.left.size;
      }),
    ),
    during(async () => {
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

/** All attacks at once, from addresses and accounts of their own, until they are stopped. */
async function startAttack(large: LargeDataSet) {
  const { hostname, port } = new URL(large.baseUrl);
  const answers: HostileResult['answers'] = {};
  const count = (attack: string, status: number | string) => {
    answers[attack] ??= {};
    answers[attack][status] = (answers[attack][status] ?? 0) + 1;
  };
  let attacking = true;
  const works: Promise<void>[] = [];
  const repeatedly = (attack: string, once: () => Promise<number | string>) => {
    const loop = async () => {
      while (attacking) {
        count(attack, await once().catch(({ code }: NodeJS.ErrnoException) => code ?? 'closed'));
        await pause(20);
      }
    };
    works.push(loop());
  };
  const open = new Set<{ destroy(): unknown }>();
  const held = <T extends { destroy(): unknown }>(thing: T): T => {
    open.add(thing);
    return thing;
  };

  // Heads that never end, bodies that never come, connections that say nothing.
  const begun = [
    `GET /api/user HTTP/1.1\r\nHost: ${hostname}\r\nX-Filler: ${'a'.repeat(4_000)}`,
    `POST /api/login HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
    '',
  ];
  for (let index = 0; index < UNFINISHED; index++) {
    repeatedly('unfinished requests', async () => {
      const localAddress = `127.0.0.${2 + (index % 6)}`;
      const socket: TcpSocket = held(connect({ host: hostname, port: Number(port), localAddress }));
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
      });
      socket.on('error', () => undefined);
      socket.write(begun[index % begun.length] as string);
      await new Promise<void>((resolve) => socket.once('close', () => resolve()));
      open.delete(socket);
      return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'closed';
    });
  }

  const attackers: Caller[] = [];
  for (let index = 0; index < ATTACKERS; index++) attackers.push(await newPerson(large));
  const instances = `/api/reference-data/${large.dataSetId}/instances`;
  const filtered = (field: string, operator: string, value: string) =>
    encodeURIComponent(JSON.stringify({ conditions: [{ field, operator, value }] }));
  const costly = filtered('name', 'regex', COSTLY);
  // Few enough for a spreadsheet.
  const some = filtered('region', 'equals', 'Region 1');

  for (const { cookie } of attackers) {
    const asking = (path: string, then: (answer: NodeJS.ReadableStream) => void) =>
      new Promise<number>((resolve, reject) => {
        const asked = get(large.baseUrl + path, { agent: false, headers: { Cookie: cookie } }, (answer) => {
          then(answer);
          answer.once('close', () => resolve(answer.statusCode ?? 0));
        });
        held(asked);
        asked.once('error', reject);
        asked.once('close', () => open.delete(asked));
      });
    for (let at = 0; at < 4; at++) {
      repeatedly('costly expressions', () => asking(`${instances}?filter=${costly}`, (answer) => answer.resume()));
      // Of an export only the refusal is read.
      repeatedly('stalled exports', () =>
        asking(
          `/api/reference-data/${large.dataSetId}/export?format=${at % 2 === 0 ? 'csv' : `xlsx&filter=${some}`}`,
          (answer) => {
            if ((answer as { statusCode?: number }).statusCode !== 200) answer.resume();
          },
        ),
      );
    }
  }

  for (let index = 0; index < 4; index++) {
    repeatedly('guessed passwords', async () => {
      const body = JSON.stringify({ username: `guess${Math.floor(Math.random() * 5)}`, password: 'Guess-guess-1' });
      const headers = { 'Content-Type': 'application/json', Origin: large.baseUrl };
      const asked = request(`${large.baseUrl}/api/login`, { method: 'POST', headers, localAddress: '127.0.0.9' });
      const status = new Promise<number>((resolve, reject) => {
        asked.once('response', (answer) => resolve(answer.resume().statusCode ?? 0)).once('error', reject);
      });
      asked.end(body);
      return status;
    });
  }

  const line = join(tmpdir(), `rdm-bench-line-${randomUUID()}.csv`);
  await pipeline(Readable.from(endlessLine()), createWriteStream(line));
  for (const attacker of attackers) {
    const dataSetId = await newDataSet(attacker, large.typeId);
    repeatedly('endless lines', async () => {
      const { id } = await attacker.upload(dataSetId, line);
      await attacker.write(`/api/imports/${id}/start`, { description: 'Hostile' });
      return 201;
    });
  }

  return {
    async stop() {
      attacking = false;
      while (open.size > 0) {
        for (const thing of open) thing.destroy();
        await pause(50);
      }
      await Promise.all(works);
      return answers;
    },
  };
}

/** 32 MiB of a file whose second line never ends. */
function* endlessLine(): Generator<string> {
  yield 'code,name,population,region,active,since,note\n"';
  const part = 'x'.repeat(1024 * 1024);
  for (let mebibyte = 0; mebibyte < 32; mebibyte++) yield part;
}

function table({ work: rows, errors, missed, resident, answers, seconds, machine: where }: HostileResult): string {
  const ms = (value: number) => value.toFixed(1);
  return [
    '### hostile',
    '',
    `Reference: the same people alone. ${READERS} readers, ${WRITERS} writers, ${SOCKETS} sockets; attacked for ${seconds} s. Machine: ${where}.`,
    '',
    '| people | count | alone p50 ms | p99 ms | attacked p50 ms | p99 ms | p99 ratio | bar |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ name, count, quietP50, quietP99, p50, p99, ratio }) =>
        `| ${name} | ${count} | ${ms(quietP50)} | ${ms(quietP99)} | ${ms(p50)} | ${ms(p99)} | ${ratio.toFixed(2)}× | ${BAR}× |`,
    ),
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
      ([attack, told]) =>
        `| ${attack} | ${Object.entries(told)
          .map(([status, times]) => `${times} × ${status}`)
          .join(', ')} |`,
    ),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick') ? { quiet: 20, seconds: 40 } : {};
  const once = process.argv.includes('--once') ? { quiet: 60, seconds: 120 } : {};
  const result = await hostile({ ...quick, ...once });
  console.log(table(result));
  console.log(JSON.stringify(result));
}
