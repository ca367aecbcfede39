/** Tests file uploads: the order of the form, permissions, limits, and the removal of incomplete uploads. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Account, createAccount, PASSWORD, queryDatabase } from './accounts.ts';
import { done, newCollection, newDataSet, newType } from './fixtures.ts';
import { HttpClient, signInAs } from './http-client.ts';

let admin: HttpClient;
let writer: HttpClient;
let writerAccount: Account;
let reader: HttpClient;
let readerAccount: Account;
let dataSetId: number;
beforeAll(async () => {
  admin = await signInAs('admin');
  [writerAccount, readerAccount] = [await createAccount(admin), await createAccount(admin)];
  const collectionId = await newCollection(admin, [
    { entityType: 'user', entityId: writerAccount.id, permissionLevel: 'WRITE' },
    { entityType: 'user', entityId: readerAccount.id, permissionLevel: 'READ' },
  ]);
  dataSetId = await newDataSet(admin, await newType(admin), collectionId);
  [writer, reader] = [new HttpClient(), new HttpClient()];
  done(await writer.signIn(writerAccount.username, PASSWORD));
  done(await reader.signIn(readerAccount.username, PASSWORD));
});

const BOUNDARY = 'part';
const part = (head: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}`;
const target = (id = dataSetId) => part('name="dataSetId"', `${id}\r\n`);
const file = (content: string) => part('name="file"; filename="rows.csv"', content);
const END = `\r\n--${BOUNDARY}--\r\n`;

interface UploadInProgress {
  sent: ClientRequest;
  /** The response, or undefined if the connection was closed without one. */
  answer: Promise<{ status: number; body: string; retryAfter: string | undefined } | undefined>;
}

/** Starts an upload and sends its beginning. The test sends the end. */
function beginUpload(person: HttpClient, beginning: string): UploadInProgress {
  const headers = {
    Cookie: person.cookie,
    Origin: inject('baseUrl'),
    'Idempotency-Key': randomUUID(),
    'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
  };
  const sent = request(new URL('/api/imports', inject('baseUrl')), { method: 'POST', headers, agent: false });
  const answer = once(sent, 'response').then(
    async ([response]: IncomingMessage[]) => ({
      status: response?.statusCode ?? 0,
      body: response ? await text(response) : '',
      retryAfter: response?.headers['retry-after'],
    }),
    () => undefined,
  );
  sent.write(beginning);
  return { sent, answer };
}

/** Returns the ids of the incomplete staged files of a user. */
const readStagedFiles = ({ id }: Account) =>
  queryDatabase('SELECT id FROM command.staged_files WHERE owner_id = $1 AND NOT complete', [id]);

/** A file that is larger than one chunk, so that a part of it is staged before the upload ends. */
const ROWS = `code,name\n${'DE,Germany\n'.repeat(60_000)}`;

