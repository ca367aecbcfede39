/**
 * Starts embedded stores as cluster members, and appends with the product's client. Each store reports itself as the
 * leader.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { freePort } from '@rdm/embedded/launcher/ports';
import { connectEventStore, type EventStore, WrongRevision } from '@rdm/platform';
import { afterEach } from 'vitest';

const running: EventStoreProcess[] = [];
const folders: string[] = [];
/** The clients and fake members to close after each test. */
export const toClose: { close(): Promise<void> }[] = [];

export function newFolder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'rdm-append-client-')));
  return folders.at(-1) as string;
}

export async function startMember(port = 0, dir = newFolder()): Promise<EventStoreProcess> {
  const store = await startEventStoreProcess({ dir, port, output: 'pipe' });
  running.push(store);
  return store;
}

export function connect(ports: readonly number[]): EventStore {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const store = connectEventStore(`esdb://${hosts}?tls=false`);
  toClose.push(store);
  return store;
}

/** Closes clients, kills members and deletes folders after each test. */
export function useMembers(): void {
  afterEach(async () => {
    for (const each of toClose.splice(0)) await each.close();
    for (const { child } of running) child.kill('SIGCONT');
    for (const store of running.splice(0)) await store.kill();
    for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
  });
}

const metadata = {
  ...{ $correlationId: 'c', $causationId: 'c', actorId: null, requestId: 'r' },
  ...{ sourceType: 'SYSTEM' as const, occurredAt: '2026-01-01T00:00:00.000Z', dataSetIds: [] },
};

/**
 * Appends one event, and repeats a failed append unchanged for up to a minute, as a command does. Never repeats after
 * `WrongRevision`. Returns the duration in milliseconds.
 */
export async function append(store: EventStore, stream: string): Promise<number> {
  const event = { id: randomUUID(), type: 'NameClaimed', data: { name: stream, ownerId: 1 }, metadata };
  const begin = performance.now();
  for (;;) {
    try {
      await store.append(stream, [event], 'NO_STREAM');
      return performance.now() - begin;
    } catch (error) {
      if (error instanceof WrongRevision) throw error;
      if (performance.now() - begin > 60_000) throw error;
      await pause(50);
    }
  }
}

export const freePorts = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()));

export const newStream = () => `names-${randomUUID().replaceAll('-', '')}`;
