/** Tests a store that requires a password: refused calls, calls that need no password, and the password file. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventStoreDBClient, persistentSubscriptionToStreamSettingsFromDefaults } from '@eventstore/db-client';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import grpc from '@grpc/grpc-js';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { collect, connect, event, events, failureOf, newStream, temporaryDirectory } from './target.ts';

const directory = temporaryDirectory();
const passwordFile = join(directory.path, 'password');
const credentials = { username: 'admin', password: 'changeit' };
let store: EventStoreProcess;
let client: EventStoreDBClient;
let output = '';
beforeAll(async () => {
  store = await startEventStoreProcess({ dir: directory.path, passwordFile, output: 'pipe' });
  store.child.stdout?.on('data', (text) => {
    output += text;
  });
  client = connect(store.url);
});
afterAll(async () => {
  await client?.dispose();
  await store?.stop();
  directory.remove();
});

const calls: [string, (client: EventStoreDBClient, stream: string) => Promise<unknown>][] = [
  ['an append', (other, stream) => other.appendToStream(stream, event())],
  ['an append outside of a batch', (other, stream) => other.appendToStream(stream, event(), { credentials })],
  ['a read of a stream', (other, stream) => collect(other.readStream(stream))],
  ['a read of $all', (other) => collect(other.readAll({ maxCount: 1 }))],
  ['a subscription to a stream', (other, stream) => collect(other.subscribeToStream(stream), 1)],
  ['a subscription to $all', (other) => collect(other.subscribeToAll(), 1)],
  ['a deletion', (other, stream) => other.deleteStream(stream)],
  ['a tombstone', (other, stream) => other.tombstoneStream(stream)],
  ['a change of metadata', (other, stream) => other.setStreamMetadata(stream, { maxCount: 1 })],
  [
    'a method that the store does not have',
    (other, stream) =>
      other.createPersistentSubscriptionToStream(stream, 'g', persistentSubscriptionToStreamSettingsFromDefaults()),
  ],
];

describe.each([
  ['no password', () => store.url.replace(/&.*/, '')],
  ['another password', () => store.url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
  ['an empty password', () => store.url.replace(/=[^=]*$/, '=%20')],
  ['a longer password', () => `${store.url}A`],
  ['user and password', () => store.url.replace(/&.*/, '').replace('//', '//admin:changeit@')],
])('a client with %s', (_, url) => {
  let other: EventStoreDBClient;
  beforeAll(() => {
    other = connect(url());
  });
  afterAll(() => other.dispose());

  it.each(calls)('is refused %s', async (_what, call) => {
    const stream = newStream();
    await client.appendToStream(stream, events(2));
    const error = await failureOf(call(other, stream));
    expect(error.message).toContain('UNAUTHENTICATED');
    expect(error.message).not.toContain(readFileSync(passwordFile, 'utf8').trim());
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });
});

describe('a client with the password', () => {
  it('appends in batches', async () => {
    const batches = vi.spyOn(services.StreamsClient.prototype, 'batchAppend');
    const singles = vi.spyOn(services.StreamsClient.prototype, 'append');
    const fresh = connect(store.url);
    const stream = newStream();
    await fresh.appendToStream(stream, events(3));
    expect([batches.mock.calls.length, singles.mock.calls.length]).toEqual([1, 0]);
    expect(await collect(client.readStream(stream))).toHaveLength(3);
    await fresh.dispose();
    vi.restoreAllMocks();
  });

  it('appends outside of a batch, subscribes and deletes', async () => {
    const stream = newStream();
    await client.appendToStream(stream, event(), { credentials });
    expect(await collect(client.subscribeToStream(stream), 1)).toHaveLength(1);
    await client.deleteStream(stream);
    expect((await failureOf(collect(client.readStream(stream)))).message).toContain(stream);
  });
});

describe('the store', () => {
  const address = () => `127.0.0.1:${store.port}`;
  const insecure = grpc.credentials.createInsecure();

  it('lists its methods to clients without the password', async () => {
    const other = new features.ServerFeaturesClient(address(), insecure);
    const answer = await new Promise<{ getMethodsList(): unknown[] }>((resolve, reject) =>
      other.getSupportedMethods(new shared.Empty(), (error, response) => (error ? reject(error) : resolve(response))),
    );
    expect(answer.getMethodsList()).toHaveLength(9);
    other.close();
  });

  it('answers gossip without the password', async () => {
    const other = new gossip.GossipClient(address(), insecure);
    const answer = await new Promise<{ getMembersList(): unknown[] }>((resolve, reject) =>
      other.read(new shared.Empty(), (error, response) => (error ? reject(error) : resolve(response))),
    );
    expect(answer.getMembersList()).toHaveLength(1);
    other.close();
  });
});

describe('the password file', () => {
  it('is readable only by its owner, and the store prints the path of the file instead of the password', async () => {
    const password = readFileSync(passwordFile, 'utf8').trim();
    expect(statSync(passwordFile).mode & 0o777).toBe(0o600);
    await vi.waitFor(() =>
      expect(output).toContain(`esdb://127.0.0.1:${store.port}?tls=false&connectionName=$(cat '${passwordFile}')`),
    );
    expect(output).not.toContain(password);
  });

  it('is used if it exists', async () => {
    const other = temporaryDirectory();
    const file = join(other.path, 'mine');
    writeFileSync(file, 'sixteen-letters_\n');
    const second = await startEventStoreProcess({ dir: other.path, passwordFile: file, output: 'pipe' });
    expect(second.url).toContain('connectionName=sixteen-letters_');
    expect(await second.stop()).toBe(0);
    other.remove();
  });

  it.each(['', 'fifteen-letters', 'with blanks in between'])('prevents the start if it contains "%s"', async (text) => {
    const other = temporaryDirectory();
    const file = join(other.path, 'mine');
    writeFileSync(file, text);
    const refusal = await failureOf(startEventStoreProcess({ dir: other.path, passwordFile: file, output: 'pipe' }));
    expect(refusal.message).toMatch(/must contain only a password of at least 16 letters/);
    if (text !== '') expect(refusal.message).not.toContain(text);
    other.remove();
  });
});
