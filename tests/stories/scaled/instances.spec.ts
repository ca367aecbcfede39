/** Two instances of each service: live messages, presence, polling sessions, rebuilds and kills. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LiveChange } from '@rdm/contracts';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTestStack, type TestStack } from '../../test-stack.ts';
import { done, newCollection, newDataSet, newType } from '../fixtures.ts';
import { type Answer, HttpClient, type Json, uniqueName } from '../http-client.ts';
import { openTab, type Tab } from '../live-client.ts';
import { createSignedInUser, type SignedInUser } from '../signed-in-user.ts';

const PASSWORD = 'Two-of-each-1';
/** A killed instance is restarted after this time at the earliest. */
const RESTART_DELAY_MS = 1_500;
const WAIT_OPTIONS = { timeout: 30_000, interval: 20 };

let stack: TestStack;
let admin: HttpClient;
let adminId: number;
const tabs: Tab[] = [];

beforeAll(async () => {
  stack = await startTestStack('instances', { adminPassword: PASSWORD, instances: 2, backoff: () => RESTART_DELAY_MS });
  admin = new HttpClient(stack.baseUrl);
  adminId = done(await admin.signIn('admin', PASSWORD)).id;
});
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
});
afterAll(() => stack?.stop());

/** Opens a tab that is connected to one of the two instances and has joined these rooms. */
async function tabAt(instance: 0 | 1, person: HttpClient, rooms: string[]): Promise<Tab> {
  const url = stack.addresses['query-api'][instance];
  const tab = await openTab(person, url === undefined ? {} : { url });
  tabs.push(tab);
  for (const room of rooms) expect(await tab.join(room)).toMatchObject({ ok: true });
  return tab;
}

const changesOf = (tab: Tab, entity: LiveChange['entity'], id: number) =>
  tab.changes.filter((change) => change.entity === entity && change.entityId === id);

it('sends a change once to each tab of a reader at both instances, and to no other user', async () => {
  const [reader, outsider] = [await createSignedInUser(admin, 3), await createSignedInUser(admin, 3)];
  const collectionId = await newCollection(admin, [
    { entityType: 'user', entityId: reader.id, permissionLevel: 'READ' },
  ]);
  const dataSetId = await newDataSet(admin, await newType(admin), collectionId);
  await reader.person.eventually(`/api/reference-data/${dataSetId}`, ({ status }) => status === 200);
  const rooms = ['collections', 'types'];
  const openTabsAtBoth = (person: HttpClient) => Promise.all([tabAt(0, person, rooms), tabAt(1, person, rooms)]);
  const readerTabs = [...(await openTabsAtBoth(admin)), ...(await openTabsAtBoth(reader.person))];
  const outsiderTabs = await openTabsAtBoth(outsider.person);

  done(await admin.patch(`/api/reference-data/${dataSetId}`, { description: 'changed' }));
  // All users may read types: a tab that received this change has received all earlier changes.
  const typeId = await newType(admin);
  await vi.waitFor(() => {
    for (const tab of [...readerTabs, ...outsiderTabs]) {
      expect(changesOf(tab, 'reference-type', typeId)).not.toEqual([]);
    }
  }, WAIT_OPTIONS);
  for (const tab of readerTabs) {
    expect(changesOf(tab, 'data-set', dataSetId).map(({ type }) => type)).toEqual(['DataSetDetailsChanged']);
  }
  for (const tab of outsiderTabs) expect(changesOf(tab, 'data-set', dataSetId)).toEqual([]);
  for (const tab of [...readerTabs, ...outsiderTabs]) {
    expect(changesOf(tab, 'reference-type', typeId)).toHaveLength(1);
  }
});

it('shows users of both instances as present until they leave', async () => {
  const { id, person }: SignedInUser = await createSignedInUser(admin, 3);
  const [adminTab, userTab] = [await tabAt(0, admin, ['approvals']), await tabAt(1, person, ['approvals'])];
  const presentUsers = (tab: Tab) => tab.presentUserIds.get('approvals')?.toSorted((a, b) => a - b);
  await vi.waitFor(
    () =>
      expect([presentUsers(adminTab), presentUsers(userTab)]).toEqual([
        [adminId, id],
        [adminId, id],
      ]),
    WAIT_OPTIONS,
  );
  userTab.close();
  await vi.waitFor(() => expect(presentUsers(adminTab)).toEqual([adminId]), WAIT_OPTIONS);
});

