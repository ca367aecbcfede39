/** Signs users in for benchmarks, and creates data sets and imports generated rows into them. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { basename } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

export const FIELDS = [
  ['code', 'string'],
  ['name', 'string'],
  ['population', 'number'],
  ['region', 'string'],
  ['active', 'boolean'],
  ['since', 'date'],
  ['note', 'string'],
] as const;

/** Returns the key of a row. */
export const codeOf = (row: number): string => `C${String(row).padStart(7, '0')}`;

/** Returns the cells of a row, in the order of FIELDS. */
export function cellsOf(row: number): (string | number | boolean)[] {
  const since = `20${10 + (row % 14)}-0${1 + (row % 9)}-1${row % 10}`;
  return [codeOf(row), `Name of ${row}`, row * 3, `Region ${row % 50}`, row % 2 === 0, since, `Note ${row % 1_000}`];
}

/** Yields a CSV file with the columns FIELDS: the header, then texts of up to 1,000 lines. */
export function* csvOf(rows: number): Generator<string> {
  yield `${FIELDS.map(([name]) => name).join(',')}\n`;
  for (let from = 0; from < rows; from += 1_000) {
    let lines = '';
    for (let row = from; row < Math.min(rows, from + 1_000); row++) {
      lines += `${cellsOf(row).join(',')}\n`;
    }
    yield lines;
  }
}

export type Caller = Awaited<ReturnType<typeof signIn>>;

export async function signIn(baseUrl: string, password: string, username = 'admin') {
  const call = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { Origin: baseUrl, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const json = { 'Content-Type': 'application/json' };
  const signInAnswer = await call('POST', '/api/login', json, JSON.stringify({ username, password }));
  const Cookie = signInAnswer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return {
    cookie: Cookie,
    read: async <T>(path: string) => (await (await call('GET', path, { Cookie })).json()) as T,
    write: async (path: string, body: unknown) =>
      (await (await call('POST', path, { Cookie, ...json }, JSON.stringify(body))).json()) as { id: number },
    upload: (dataSetId: number, file: string) =>
      upload<{ id: string }>(baseUrl, Cookie, { dataSetId: String(dataSetId) }, file),
    /** Uploads a file in any format and starts its import. */
    startImport: (dataSetId: number, file: string) =>
      upload<{ jobId: number }>(baseUrl, Cookie, { dataSetId: String(dataSetId), start: 'true' }, file),
  };
}

/**
 * Uploads a file as a form, and streams the file from the disk. With fetch, the client would need twice as much time as
 * the services, which would distort measurements.
 */
async function upload<Answer>(baseUrl: string, Cookie: string, fields: Record<string, string>, file: string) {
  const boundary = randomUUID();
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
  const headers = { Origin: baseUrl, Cookie, 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  const sending = request(`${baseUrl}/api/imports`, { method: 'POST', headers });
  const responded = once(sending, 'response') as Promise<[IncomingMessage]>;
  const body = async function* () {
    for (const [name, value] of Object.entries(fields)) yield `${part(`name="${name}"`)}${value}\r\n`;
    yield part(`name="file"; filename="${basename(file)}"`);
    yield* createReadStream(file);
    yield `\r\n--${boundary}--\r\n`;
  };
  const [[answer]] = await Promise.all([responded, pipeline(body, sending)]);
  const received = await readJson(answer);
  if ((answer.statusCode ?? 0) >= 300) throw new Error(`${file}: ${answer.statusCode} ${JSON.stringify(received)}`);
  return received as Answer;
}

/** Creates another administrator and signs in as this user, because limits apply per user. */
export async function newPerson(baseUrl: string, admin: Caller, password: string) {
  const username = `p${randomUUID().slice(0, 13)}`;
  const account = { username, email: `${username}@example.com`, password, roleId: 1 };
  await admin.write('/api/users', { ...account, requirePasswordChange: false });
  return { ...(await signIn(baseUrl, password, username)), username };
}

export const newDataSet = async (person: Caller, typeId: number): Promise<number> =>
  (await person.write('/api/reference-data', { name: `Rows ${randomUUID()}`, typeId })).id;

/** Imports a file into a new data set. Measures the seconds from the upload until the last row is readable. */
export async function importAndWait(
  person: Caller,
  typeId: number,
  file: string,
  rows: number,
): Promise<{ dataSetId: number; seconds: number }> {
  const dataSetId = await newDataSet(person, typeId);
  const begin = performance.now();
  const { id } = await person.upload(dataSetId, file);
  await person.write(`/api/imports/${id}/start`, { description: 'Bench' });
  await waitUntilReadable(person, dataSetId, rows);
  return { dataSetId, seconds: (performance.now() - begin) / 1_000 };
}

/** Waits until the data set has this number of rows. */
export async function waitUntilReadable(person: Caller, dataSetId: number, rows: number): Promise<void> {
  for (;;) {
    const { instanceCount } = await person.read<{ instanceCount: number }>(`/api/reference-data/${dataSetId}`);
    if (instanceCount === rows) return;
    await pause(100);
  }
}
