/** Tests the audit log after a purge, on a real PostgreSQL: its entries, verification, export and signed head. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import {
  type AuditLogView,
  type ChainVerification,
  mappingKey,
  type Page,
  rowId,
  type SignedHead,
  streams,
} from '@rdm/contracts';
import { collectionCreated, crosswalkDefined, mappingsDrafted } from '@rdm/contracts/testing/events';
import { type LoggedEvent, loadPurgedEvents, numberLog, type Route, transaction } from '@rdm/platform';
import { keyRegistered, purgeEvents, testSigningKey } from '@rdm/platform/testing/purge-events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { crosswalkRoutes } from '../crosswalks/crosswalks.ts';
import { schemaOf, tableOf } from '../fixtures/database.ts';
import { importProjector } from '../fixtures/projector.ts';
import { type RequestOptions, startWorld, type World } from '../fixtures/world.ts';
import { openPurgedEntities, withPurgedEntities } from '../read-models/purged-entities.ts';
import { auditRoutes } from './audit.ts';
import { digestOf } from './audit-chain.ts';

const [ADMIN, OLGA, STEWARD] = [1, 2, 3];
const CROSSWALK = 4;
const LOGS = tableOf('audit_logs');
const KEY = testSigningKey();

let world: World;
let routes: Route[];
/** The head of the audit log before the purge. */
let headBeforePurge: { seq: number; chainHash: string };
let purgedSeqs: number[];
let allEvents: LoggedEvent[];
let commandApi: Server;

const isPurged = ({ stream }: LoggedEvent) => stream.startsWith('crosswalk-') || stream.startsWith('mappings-');
const append = (event: { stream: string; type: string; data: unknown; actorId: number | null }) =>
  world.append(event.stream as never, { type: event.type, data: event.data } as never, { actor: event.actorId });

/** Folds the audit log again, as a rebuild does. */
async function rebuildAuditLog(): Promise<void> {
  const projector = await importProjector();
  const projection = projector.projections.find(({ name }) => name === 'audit_log');
  const numbered: object[] = [];
  const purged = await loadPurgedEvents(world.context.store);
  for await (const item of numberLog(world.context.store.readAll(null), purged, { seq: 0, position: null })) {
    numbered.push(projector.toNumberedEvent(item));
  }
  await world.pool.query(`TRUNCATE ${LOGS}`);
  await transaction(world.pool, async (client) => {
    await projection?.apply({ client, schema: schemaOf('audit_log') }, numbered);
  });
}

beforeAll(async () => {
  world = await startWorld();
  append(keyRegistered(KEY));
  for (const userId of [ADMIN, OLGA, STEWARD]) {
    append({ stream: 'access-main', type: 'UserRegistered', data: { userId, roleId: userId }, actorId: null });
  }
  world.append('access-main', collectionCreated({ collectionId: 7, ownerId: STEWARD }), { actor: STEWARD });
  world.append(`crosswalk-${CROSSWALK}`, crosswalkDefined({ id: CROSSWALK }), { actor: STEWARD });
  const id = rowId(1, mappingKey('DE'));
  const bucket = streams.mappings(CROSSWALK, id % 64);
  world.append(bucket, mappingsDrafted({ id, sourceValue: 'DE', targetValue: 'secret' }), { actor: STEWARD });
  world.append(
    'access-main',
    { type: 'CollectionChanged', data: { collectionId: 7, tags: ['x'] } },
    { actor: STEWARD },
  );
  world.append(bucket, { type: 'MappingsSubmitted', data: { ids: [id], comment: 'secret' } }, { actor: STEWARD });
  await world.project();
  await world.pool.query(
    `INSERT INTO identity.users (id, username, email) VALUES (1, 'admin', 'a@example.com'), (2, 'olga', 'o@example.com')`,
  );
  routes = auditRoutes(world.context);
  headBeforePurge = (await readLog<{ head: typeof headBeforePurge }>('/head')).head;

  const events = world.events.flatMap((event, index) => {
    const seq = index + 1;
    const { type, metadata } = event;
    return isPurged(event)
      ? [{ seq, digest: digestOf(event, seq), type, actorId: metadata.actorId, at: metadata.occurredAt }]
      : [];
  });
  purgedSeqs = events.map(({ seq }) => seq);
  const revisions = new Map(world.events.filter(isPurged).map(({ stream, revision }) => [stream, revision]));
  const purgedStreams = [...revisions].map(([stream, revision]) => ({ stream, revision }));
  for (const event of purgeEvents({ purgeId: 4, streams: purgedStreams, events, key: KEY })) append(event);
  await world.project();
  allEvents = [...world.events];

  commandApi = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      const isAllowed = request.headers['x-service-secret'] === world.context.settings.SERVICE_SECRET;
      const signed = { keyId: KEY.keyId, signature: KEY.sign(Buffer.from(text)).toString('base64') };
      response.writeHead(isAllowed ? 200 : 403).end(JSON.stringify(signed));
    });
  });
  await new Promise<void>((resolve) => commandApi.listen(0, '127.0.0.1', resolve));
}, 120_000);
afterAll(async () => {
  commandApi?.close();
  await world?.stop();
});