it('announces a notification to its recipient at both instances, and to no other user', async () => {
  const [recipient, outsider] = [await createSignedInUser(admin, 3), await createSignedInUser(admin, 3)];
  const received = new Map<Tab, number>();
  const listenAt = async (instance: 0 | 1, { person }: SignedInUser): Promise<Tab> => {
    const tab = await tabAt(instance, person, ['types']);
    tab.socket.on('notified', () => received.set(tab, (received.get(tab) ?? 0) + 1));
    return tab;
  };
  const recipientTabs = [await listenAt(0, recipient), await listenAt(1, recipient)];
  const outsiderTabs = [await listenAt(0, outsider), await listenAt(1, outsider)];
  await newCollection(admin, [{ entityType: 'user', entityId: recipient.id, permissionLevel: 'READ' }]);
  await vi.waitFor(() => {
    for (const tab of recipientTabs) expect(received.get(tab)).toBeGreaterThan(0);
  }, WAIT_OPTIONS);
  const { body } = await recipient.person.eventually('/api/notifications', (answer) => answer.body.items.length > 0);
  expect(body.items).toMatchObject([{ reason: 'GRANTED' }]);
  for (const tab of outsiderTabs) expect(received.get(tab)).toBeUndefined();
});

it('serves polling sessions that either instance opened', async () => {
  for (let session = 0; session < 4; session++) {
    const tab = await openTab(admin, { transports: ['polling'] });
    tabs.push(tab);
    expect(await tab.join('types')).toMatchObject({ ok: true });
  }
  const instances = tabs.map(({ socket }) => socket.io.engine.id.split('.')[0]);
  expect(new Set(instances).size).toBe(2);
  const typeId = await newType(admin);
  await vi.waitFor(() => {
    for (const tab of tabs) expect(changesOf(tab, 'reference-type', typeId)).toHaveLength(1);
  }, WAIT_OPTIONS);
});

it('accepts a rebuild of the read models of the graph', async () => {
  expect((await admin.post('/api/graph/rebuild')).status).toBe(202);
});

it('stays ready and loses no acknowledged write while one instance of each service is killed', async () => {
  const readHealth = async (): Promise<{ status: number; parts: Json }> => {
    const response = await fetch(`${stack.baseUrl}/health/ready`);
    return { status: response.status, parts: ((await response.json()) as Json).parts };
  };
  const killed = ['command-api-2', 'query-api-2', 'projector'];
  /** The responses of the health check that report the product as not ready. */
  const notReadyResponses: unknown[] = [];
  const readStatuses = new Set<number>();
  const parts = new Set<string>();
  const acknowledgedIds: number[] = [];
  let isFinished = false;
  const repeat = async (work: () => Promise<void>) => {
    for (; !isFinished; await pause(20)) await work();
  };
  // These reads do not send the position of the last write, so they do not wait for a projector.
  const read = async () => {
    const response = await fetch(`${stack.baseUrl}/api/user`, { headers: { Cookie: admin.cookie } });
    await response.arrayBuffer();
    readStatuses.add(response.status);
  };
  const loops = [
    repeat(async () => {
      const health = await readHealth();
      if (health.status !== 200) notReadyResponses.push(health);
      for (const [part, state] of Object.entries(health.parts)) parts.add(`${part}: ${state}`);
    }),
    ...[read, read, read, read].map(repeat),
    repeat(async () => void acknowledgedIds.push(await createTypeDespiteKill())),
  ];
  const ended = Promise.all(loops);
  // Prevents an unhandled rejection while `ended` is not yet awaited.
  ended.catch(() => {});
  for (const name of killed) stack.parts[name]?.kill9();
  await pause(RESTART_DELAY_MS / 2);
  const before = acknowledgedIds.length;
  await vi.waitFor(() => expect(acknowledgedIds.length).toBeGreaterThan(before), WAIT_OPTIONS);
  await Promise.all(killed.map((name) => stack.parts[name]?.ready()));
  await vi.waitFor(async () => {
    const all = { 'command-api': 'ready', 'query-api': 'ready', projector: 'ready' };
    expect(await readHealth()).toEqual({ status: 200, parts: all });
  }, WAIT_OPTIONS);
  isFinished = true;
  await ended;

  expect({ notReadyResponses, readStatuses: [...readStatuses] }).toEqual({
    notReadyResponses: [],
    readStatuses: [200],
  });
  for (const service of ['command-api', 'query-api', 'projector']) expect(parts).toContain(`${service}: 1 of 2 ready`);
  const types = done(await admin.get('/api/reference-types'));
  const ids = types.map((type: Json) => type.id);
  expect(acknowledgedIds.filter((id) => ids.filter((each: number) => each === id).length !== 1)).toEqual([]);
});

/** Creates a type. Repeats the request with the same idempotency key while the answer is 503. */
async function createTypeDespiteKill(): Promise<number> {
  const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
  const [body, key] = [{ name: uniqueName('Type'), schemas }, randomUUID()];
  let answer: Answer;
  do answer = await admin.post('/api/reference-types', body, { key });
  while (answer.status === 503);
  return done(answer).id;
}
