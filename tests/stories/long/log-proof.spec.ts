/** Tests the verification of the log after a purge, with exported heads from before and after the purge. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { jsonEvent } from '@eventstore/db-client';
import { eventMetadata } from '@rdm/contracts/testing/events';
import { signingKeyPath } from '@rdm/platform';
import { purgeEvents, testSigningKey } from '@rdm/platform/testing/purge-events';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { done } from '../fixtures.ts';
import type { Json } from '../http-client.ts';
import {
  admin,
  dataSet,
  file,
  prepareLog,
  saveExport,
  saveHead,
  saveKey,
  secret,
  store,
  verifyLog,
} from '../log-verification.ts';

const PURGE = 4_711;

prepareLog();
beforeAll(async () => {
  await saveHead('before.json');
  await saveKey();
});

describe('the verification of the log', () => {
  it('succeeds with heads that were exported before and after a purge', async () => {
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
      body.items.some(({ action, stream: name }: Json) => action === 'PurgeRegistered' && name === 'system-purges'),
    );

    // Other stories purge events too, so the log may lack more events than this purge removed.
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

  it('fails with exit code 3 for a missing event or another key, and with 2 for wrong arguments', async () => {
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
    for (const args of [
      [],
      ['after.gz'],
      ['after.gz', '--head', 'after.json'],
      ['none.gz', '--head', 'after.json', '--key', 'key.pem'],
      ['after.gz', '--head', 'key.pem', '--key', 'key.pem'],
      ['after.gz', '--head', 'after.json', '--key', 'after.json'],
    ]) {
      expect(await verifyLog(...args)).toMatchObject({ code: 2, output: expect.stringContaining('Usage:') });
    }
  });
});
