/**
 * Attacks the product in several ways at once, with separate addresses and accounts. The `hostile` benchmark runs this
 * in a separate process.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { get, request } from 'node:http';
import { connect, type Socket as TcpSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Caller, newDataSet, signIn } from './data-sets.ts';
import { PASSWORD } from './large-data-set.ts';

export interface Attack {
  baseUrl: string;
  typeId: number;
  /** The data set whose rows are searched and exported. */
  dataSetId: number;
  /** The usernames of the accounts that attack. */
  attackers: string[];
  /** The names of the attacks to run; all if left out. */
  only?: readonly string[] | undefined;
}

/**
 * The number of answers by attack, and by status or error code. `closed` counts connections that closed without an
 * answer, refused uploads and refused starts of imports.
 */
export type Answers = Record<string, Record<string, number>>;

const UNFINISHED = 300;
const COSTLY_PATTERN = '^(.*)(.*)(.*)(.*)(.*)(.*)\\6\\5\\4\\3\\2\\1!?$';

async function startAttack(attack: Attack) {
  const { hostname, port } = new URL(attack.baseUrl);
  const answers: Answers = {};
  const countAnswer = (name: string, status: number | string) => {
    answers[name] ??= {};
    answers[name][status] = (answers[name][status] ?? 0) + 1;
  };
  let isAttacking = true;
  const works: Promise<void>[] = [];
  const repeatedly = (name: string, once: () => Promise<number | string>) => {
    if (attack.only?.includes(name) === false) return;
    const attackRepeatedly = async () => {
      while (isAttacking) {
        countAnswer(name, await once().catch(({ code }: NodeJS.ErrnoException) => code ?? 'closed'));
        await pause(20);
      }
    };
    works.push(attackRepeatedly());
  };
  const open = new Set<{ destroy(): unknown }>();
  const trackOpen = <T extends { destroy(): unknown }>(thing: T): T => {
    open.add(thing);
    return thing;
  };

  const unfinishedRequests = [
    `GET /api/user HTTP/1.1\r\nHost: ${hostname}\r\nX-Filler: ${'a'.repeat(4_000)}`,
    `POST /api/login HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
    '',
  ];
  for (let index = 0; index < UNFINISHED; index++) {
    repeatedly('unfinished requests', async () => {
      const localAddress = `127.0.0.${2 + (index % 6)}`;
      const socket: TcpSocket = trackOpen(connect({ host: hostname, port: Number(port), localAddress }));
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
      });
      socket.on('error', () => undefined);
      socket.write(unfinishedRequests[index % unfinishedRequests.length] as string);
      await new Promise<void>((resolve) => socket.once('close', () => resolve()));
      open.delete(socket);
      return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'closed';
    });
  }

  const attackers: Caller[] = [];
  for (const username of attack.attackers) attackers.push(await signIn(attack.baseUrl, PASSWORD, username));
  const instances = `/api/reference-data/${attack.dataSetId}/instances`;
  const filterQuery = (field: string, operator: string, value: string) =>
    encodeURIComponent(JSON.stringify({ conditions: [{ field, operator, value }] }));
  const costly = filterQuery('name', 'regex', COSTLY_PATTERN);
  // The filter leaves few enough rows for a spreadsheet.
  const regionFilter = filterQuery('region', 'equals', 'Region 1');

  for (const { cookie } of attackers) {
    const openGet = (path: string, then: (answer: NodeJS.ReadableStream) => void) =>
      new Promise<number>((resolve, reject) => {
        const outgoing = get(attack.baseUrl + path, { agent: false, headers: { Cookie: cookie } }, (answer) => {
          then(answer);
          answer.once('close', () => resolve(answer.statusCode ?? 0));
        });
        trackOpen(outgoing);
        outgoing.once('error', reject);
        outgoing.once('close', () => open.delete(outgoing));
      });
    for (let index = 0; index < 4; index++) {
      repeatedly('costly expressions', () => openGet(`${instances}?filter=${costly}`, (answer) => answer.resume()));
      // The attacker does not read the export, but reads a refusal.
      repeatedly('stalled exports', () =>
        openGet(
          `/api/reference-data/${attack.dataSetId}/export?format=${index % 2 === 0 ? 'csv' : `xlsx&filter=${regionFilter}`}`,
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
      const headers = { 'Content-Type': 'application/json', Origin: attack.baseUrl };
      const outgoing = request(`${attack.baseUrl}/api/login`, { method: 'POST', headers, localAddress: '127.0.0.9' });
      const status = new Promise<number>((resolve, reject) => {
        outgoing.once('response', (answer) => resolve(answer.resume().statusCode ?? 0)).once('error', reject);
      });
      outgoing.end(body);
      return status;
    });
  }

  const lineFile = join(tmpdir(), `rdm-bench-line-${randomUUID()}.csv`);
  await pipeline(Readable.from(endlessLine()), createWriteStream(lineFile));
  for (const attacker of attackers) {
    const dataSetId = await newDataSet(attacker, attack.typeId);
    repeatedly('endless lines', async () => {
      const { id } = await attacker.upload(dataSetId, lineFile);
      await attacker.write(`/api/imports/${id}/start`, { description: 'Hostile' });
      return 201;
    });
  }

  return {
    async stop() {
      isAttacking = false;
      while (open.size > 0) {
        for (const thing of open) thing.destroy();
        await pause(50);
      }
      await Promise.all(works);
      rmSync(lineFile);
      return answers;
    },
  };
}

/** Yields 32 MiB of a file whose second line does not end. */
function* endlessLine(): Generator<string> {
  yield 'code,name,population,region,active,since,note\n"';
  const part = 'x'.repeat(1024 * 1024);
  for (let mebibyte = 0; mebibyte < 32; mebibyte++) yield part;
}

const attack = await startAttack(JSON.parse(process.argv[2] ?? '') as Attack);
process.send?.('begun');
process.once('message', async () => process.send?.(await attack.stop()));