describe('an upload', () => {
  it('is refused when the file precedes its target', async () => {
    const { sent, answer: answered } = beginUpload(writer, file('code\nDE\n') + `\r\n${target()}`.slice(0, -2) + END);
    sent.end();
    expect(await answered).toMatchObject({
      status: 400,
      body: expect.stringContaining('before the file: the target and the settings of an import come first in the form'),
    });
  });

  it('is refused when the file precedes the field `replaces`', async () => {
    const replaces = part('name="replaces"', randomUUID());
    const { sent, answer: answered } = beginUpload(writer, `${file('code\nDE\n')}\r\n${replaces}${END}`);
    sent.end();
    expect(await answered).toMatchObject({
      status: 400,
      body: expect.stringMatching(/Send the field .*replaces.* before the file/),
    });
  });

  it('is refused without WRITE before any part of the file is staged', async () => {
    const { sent, answer: answered } = beginUpload(reader, target() + file(ROWS));
    expect(await answered).toMatchObject({ status: 403, body: expect.stringContaining('WRITE') });
    sent.destroy();
    expect(await readStagedFiles(readerAccount)).toEqual([]);
  });

  it('is refused when a second target follows the file', async () => {
    const { sent, answer: answered } = beginUpload(
      writer,
      `${target()}${file('code\nDE\n')}\r\n${target(1).slice(0, -2)}${END}`,
    );
    sent.end();
    expect(await answered).toMatchObject({ status: 400 });
    await expect.poll(() => readStagedFiles(writerAccount)).toEqual([]);
  });

  it('does not stop the service when the connection is closed within an unknown part', async () => {
    const { sent } = beginUpload(writer, target() + part('name="other"; filename="rows.csv"', ROWS));
    await new Promise((resolve) => setTimeout(resolve, 500));
    sent.destroy();
    const next = beginUpload(writer, target() + file('code\nDE\n') + END);
    next.sent.end();
    expect((await next.answer)?.status).toBe(201);
  });

  it('is refused while three other uploads of the user are in progress', async () => {
    const runningUploads = [1, 2, 3].map(() => beginUpload(writer, target() + file(ROWS)));
    await expect.poll(async () => (await readStagedFiles(writerAccount)).length, { timeout: 30_000 }).toBe(3);
    const fourth = beginUpload(writer, target() + file('code\nDE\n') + END);
    fourth.sent.end();
    expect(await fourth.answer).toMatchObject({
      status: 429,
      retryAfter: expect.any(String),
      body: expect.stringContaining('You are uploading 3 files already'),
    });
    for (const { sent } of runningUploads) sent.destroy();
    await expect.poll(() => readStagedFiles(writerAccount), { timeout: 30_000 }).toEqual([]);
    const next = beginUpload(writer, target() + file('code\nDE\n') + END);
    next.sent.end();
    expect((await next.answer)?.status).toBe(201);
  });

  it('ends with the session of its user, and leaves nothing staged', async () => {
    const person = new HttpClient();
    done(await person.signIn(writerAccount.username, PASSWORD));
    const { sent, answer: answered } = beginUpload(person, target() + file(ROWS));
    await expect.poll(async () => (await readStagedFiles(writerAccount)).length, { timeout: 30_000 }).toBe(1);
    const closed = once(sent, 'close');
    // The client sends data until it has the response.
    const chunk = Buffer.from('DE,Germany\n'.repeat(6_000));
    const send = () => {
      while (!sent.destroyed && sent.write(chunk));
      sent.once('drain', send);
    };
    send();
    done(await person.post('/api/logout'));
    expect((await answered)?.status).toBe(401);
    sent.destroy();
    await closed;
    await expect.poll(() => readStagedFiles(writerAccount), { timeout: 30_000 }).toEqual([]);
  });

  it('is refused while the files that the user has not imported yet amount to 2 GiB', async () => {
    const upload = () => {
      const form = new FormData();
      form.set('dataSetId', String(dataSetId));
      form.set('file', new File(['code,name\nFR,France\n'], 'rows.csv'));
      return writer.post('/api/imports', form);
    };
    const { id } = done(await upload());
    await queryDatabase('UPDATE command.staged_files SET size = 2147483648 WHERE id = $1', [id]);
    expect(await upload()).toMatchObject({
      status: 413,
      body: { error: expect.stringContaining('not imported yet') },
    });
    done(await writer.post(`/api/imports/${id}/start`, { description: 'Rows' }));
    await queryDatabase(`UPDATE command.staged_files SET size = 20 WHERE id = $1`, [id]);
    expect((await upload()).status).toBe(201);
  });

  it('can replace a previous file', async () => {
    const upload = (more: Record<string, string> = {}) => {
      const form = new FormData();
      for (const [name, value] of Object.entries({ dataSetId: String(dataSetId), ...more })) form.set(name, value);
      form.set('file', new File(['code;name\nIT;Italy\n'], 'rows.csv'));
      return writer.post('/api/imports', form);
    };
    const first = done(await upload({ delimiter: ',' }));
    const second = done(await upload({ delimiter: ';', replaces: first.id }));
    expect((await writer.get(`/api/imports/${first.id}`)).status).toBe(404);
    expect(done(await writer.get(`/api/imports/${second.id}`)).delimiter).toBe(';');
  });
});