const readLog = async <Body>(path: string, query: RequestOptions['query'] = {}) =>
  (await world.request<Body>(routes, `/api/audit-logs${path}`, { query })).body;
const verify = (query: RequestOptions['query'] = {}) => readLog<ChainVerification>('/verify', query);
const scavenge = () => world.events.splice(0, world.events.length, ...allEvents.filter((event) => !isPurged(event)));

const SUMMARY = `Intact. 16 events; 3 known by digest only: purge 4, 2026-01-01, by admin, confirmed by olga: 'retention R7'.`;

describe('verification after a purge', () => {
  it('succeeds before the scavenge, and notes that the purged events are still stored', async () => {
    expect(await verify()).toMatchObject({
      ...{ intact: true, verified: 16, purged: 3, brokenAt: null, summary: SUMMARY },
      notes: ['3 purged events are still stored until the next scavenge of the event store'],
    });
  });

  it('succeeds with the same head after the rebuild and after the scavenge', async () => {
    const { head } = await verify();
    await rebuildAuditLog();
    expect(await verify()).toMatchObject({ intact: true, purged: 3, head });
    scavenge();
    expect(await verify()).toEqual({
      ...{ intact: true, verified: 16, head, brokenAt: null, purged: 3, notes: [], summary: SUMMARY },
      purges: [
        {
          ...{ purgeId: 4, events: 3, at: expect.any(String), reason: 'retention R7' },
          ...{ requestedBy: 'admin', confirmedBy: 'olga' },
        },
      ],
    });
    await rebuildAuditLog();
    expect(await verify()).toMatchObject({ intact: true, head });
  });

  it('accepts a head that was exported before the purge, and notes the purge', async () => {
    const verification = await verify({ seq: String(headBeforePurge.seq), chainHash: headBeforePurge.chainHash });
    expect(verification).toMatchObject({
      intact: true,
      notes: ['Purge 4 is newer than the exported head that you compare with'],
    });
  });
});

