/** Tests a purge if the event store is outside the product, and the product or the operator scavenges it. */
import { createServer, connect as openSession, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { streams } from '@rdm/contracts';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { connectEventStore, type EventStore } from '@rdm/platform';
import { followScavenge, startScavenge } from '@rdm/platform/event-store/scavenge';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../../conformance/target.ts';
import { done, newCollection, newDataSet, newType } from '../../stories/fixtures.ts';
import { HttpClient, type Json } from '../../stories/http-client.ts';
import { startTestStack, type TestStack } from '../../test-stack.ts';

const PASSWORD = 'Story-pass-1';
const PERMISSION_DENIED = '7';

/** Whether the proxy refuses to start a scavenge, as a server does for a user without the permission. */
let isScavengeRefused = true;

/** Starts a proxy of an event store that can refuse to start a scavenge. */
async function startProxy(port: number): Promise<{ port: number; close: () => void }> {
  const server = createServer();
  server.on('session', (session) => {
    const upstream = openSession(`http://127.0.0.1:${port}`);
    upstream.on('error', () => session.destroy());
    session.on('error', () => upstream.destroy());
    session.on('close', () => upstream.close());
    session.on('stream', (stream: ServerHttp2Stream, { ':authority': _, ...headers }) => {
      stream.on('error', () => undefined);
      if (isScavengeRefused && headers[':path']?.endsWith('.Operations/StartScavenge')) {
        const answer = { 'grpc-status': PERMISSION_DENIED, 'grpc-message': 'Access Denied' };
        stream.respond({ 'content-type': 'application/grpc', ...answer }, { endStream: true });
        return;
      }
      const call = upstream.request(headers);
      call.on('error', () => stream.destroy());
      stream.on('close', () => call.close());
      stream.pipe(call);
      let trailers = {};
      call.on('trailers', (received) => {
        trailers = received;
      });
      call.on('response', (received) => {
        stream.respond(received, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers(trailers));
        call.pipe(stream);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

let directory: ReturnType<typeof temporaryDirectory>;
let store: EventStoreProcess;
let log: EventStore;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let stack: TestStack;
let admin: HttpClient;
let olga: HttpClient;

beforeAll(async () => {
  directory = temporaryDirectory();
  store = await startEventStoreProcess({
    dir: join(directory.path, 'event-store'),
    scavengePauseFactor: 0,
    output: 'ignore',
  });
  log = connectEventStore(store.url);
  proxy = await startProxy(store.port);
  stack = await startTestStack('foreign-scavenge', {
    adminPassword: PASSWORD,
    eventStoreUrl: `esdb://127.0.0.1:${proxy.port}?tls=false`,
    env: { OLD_BUILD_GRACE_SECONDS: '0' },
  });
  admin = new HttpClient(stack.baseUrl);
  done(await admin.signIn('admin', PASSWORD));
  const user = { username: 'olga', email: 'olga@example.com', password: PASSWORD, roleId: 1 };
  done(await admin.post('/api/users', { ...user, requirePasswordChange: false }));
  olga = new HttpClient(stack.baseUrl);
  done(await olga.signIn('olga', PASSWORD));
});
afterAll(async () => {
  await stack?.stop();
  await log?.close();
  proxy?.close();
  await store?.stop();
  directory?.remove();
});

/** Waits until the log has this number of outcomes of the purge, and returns the purge. */
async function waitForOutcomes(id: number, count: number): Promise<Json> {
  await vi.waitFor(
    async () => {
      const outcomes: string[] = [];
      for await (const { type } of log.read(streams.purge(id)))
        if (/^Purge(Reclaiming|Completed|Failed)$/.test(type)) outcomes.push(type);
      expect(outcomes).toHaveLength(count);
    },
    { timeout: 110_000, interval: 200 },
  );
  const hasOutcome = ({ body }: { body: Json }) => ['RECLAIMING', 'DONE', 'FAILED'].includes(body.status);
  return (await admin.eventually(`/api/purges/${id}`, hasOutcome)).body;
}

/** Creates a confirmed purge of a data set; returns the purge as it was planned. */
async function createConfirmedPurge(): Promise<Json> {
  const collection = await newCollection(admin);
  const dataSet = await newDataSet(admin, await newType(admin), collection, [{ code: 'x', name: 'X' }]);
  done(await admin.delete(`/api/reference-data/${dataSet}`));
  const scope = { collectionId: collection };
  const before = new Date(Date.now() + 3_600_000).toISOString();
  const { id } = done(await admin.post('/api/purges', { kind: 'dataSets', scope, before }));
  const { body: planned } = await admin.eventually(`/api/purges/${id}`, ({ body }) => body.isPlanned);
  done(await admin.post(`/api/purges/${id}/request`, { phrase: planned.phrase, reason: 'none' }));
  done(await olga.post(`/api/purges/${id}/confirm`));
  return planned;
}

const verifyAuditLog = async () => done(await admin.get('/api/audit-logs/verify'));

it('a purge shows the scavenge command, and completes after the operator has scavenged', async () => {
  const {
    id,
    plan: { events },
  } = await createConfirmedPurge();
  const reclaimingView = {
    status: 'RECLAIMING',
    command: `curl -u ops -X POST -d '{}' http://127.0.0.1:${proxy.port}/admin/scavenge`,
    stored: events,
    problem: null,
  };
  expect(await waitForOutcomes(id, 1)).toMatchObject(reclaimingView);
  expect(await verifyAuditLog()).toMatchObject({
    intact: true,
    notes: [`${events} purged events are still stored until the next scavenge of the event store`],
  });

  done(await admin.post(`/api/purges/${id}/reclaim`));
  expect(await waitForOutcomes(id, 2)).toMatchObject(reclaimingView);

  const neverAborted = new AbortController().signal;
  expect(await followScavenge(await startScavenge(store.url), neverAborted)).toMatchObject({ result: 'Success' });
  done(await admin.post(`/api/purges/${id}/reclaim`));
  expect(await waitForOutcomes(id, 3)).toMatchObject({
    ...{ status: 'DONE', command: null, stored: null, problem: null },
    leftovers: [],
  });
  expect(await verifyAuditLog()).toMatchObject({ intact: true, notes: [] });
});

it('the product scavenges the event store for a purge if the server allows it', async () => {
  isScavengeRefused = false;
  const { id } = await createConfirmedPurge();
  expect(await waitForOutcomes(id, 1)).toMatchObject({ status: 'DONE', command: null, stored: null, leftovers: [] });
  expect(await verifyAuditLog()).toMatchObject({ intact: true, notes: [] });
});
