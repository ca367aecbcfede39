/** The secret of an API key is returned once, and no table, event or log file contains it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPool, type Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ApiKeyClient, type NewKey, newKey } from './api-key-client.ts';
import { done, newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { rowsContaining } from './table-search.ts';

let admin: HttpClient;
let database: Pool;
let key: NewKey;
let rotatedSecret: string;

beforeAll(async () => {
  const steward = await signInAs('steward');
  admin = await signInAs('admin');
  database = createPool(inject('databaseUrl'), { max: 1 });
  const collectionId = await newCollection(steward);
  const dataSetId = await newDataSet(steward, await newType(steward), collectionId);
  key = await newKey(admin, [[collectionId, 'write']]);
  rotatedSecret = done(await admin.post(`/api/api-keys/${key.id}/rotate`, {})).key;
  // Use the key in valid and invalid requests that the services could log.
  for (const client of [key.client, new ApiKeyClient(rotatedSecret)]) {
    done(await client.post(`/api/reference-data/${dataSetId}/instances`, { data: { code: uniqueName('code') } }));
    await client.get('/api/users');
    await client.get('/api/no-such-thing');
    await client.get(`/api/reference-data/${dataSetId}/instances?filter=nonsense`);
    await client.post(`/api/reference-data/${dataSetId}/instances`, { data: 7 });
  }
  done(await admin.post(`/api/api-keys/${key.id}/revoke`));
  await key.client.get('/api/reference-types');
  await admin.eventually('/api/audit-logs?kind=api-key&pageSize=1000', ({ body }) =>
    body.items.some((item: Json) => item.action === 'ApiKeyRevoked' && item.entityId === key.id),
  );
});
afterAll(() => database?.end());

/** Returns the secrets without the prefix that lists show. */
const secretParts = () => [key.secret, rotatedSecret].map((secret) => secret.slice('rdm_'.length + 8));

it('the tables contain the SHA-256 of a secret, but not the secret', async () => {
  const hashes = [key.secret, rotatedSecret].map((secret) => createHash('sha256').update(secret).digest('hex'));
  const rows = await rowsContaining(database, [key.name, ...hashes, ...secretParts()]);
  for (const text of [key.name, ...hashes]) expect(rows).toContain(text);
  for (const secret of secretParts()) expect(rows.includes(secret)).toBe(false);
}, 120_000);

/** Yields all files below a folder. Skips files that are removed meanwhile. */
function* filesOf(folder: string): Generator<{ path: string; content: Buffer }> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) yield* filesOf(path);
      else if (entry.isFile()) yield { path, content: readFileSync(path) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

const storesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^(?:postgres|event)/.test(entry.name))
    .map(({ name }) => join(folder, name));

it('no file of the event log, the services or the tables contains a secret', () => {
  const pathsWithSecret: string[] = [];
  const pathsWithName: string[] = [];
  for (const folder of inject('folders')) {
    for (const { path, content } of filesOf(folder)) {
      if (secretParts().some((secret) => content.includes(secret))) pathsWithSecret.push(path);
      if (content.includes(key.name)) pathsWithName.push(path);
    }
  }
  // Check the search itself: it must find the name of the key, which is stored in the event log and in the tables.
  for (const store of inject('folders').flatMap(storesIn)) {
    expect(pathsWithName.filter((path) => path.startsWith(store)).length, store).toBeGreaterThan(0);
  }
  expect(pathsWithSecret).toEqual([]);
}, 120_000);

it('no list, audit log, replay or stored answer contains a secret', async () => {
  const answers = [
    await admin.get('/api/api-keys?pageSize=1000'),
    await admin.get('/api/audit-logs?kind=api-key&pageSize=1000'),
    await admin.get(`/api/audit-logs/replay?entity=api-key:${key.id}`),
    await admin.get('/api/audit-logs/export?format=csv&kind=api-key'),
  ];
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    const text = JSON.stringify(body);
    for (const secret of secretParts()) expect(text.includes(secret)).toBe(false);
  }
  const dump = await database.query(`SELECT answer::text FROM command.commands WHERE name ~ 'ApiKey' AND status < 400`);
  expect(dump.rows.length).toBeGreaterThanOrEqual(3);
  for (const { answer } of dump.rows) expect(Object.keys(JSON.parse(answer))).toEqual(['id']);
});
