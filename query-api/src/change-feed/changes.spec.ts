/** Tests the change feed: the changes that a reader receives, where a reader resumes, and when a stream ends. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { ChangeEvent } from '@rdm/contracts';
import { hashSecret, newApiKey } from '@rdm/platform';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { tableOf } from '../fixtures/database.ts';
import { ADMIN, collection, startService } from '../fixtures/service.ts';
import {
  closing,
  countChanges,
  logId,
  ORIGIN,
  openSocket,
  READER,
  STRANGER,
  seq,
  service,
  startFeedService,
  storeChanges,
} from './fixtures/feed-service.ts';

startFeedService();

const pull = async (after: number, as: number, more = '') =>
  (await service.get(`/api/changes?after=${logId}:${after}${more}`, as)).body;
const seqsOf = ({ items }: { items: ChangeEvent[] }) => items.map(({ data }) => data.seq);

async function createApiKey(...scopes: { collectionId: number; scope: string }[]): Promise<Record<string, string>> {
  const secret = newApiKey();
  const id = 100 + Math.floor(Math.random() * 1e9);
  await service.database.pool.query(
    `INSERT INTO identity.api_keys (id, name, description, scopes, created_by) VALUES ($1, 'key', '', $2, 1)`,
    [id, JSON.stringify(scopes)],
  );
  await service.database.pool.query(
    'INSERT INTO identity.api_key_secrets (hash, api_key_id, prefix, issued_to) VALUES ($1, $2, $3, 1)',
    [hashSecret(secret), id, secret.slice(0, 12)],
  );
  return { Authorization: `Bearer ${secret}` };
}

describe('a pull', () => {
  it('returns changes as CloudEvents, without the cells of the rows', async () => {
    const before = seq;
    const addedSeq = await storeChanges({
      type: 'InstancesAdded',
      entity: 'instance',
      entityId: 1,
      ids: [7],
      dataSetIds: [1],
    });
    await service.database.pool.query(
      `INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data, revision, valid_from, deleted)
       VALUES (1, 7, '["de"]', '{"1":"secret"}', 5, $1, false)`,
      [addedSeq],
    );
    const body = await pull(before, READER);
    expect(body).toMatchObject({ next: `${logId}:${addedSeq}`, more: false });
    expect(body.items).toEqual([
      {
        specversion: '1.0',
        id: `${logId}:${addedSeq}`,
        source: `urn:uuid:${logId}`,
        type: 'InstancesAdded',
        subject: 'instance/1',
        time: '2026-05-01T12:00:00.000Z',
        datacontenttype: 'application/json',
        data: {
          seq: addedSeq,
          position: String(addedSeq * 100),
          type: 'InstancesAdded',
          entity: 'instance',
          entityId: 1,
          ids: [7],
          count: 1,
          revisions: [5],
          changedFields: [],
          actorId: 1,
          commandId: 'c',
        },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('returns only changes that the reader may read now', async () => {
    const before = seq;
    const last = await storeChanges(
      { dataSetIds: [1] },
      { dataSetIds: [3], entityId: 3 },
      { dataSetIds: [1, 3], entity: 'crosswalk', entityId: 9 },
      { entity: 'collection', entityId: 1, type: 'CollectionChanged' },
      { entity: 'reference-type', entityId: 1 },
      { entity: 'group', entityId: 1 },
      { entity: 'user', entityId: READER },
      { entity: 'user', entityId: ADMIN },
      { entity: 'job', entityId: 4 },
    );
    const all = Array.from({ length: last - before }, (_, index) => before + index + 1);
    const [dataSetSeq, , , collectionSeq, typeSeq, , ownUserSeq] = all;
    expect(seqsOf(await pull(before, ADMIN))).toEqual(all);
    expect(seqsOf(await pull(before, READER))).toEqual([dataSetSeq, collectionSeq, typeSeq, ownUserSeq]);
    expect(seqsOf(await pull(before, STRANGER))).toEqual([typeSeq]);
    const readKey = await createApiKey({ collectionId: 1, scope: 'read' });
    const answer = await service.get(`/api/changes?after=${logId}:${before}`, undefined, readKey);
    expect(seqsOf(answer.body)).toEqual([dataSetSeq, collectionSeq, typeSeq]);
    const translateKey = await createApiKey({ collectionId: 1, scope: 'translate' });
    expect((await service.get('/api/changes', undefined, translateKey)).status).toBe(403);
    expect((await service.get('/api/changes')).status).toBe(401);
  });

  it('resumes after a seq, in pages and by event type', async () => {
    const before = seq;
    await storeChanges(
      { type: 'InstancesAdded', dataSetIds: [1] },
      { type: 'InstancesChanged', dataSetIds: [3] },
      { type: 'InstancesAdded', dataSetIds: [1] },
      { type: 'InstancesRemoved', dataSetIds: [1] },
    );
    const page = await pull(before, READER, '&limit=2');
    expect([seqsOf(page), page.next, page.more]).toEqual([[before + 1, before + 3], `${logId}:${before + 3}`, true]);
    const lastPage = await pull(before + 3, READER, '&limit=2');
    expect([seqsOf(lastPage), lastPage.more]).toEqual([[before + 4], false]);
    expect(seqsOf(await pull(before, READER, '&types=InstancesChanged,InstancesRemoved'))).toEqual([before + 4]);
    const batch = await service.get(`/api/changes?after=${logId}:${before}`, READER, {
      Accept: 'application/cloudevents-batch+json',
    });
    expect(batch.headers.get('Content-Type')).toContain('application/cloudevents-batch+json');
    expect(batch.headers.get('X-Next')).toBe(`${logId}:${before + 4}`);
  });

  it('skips thousands of changes that the reader may not read', async () => {
    const before = seq;
    await service.database.pool.query(
      `INSERT INTO ${tableOf('changes')} (seq, position, type, entity, entity_id, count, command_id, data_set_ids, at)
       SELECT $1 + n, '1', 'DataSetTouched', 'data-set', 3, 1, 'c', '{3}', now() FROM generate_series(1, 2500) n`,
      [before],
    );
    countChanges(2_500);
    const last = await storeChanges({ dataSetIds: [1] });
    expect(seqsOf(await pull(before, READER))).toEqual([last]);
  });

  it('returns 410 for a cursor of another log, and 400 for an invalid cursor or limit', async () => {
    const { status, body } = await service.get('/api/changes?after=00000000-0000-4000-8000-000000000000:5', READER);
    expect([status, body.code, body.details]).toEqual([410, 'GONE', { logId, after: `${logId}:0` }]);
    expect((await service.get('/api/changes?after=5', READER)).status).toBe(400);
    expect((await service.get('/api/changes?limit=0', READER)).status).toBe(400);
  });

  it('returns 410 for a cursor after the end of the log, and 400 for an unknown event type', async () => {
    const future = await service.get(`/api/changes?after=${logId}:${seq + 1}`, READER);
    expect([future.status, future.body.details]).toEqual([410, { logId, after: `${logId}:0` }]);
    const misspelt = await service.get('/api/changes?types=InstancesAdded,InstanceChanged', READER);
    expect([misspelt.status, misspelt.body.error]).toEqual([400, 'There is no event type “InstanceChanged”']);
  });

  it('returns the deletion of a collection to readers who could see the collection', async () => {
    service.grant(...collection(7, [], { [READER]: 'READ' }));
    const before = seq;
    service.grant({ type: 'CollectionDeleted', data: { collectionId: 7 } });
    const last = await storeChanges({ entity: 'collection', entityId: 7, type: 'CollectionDeleted' });
    expect(seqsOf(await pull(before, READER))).toEqual([last]);
    expect(seqsOf(await pull(before, STRANGER))).toEqual([]);
  });
});

interface ReceivedStream {
  events: { event: string; id?: string; data: string }[];
  ended: boolean;
}

/**
 * Opens a stream of server-sent events. Resolves when the stream begins or is refused, and adds later events
 * to the resolved object.
 */