describe('a purged entry', () => {
  it('has its type, user and purge, but no id, stream, comment or value of the event', async () => {
    const { items } = await readLog<Page<AuditLogView>>('', { kind: 'system' });
    const entry = items.find(({ purgeId }) => purgeId !== null);
    expect(entry).toMatchObject({
      ...{
        purgeId: 4,
        action: 'MappingsSubmitted',
        userId: STEWARD,
        changeSummary: 'Purged on 1 January 2026 by purge 4',
      },
      ...{
        eventId: null,
        stream: null,
        streamRevision: null,
        recordIds: null,
        submissionComment: null,
        causationId: null,
      },
    });
    expect(JSON.stringify(items)).not.toContain('secret');
  });

  it('makes its entity return 410 for administrators and 404 for other users', async () => {
    const error = { code: 'PURGED', status: 410, message: 'Purged on 1 January 2026 by purge 4' };
    await expect(readLog('/replay', { entity: `crosswalk:${CROSSWALK}` })).rejects.toMatchObject(error);
    const entities = openPurgedEntities(world.context.store);
    const pages = crosswalkRoutes(world.context).map((declared) => withPurgedEntities(entities, declared));
    await world.pool.query(`DELETE FROM ${tableOf('crosswalk_mappings')}`);
    for (const asOf of [{}, { asOf: 'seq:8' }]) {
      const path = `/api/crosswalks/${CROSSWALK}`;
      await expect(world.request(pages, path, { query: { ...asOf } })).rejects.toMatchObject(error);
    }
    const unknownCrosswalk = world.request(pages, '/api/crosswalks/99', {});
    await expect(unknownCrosswalk).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const asSteward = world.request(pages, `/api/crosswalks/${CROSSWALK}`, { as: STEWARD });
    await expect(asSteward).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an export of the whole log', () => {
  const read = async (query: RequestOptions['query'] = {}) => {
    const file = await world.download(routes, '/api/audit-logs/export', { query: { format: 'log', ...query } });
    return {
      file,
      lines: gunzipSync(file.bytes)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    };
  };

  it('contains the stored events, manifest entries for the purged events, and the head as the last line', async () => {
    const { file, lines } = await read();
    expect(file.headers['content-disposition']).toContain('log.ndjson.gz');
    expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual(allEvents.map((_, index) => index + 1));
    for (const [index, event] of allEvents.entries()) {
      const { stream, revision, id, type, metadata, data } = event;
      const { actorId, occurredAt: at } = metadata;
      const [seq, digest] = [index + 1, digestOf(event, index + 1)];
      expect(lines[index]).toEqual(
        isPurged(event)
          ? { seq, digest, type, actorId, at, purgeId: 4 }
          : { seq, stream, revision, id, type, metadata, digest, data },
      );
    }
    const { head } = await verify();
    expect(lines.at(-1)).toEqual({ head: { ...head, logId: expect.any(String), at: expect.any(String) } });
  });

  it('refuses filters, because the file would lack entries', async () => {
    for (const query of [{ kind: 'system' }, { q: 'x' }]) {
      await expect(read(query as never)).rejects.toMatchObject({ code: 'INVALID' });
    }
  });
});

describe('a signed head', () => {
  it('is signed by command-api', async () => {
    const { port } = commandApi.address() as AddressInfo;
    Object.assign(world.context.settings, { COMMAND_API_URL: [`http://127.0.0.1:${port}`] });
    const { head } = await verify();
    expect(await readLog<SignedHead>('/signed-head')).toMatchObject({
      ...head,
      keyId: KEY.keyId,
      logId: expect.any(String),
    });
  });

  it('is refused if no command-api answers', async () => {
    Object.assign(world.context.settings, { COMMAND_API_URL: ['http://127.0.0.1:1'] });
    await expect(readLog('/signed-head')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('verification of a manipulated log', () => {
  let restore: () => Promise<unknown> = async () => undefined;
  afterEach(async () => {
    await restore();
    restore = async () => undefined;
    expect(await verify()).toMatchObject({ intact: true });
  });

  /** Replaces the events of the store until the test ends. */
  const changeEvents = (change: (events: LoggedEvent[]) => LoggedEvent[]) => {
    const before = [...world.events];
    world.events.splice(0, world.events.length, ...change(structuredClone(before)));
    restore = async () => world.events.splice(0, world.events.length, ...before);
  };
  const without = (isRemoved: (event: LoggedEvent) => boolean) =>
    changeEvents((all) => all.filter((each) => !isRemoved(each)));
  const changeData = (type: string, change: object) =>
    changeEvents((all) =>
      all.map((each) => (each.type === type ? { ...each, data: { ...(each.data as object), ...change } } : each)),
    );
  const firstPurgedSeq = () => purgedSeqs[0] as number;
  const seqOf = (type: string) => allEvents.findIndex((event) => event.type === type) + 1;

  it.each<[string, () => void, () => number, (seq: number) => string]>([
    [
      'an event that is missing',
      () => without(({ type }) => type === 'CollectionChanged'),
      () => seqOf('CollectionChanged'),
      (seq) => `Event ${seq} is missing and no purge names it`,
    ],
    [
      'an event that was altered',
      () => changeData('CollectionChanged', { tags: ['y'] }),
      () => seqOf('CollectionChanged'),
      (seq) => `Digest of event ${seq} differs`,
    ],
    [
      'events in another order',
      () => changeEvents((all) => [...all.slice(0, 2).reverse(), ...all.slice(2)]),
      () => 1,
      (seq) => `Digest of event ${seq} differs`,
    ],
    [
      'an altered manifest',
      () => changeData('PurgeManifestPart', { events: [] }),
      firstPurgedSeq,
      () => 'Purge 4: its manifest is incomplete',
    ],
    [
      'a manifest without a signature',
      () => changeData('PurgeManifestSealed', { signature: '' }),
      firstPurgedSeq,
      () => 'Purge 4: wrong signature',
    ],
    [
      'a manifest signed by an unknown key',
      () => changeData('PurgeManifestSealed', { keyId: '0'.repeat(16) }),
      firstPurgedSeq,
      () => 'Purge 4: unknown signature',
    ],
    [
      'a manifest that is missing',
      () => without(({ stream }) => stream === 'purge-4'),
      firstPurgedSeq,
      () => 'Purge 4: no manifest',
    ],
    [
      'a purge that is not registered',
      () => without(({ type }) => type === 'PurgeRegistered'),
      firstPurgedSeq,
      (seq) => `Event ${seq} is missing and no purge names it`,
    ],
  ])('reports the seq and the reason for %s', async (_, change, seq, reason) => {
    change();
    const verification = await verify();
    expect(verification).toMatchObject({
      intact: false,
      verified: seq() - 1,
      brokenAt: { seq: seq(), reason: reason(seq()) },
    });
    expect(verification.summary).toBe(`Broken at event ${seq()}: ${reason(seq())}.`);
  });

  it.each([
    ['digest', `digest = repeat('a', 64)`, (seq: number) => `Digest of event ${seq} differs`],
    ['user', 'actor_id = 9', () => "The row's actorId does not match its event"],
    ['purge', 'purge_id = 5', () => "The row's purgeId does not match its event"],
  ])('reports a purged entry with an altered %s', async (_, set, reason) => {
    await world.pool.query(
      `CREATE TABLE public.kept AS SELECT * FROM ${LOGS}; UPDATE ${LOGS} SET ${set} WHERE seq = ${firstPurgedSeq()}`,
    );
    restore = () =>
      world.pool.query(`TRUNCATE ${LOGS}; INSERT INTO ${LOGS} SELECT * FROM public.kept; DROP TABLE public.kept`);
    expect(await verify()).toMatchObject({
      intact: false,
      brokenAt: { seq: firstPurgedSeq(), reason: reason(firstPurgedSeq()) },
    });
  });
});
