/**
 * Starts the front door and query-api before the projector, with a new database and a long log. No list may be served
 * until the read models contain the whole log.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ACCESS_STREAM, type ProductEvent, SEEDED_ROLES, streams } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { freePort } from '@rdm/embedded/launcher/ports';
import { connectEventStore, type EventStore, programUrl, signSession } from '@rdm/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useProjectorEnvironment } from '../stories/projector/environment.ts';

const environment = useProjectorEnvironment();
const TYPES = process.env['FAULTS'] === 'long' ? 6_000 : 1_500;
const BATCH_SIZE = 100;
const SECRET = 'a secret of more than 32 characters';
const SESSION = randomUUID();

const programs = {
  projector: programUrl('projector/dist/main.js'),
  'query-api': programUrl('query-api/dist/main.js'),
  'front-door': programUrl('embedded/dist/front-door.main.js'),
};
const folder = mkdtempSync(join(tmpdir(), 'rdm-starting-'));
const children = new Set<ChildProcess>();
const ports: Record<string, number> = {};
let storeProcess: EventStoreProcess;
let store: EventStore;

beforeAll(async () => {
  for (const part of ['command-api', ...Object.keys(programs)]) ports[part] = await freePort();
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>The app</title>');
  storeProcess = await startEventStoreProcess({ dir: join(folder, 'event-store'), output: 'ignore' });
  store = connectEventStore(storeProcess.url);
  await append(ACCESS_STREAM, [
    ...SEEDED_ROLES.map((data) => ({ type: 'RoleDefined' as const, data })),
    { type: 'UserRegistered', data: { userId: 1, roleId: 1 } },
  ]);
  const fields = [{ fieldId: 1, name: 'code', dataType: 'string' as const, isPrimaryKey: true }];
  for (let first = 1; first <= TYPES; first += BATCH_SIZE) {
    const ids = Array.from({ length: BATCH_SIZE }, (_, index) => first + index);
    const definitionEvents = (id: number): ProductEvent[] => [
      { type: 'ReferenceTypeDefined', data: { id, name: `Type ${id}`, description: '', fields } },
    ];
    await Promise.all(ids.map((id) => append(streams.referenceType(id), definitionEvents(id))));
  }
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await store?.close();
  await storeProcess?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const append = (stream: string, events: ProductEvent[]) => {
  const metadata = eventMetadata({ actorId: null });
  return store.append(
    stream,
    events.map((event) => ({ ...event, id: randomUUID(), metadata })),
    'NO_STREAM',
  );
};

function start(name: keyof typeof programs, databaseUrl: string): ChildProcess {
  const localUrl = (part: string) => `http://127.0.0.1:${ports[part]}`;
  const child = fork(fileURLToPath(programs[name]), {
    env: {
      ...process.env,
      PORT: String(ports[name]),
      LOG_LEVEL: 'silent',
      DATABASE_URL: databaseUrl,
      EVENTSTORE_URL: storeProcess.url,
      SESSION_SECRET: SECRET,
      SERVICE_SECRET: SECRET,
      WEB_FOLDER: folder,
      COMMAND_API_URL: localUrl('command-api'),
      QUERY_API_URL: localUrl('query-api'),
      PROJECTOR_URL: localUrl('projector'),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

interface Visit {
  list: string;
  page: string;
}

/** Returns the length of a list or the code of its refusal, and which page the front door serves. */
async function visit(): Promise<Visit> {
  const base = `http://127.0.0.1:${ports['front-door']}`;
  const cookie = `session=${signSession(SESSION, SECRET, 1)}`;
  try {
    const [list, page] = await Promise.all([
      fetch(`${base}/api/reference-types`, { headers: { cookie } }),
      fetch(base, { headers: { accept: 'text/html' } }),
    ]);
    const body = (await list.json()) as unknown[] & { code?: string };
    return {
      list: list.status === 200 ? `${body.length} types` : `${list.status} ${body.code}`,
      page: (await page.text()).includes('The app') ? 'app' : `${page.status} starting`,
    };
  } catch {
    return { list: 'not reachable', page: 'not reachable' };
  }
}

/** Repeats `visit` until the list is as expected; returns the results of all visits. */
async function visitUntil(expected: string): Promise<Visit[]> {
  const visits: Visit[] = [];
  for (let last = ''; last !== expected; ) {
    const current = await visit();
    visits.push(current);
    last = current.list;
    // query-api answers 401 before it has read the access state.
    expect(last).toMatch(new RegExp(`^401 |^503 |^${TYPES} types$|^not reachable$`));
    if (last === 'not reachable') await pause(20);
  }
  return visits;
}

const distinct = (values: readonly string[]) => [...new Set(values)];

it('the product serves no list until the whole log is projected, and needs no projector afterwards', async () => {
  const { url, pool } = await environment.database();
  await pool.query(`INSERT INTO identity.users (id, username, email) VALUES (1, 'admin', 'admin@example.com')`);
  await pool.query('INSERT INTO identity.sessions (id, user_id) VALUES ($1, 1)', [SESSION]);
  const queryApi = start('query-api', url);
  const frontDoor = start('front-door', url);
  const visitsBeforeProjection = await visitUntil('503 STARTING');
  expect(visitsBeforeProjection.filter(({ list }) => list.endsWith('types'))).toEqual([]);
  expect(await visit()).toEqual({ list: '503 STARTING', page: '503 starting' });

  const projector = start('projector', url);
  const visits = await visitUntil(`${TYPES} types`);
  expect(distinct(visits.map(({ list }) => list))).toEqual(['503 STARTING', `${TYPES} types`]);
  expect(distinct(visits.map(({ page }) => page))[0]).toBe('503 starting');
  expect((await visit()).page).toBe('app');

  // The checkpoint is in the database now, so the product needs no running projector to serve.
  for (const child of [projector, queryApi, frontDoor]) {
    child.kill('SIGKILL');
    await new Promise((exited) => child.once('exit', exited));
  }
  start('query-api', url);
  start('front-door', url);
  const visitsWithoutProjector = await visitUntil(`${TYPES} types`);
  start('projector', url);
  for (let count = 0; count < 20; count++) visitsWithoutProjector.push(await visit());
  expect(visitsWithoutProjector.filter(({ list }) => list.endsWith('STARTING'))).toEqual([]);
  expect(visitsWithoutProjector.filter(({ page }) => page.endsWith('starting'))).toEqual([]);
});