async function readStream(
  query: string,
  headers: Record<string, string>,
): Promise<ReceivedStream & { status: number }> {
  const controller = new AbortController();
  closing.push(() => controller.abort());
  const response = await fetch(`${service.url}/api/changes/stream${query}`, { headers, signal: controller.signal });
  const streamed = { status: response.status, events: [], ended: false } as ReceivedStream & { status: number };
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        if (field('event')) streamed.events.push({ event: field('event'), id: field('id'), data: field('data') });
      }
    }
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      streamed.ended = true;
    });
  if (response.ok) await vi.waitFor(() => expect(streamed.events[0]?.event).toBe('begin'));
  return streamed;
}
const receivedSeqs = ({ events }: ReceivedStream) =>
  events.flatMap(({ event, data }) => (event === 'DataSetTouched' ? [JSON.parse(data).data.seq] : []));
const endOf = ({ events }: ReceivedStream) =>
  events.filter(({ event }) => event === 'end').map(({ data }) => JSON.parse(data).reason);

describe('a stream', () => {
  it('starts at the current seq, and resumes after the last received event', async () => {
    const Cookie = await service.signIn(READER);
    const before = seq;
    const current = await readStream('', { Cookie });
    const last = await storeChanges({ dataSetIds: [1] }, { dataSetIds: [3] }, { dataSetIds: [1] });
    await vi.waitFor(() => expect(receivedSeqs(current)).toEqual([last - 2, last]));
    const resumed = await readStream('', { Cookie, 'Last-Event-ID': `${logId}:${before + 1}` });
    await vi.waitFor(() => expect(receivedSeqs(resumed)).toEqual([last]));
    const typed = await readStream(`?after=${logId}:${before}&types=InstancesRestored`, { Cookie });
    const other = await storeChanges({ type: 'InstancesRestored', dataSetIds: [1] });
    await vi.waitFor(() =>
      expect(typed.events.at(-1)).toMatchObject({ event: 'InstancesRestored', id: `${logId}:${other}` }),
    );
    expect(receivedSeqs(typed)).toEqual([]);
  });

  it('can be a WebSocket of this site or of an API key, but of no other caller', async () => {
    const Cookie = await service.signIn(READER);
    const writeKey = await createApiKey({ collectionId: 1, scope: 'write' });
    const person = await openSocket('', { Cookie, Origin: ORIGIN });
    const system = await openSocket(`?after=${logId}:${seq}`, writeKey);
    const last = await storeChanges({ dataSetIds: [1] }, { dataSetIds: [3] });
    await vi.waitFor(() => expect([person.seqs(), system.seqs()]).toEqual([[last - 1], [last - 1]]));
    await expect(openSocket('', { Cookie, Origin: 'https://evil.example' })).rejects.toThrow('403');
    const anonymous = new WebSocket(`${service.url.replace('http', 'ws')}/api/changes/ws`);
    const [, refusal] = (await once(anonymous, 'unexpected-response')) as [unknown, IncomingMessage];
    expect([refusal.statusCode, refusal.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer /)]);
    anonymous.on('error', () => undefined).terminate();
    await expect(openSocket('?after=00000000-0000-4000-8000-000000000000:5', writeKey)).rejects.toThrow('410');
    const elsewhere = new WebSocket(`${service.url.replace('http', 'ws')}/elsewhere`);
    await new Promise<void>((resolve) => elsewhere.once('error', () => resolve()));
  });

  it('ends when a grant is removed, and resumes with the changes that the user may still read', async () => {
    service.grant(...collection(5, [1], { [READER]: 'READ' }), ...collection(6, [3], { [READER]: 'READ' }));
    const Cookie = await service.signIn(READER);
    const events = await readStream('', { Cookie });
    const messages = await openSocket('', { Cookie, Origin: ORIGIN });
    const firstSeq = await storeChanges({ dataSetIds: [3] });
    await vi.waitFor(() => expect([receivedSeqs(events), messages.seqs()]).toEqual([[firstSeq], [firstSeq]]));
    service.grant({
      type: 'CollectionPermissionsChanged',
      data: { collectionId: 6, granted: [], revoked: [{ entityType: 'user', entityId: READER }] },
    });
    const last = await storeChanges({ dataSetIds: [3] }, { dataSetIds: [1] });
    await vi.waitFor(() =>
      expect([endOf(events), events.ended, messages.closed.code]).toEqual([['revoked'], true, 4403]),
    );
    expect([receivedSeqs(events), messages.seqs()]).toEqual([[firstSeq], [firstSeq]]);
    const back = await readStream('', { Cookie, 'Last-Event-ID': `${logId}:${firstSeq}` });
    await vi.waitFor(() => expect(receivedSeqs(back)).toEqual([last]));
  });

  it('continues when a grant is added', async () => {
    service.grant(...collection(8, [3], {}));
    const events = await readStream('', { Cookie: await service.signIn(STRANGER) });
    service.grant({
      type: 'CollectionPermissionsChanged',
      data: {
        collectionId: 8,
        granted: [{ entityType: 'user', entityId: STRANGER, permissionLevel: 'READ' }],
        revoked: [],
      },
    });
    const last = await storeChanges({ dataSetIds: [3] });
    await vi.waitFor(() => expect(receivedSeqs(events)).toEqual([last]));
  });

  it('ends when the session ends or the API key is revoked', async () => {
    const events = await readStream('', { Cookie: await service.signIn(READER) });
    const messages = await openSocket('', await createApiKey({ collectionId: 1, scope: 'read' }));
    await service.database.pool.query('UPDATE identity.sessions SET ended_at = now()');
    await service.database.pool.query('UPDATE identity.api_keys SET revoked_at = now()');
    await vi.waitFor(
      () => expect([endOf(events), events.ended, messages.closed.code]).toEqual([['signed-out'], true, 4401]),
      { timeout: 10_000 },
    );
  });

  it('is refused if its user has too many open streams', async () => {
    const Cookie = await service.signIn(STRANGER);
    for (let opened = 0; opened < 20; opened += 1) expect((await readStream('', { Cookie })).status).toBe(200);
    expect((await readStream('', { Cookie })).status).toBe(429);
  });
});

describe('a service that stops', () => {
  it('closes WebSockets with a reason, and does not wait for unresponsive clients', async () => {
    const stopping = await startService();
    const Cookie = await stopping.signIn(ADMIN);
    const responsiveClient = await openSocket('', { Cookie, Origin: ORIGIN }, stopping);
    const unresponsiveClient = await openSocket('', { Cookie, Origin: ORIGIN }, stopping);
    unresponsiveClient.ws.pause();
    await stopping.stop();
    await vi.waitFor(() => expect(responsiveClient.closed).toEqual({ code: 1012, reason: 'The service restarts' }));
  });
});
