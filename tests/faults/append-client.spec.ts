/**
 * Tests the replacement of an append client that can no longer append, and appends after an outage or a change of the
 * cluster's leader.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CallError, GrpcServer, status, unary } from '@rdm/embedded/event-store/wire/grpc';
import { clusterOfOne, supportedMethods } from '@rdm/embedded/event-store/wire/node-info';
import { decoder } from '@rdm/embedded/event-store/wire/protocol';
import { connectEventStore } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import {
  append,
  connect,
  freePorts,
  newFolder,
  newStream,
  startMember,
  toClose,
  useMembers,
} from './append-client/members.ts';

const LONG = process.env['FAULTS'] === 'long';
const REPLACEMENT_PROGRAM = fileURLToPath(new URL('../dist/faults/client-replacement.main.js', import.meta.url));
const OUTAGE_MS = LONG ? 30_000 : 3_000;
const REPLACEMENTS = LONG ? 20 : 5;
const IN_FLIGHT = 100;

useMembers();

describe('the append client', () => {
  it(`is replaced ${REPLACEMENTS} times with 100 appends in flight, and each append takes effect once`, async () => {
    const { url } = await startMember();
    // The appends run in a separate process, which an unhandled error would end.
    const child = fork(REPLACEMENT_PROGRAM, [url, String(REPLACEMENTS)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
    });
    const appends = REPLACEMENTS * IN_FLIGHT;
    let result: Record<string, number> = {};
    child.on('message', (message) => {
      result = message as Record<string, number>;
    });
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(result).toMatchObject({ replacements: REPLACEMENTS, appends, lost: 0, doubled: 0 });
    expect(result['unknown']).toBeGreaterThan(0);
    console.info(`${appends} appends, ${result['unknown']} unknown outcomes repeated: 0 lost, 0 doubled`);
  });

  it('reports an unavailable cluster, and appends after its return', async () => {
    const ports = await freePorts(3);
    const store = connect(ports);
    const appending = append(store, newStream());
    for (const end = performance.now() + OUTAGE_MS; performance.now() < end; await pause(500)) {
      expect(await store.appendProblem()).toMatch(/^The event store takes no appends: /);
    }
    await startMember(ports[1]);
    const backAt = performance.now();
    await appending;
    await append(store, newStream());
    console.info(`Appended ${Math.round(performance.now() - backAt)} ms after a member of the cluster was back`);
    expect(await store.appendProblem()).toBeUndefined();
  });

  it('appends to the next leader', async () => {
    const ports = await freePorts(3);
    const store = connect(ports);
    const dir = newFolder();
    const first = await startMember(ports[0], dir);
    const [before, after] = [newStream(), newStream()];
    await append(store, before);
    await first.kill();
    await startMember(ports[2], dir);
    console.info(`Appended ${Math.round(await append(store, after))} ms after the leader had moved`);
    for (const stream of [before, after]) expect((await store.tail(stream))?.revision).toBe(0);
  });

  it('appends to the leader that a refusing member names', async () => {
    const leader = await startMember();
    let port = 0;
    let refusals = 0;
    const decodeEmpty = decoder('Empty');
    const follower = new GrpcServer(
      new Map([
        [
          '/event_store.client.server_features.ServerFeatures/GetSupportedMethods',
          unary(decodeEmpty, supportedMethods),
        ],
        ['/event_store.client.gossip.Gossip/Read', unary(decodeEmpty, () => clusterOfOne('127.0.0.1')(port))],
        [
          '/event_store.client.streams.Streams/BatchAppend',
          (call) => {
            refusals += 1;
            const leaderMetadata = { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': String(leader.port) };
            call.fail(
              new CallError(status.NOT_FOUND, 'Leader info available', { exception: 'not-leader', ...leaderMetadata }),
            );
          },
        ],
      ]),
    );
    port = await follower.listen('127.0.0.1', 0);
    toClose.push({ close: () => follower.close(50) });
    const store = connect([port, port]);
    const stream = newStream();
    await append(store, stream);
    expect(refusals).toBeGreaterThan(0);
    const reader = connectEventStore(leader.url);
    toClose.push(reader);
    expect((await reader.tail(stream))?.revision).toBe(0);
  });
});
