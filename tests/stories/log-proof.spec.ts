/** The proof of the log on the whole product: a signed head, the whole log as a file, and a purge, verified online and offline. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { eventMetadata } from '@rdm/contracts/testing/events';
import { signingKeyPath } from '@rdm/platform';
import { purgeEvents, testSigningKey } from '@rdm/platform/testing/purge-events';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { done, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

const SCRIPT = fileURLToPath(new URL('../../embedded/bin/verify-log.mjs', import.meta.url));
const PURGE = 4_711;

const store = EventStoreDBClient.connectionString(inject('eventStoreUrl'));
const folder = mkdtempSync(join(tmpdir(), 'rdm-log-proof-'));
const file = (name: string) => join(folder, name);
let steward: HttpClient;
let admin: HttpClient;
let dataSet: number;
let secret: string;

beforeAll(async () => {
  [steward, admin] = await Promise.all([signInAs('steward'), signInAs('admin')]);
  const [type, collection] = await Promise.all([newType(steward), newSharedCollection(steward)]);
  dataSet = await newDataSet(steward, type, collection, []);
  secret = uniqueName('Secret');
  done(await steward.patch(`/api/reference-data/${dataSet}`, { description: secret }, { ifMatch: 1 }));
}, 60_000);
afterAll(async () => {
  await store.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function saveHead(name: string): Promise<Json> {
  const head = done(await admin.get('/api/audit-logs/signed-head'));
  writeFileSync(file(name), JSON.stringify(head));
  return head;
}

async function saveExport(name: string): Promise<Json[]> {
  const answer = await admin.download('/api/audit-logs/export?format=log');
  const bytes = Buffer.from(await answer.arrayBuffer());
  writeFileSync(file(name), bytes);
  const lines = gunzipSync(bytes).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function verifyLog(...words: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [SCRIPT, ...words], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

describe('the log', () => {
  it('is verified with a signed head, an export and the public key, without the product', async () => {
    const head = await saveHead('before.json');
    const [{ publicKey, keyId }] = done(await admin.get('/api/audit-logs/keys'));
    expect(head.keyId).toBe(keyId);
    writeFileSync(file('key.pem'), publicKey);
    const lines = await saveExport('before.gz');
    // Every event that the product writes has a salt.
    const ofDataSet = lines.filter(({ stream }) => stream === `dataSet-${dataSet}`);
    expect(ofDataSet).toHaveLength(2);
    for (const { metadata } of ofDataSet) expect(metadata.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(ofDataSet[0].metadata.salt).not.toBe(ofDataSet[1].metadata.salt);
    const verified = await verifyLog('before.gz', '--head', 'before.json', '--key', 'key.pem');
    expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('Intact.') });
  });

  it('is still verified after a purge, with heads from before and after the purge', async () => {
    const stream = `dataSet-${dataSet}`;
    const filter = { conditions: [{ field: 'stream', operator: 'equals', value: stream }] };
    const query = `filter=${encodeURIComponent(JSON.stringify(filter))}&sort=seq&order=ASC`;
    const { items } = done(await admin.get(`/api/audit-logs?${query}`));
    const events = items.map(({ seq, digest, action: type, userId: actorId, timestamp: at }: Json) => {
      return { seq, digest, type, actorId, at };
    });
    const [dataDir = ''] = inject('folders');
    const key = testSigningKey(readFileSync(signingKeyPath(dataDir), 'utf8'));
    const streams = [{ stream, revision: items.length - 1 }];
    for (const event of purgeEvents({ purgeId: PURGE, streams, events, key })) {
      const metadata = { ...eventMetadata({ actorId: event.actorId, occurredAt: new Date().toISOString() }) };
      await store.appendToStream(event.stream, [jsonEvent({ type: event.type, data: event.data as Json, metadata })]);
    }
    await store.tombstoneStream(stream);
    await admin.eventually('/api/audit-logs?pageSize=50', ({ body }) =>
      body.items.some(({ action, stream: of }: Json) => action === 'PurgeRegistered' && of === 'system-purges'),
    );

    // Other stories purge too, so the log may have lost more events than those of this purge.
    const verified = done(await admin.get('/api/audit-logs/verify'));
    expect(verified).toMatchObject({ intact: true, brokenAt: null });
    expect(verified.purged).toBeGreaterThanOrEqual(2);
    const purge = verified.purges.find(({ purgeId }: Json) => purgeId === PURGE);
    expect(purge).toMatchObject({ events: 2, requestedBy: 'admin', reason: 'retention R7' });
    expect(verified.summary).toMatch(/^Intact\. .* known by digest only: .*purge 4711, .*'retention R7'/);
    const replay = await admin.get(`/api/audit-logs/replay?stream=${stream}`);
    expect(replay.status).toBe(410);
    expect(replay.body.error).toMatch(/^Purged on \d+ \w+ \d{4} by purge 4711$/);

    await saveHead('after.json');
    const lines = await saveExport('after.gz');
    expect(JSON.stringify(lines)).not.toContain(secret);
    for (const head of ['before.json', 'after.json']) {
      const { code, output } = await verifyLog('after.gz', '--head', head, '--key', 'key.pem');
      expect(code, output).toBe(0);
      expect(output).toContain(`2 events: purge 4711, `);
      if (head === 'before.json')
        expect(output).toContain('Purge 4711 is newer than the exported head that you compare with.');
    }
  });

  it('is refused with exit code 3 if an event is missing or the key is another one, and with 2 for wrong arguments', async () => {
    const lines = gunzipSync(readFileSync(file('after.gz')))
      .toString()
      .trim()
      .split('\n');
    const seq = 5;
    lines.splice(seq - 1, 1);
    writeFileSync(file('cut.gz'), gzipSync(`${lines.join('\n')}\n`));
    const missing = await verifyLog('cut.gz', '--head', 'after.json', '--key', 'key.pem');
    expect(missing.code).toBe(3);
    expect(missing.output).toContain(`Broken at event ${seq}: Event ${seq} is missing and no purge names it.`);
    writeFileSync(file('other.pem'), testSigningKey().publicKey);
    expect(await verifyLog('after.gz', '--head', 'after.json', '--key', 'other.pem')).toMatchObject({
      code: 3,
      output: expect.stringContaining('which --key does not name'),
    });
    for (const words of [
      [],
      ['after.gz'],
      ['after.gz', '--head', 'after.json'],
      ['none.gz', '--head', 'after.json', '--key', 'key.pem'],
      ['after.gz', '--head', 'key.pem', '--key', 'key.pem'],
      ['after.gz', '--head', 'after.json', '--key', 'after.json'],
    ]) {
      expect(await verifyLog(...words)).toMatchObject({ code: 2, output: expect.stringContaining('Usage:') });
    }
  });
});
