/** Tests the live channel with real sockets: recipients, revocation, missed changes, presence, and progress of jobs. */
import type { ClientMessages, JobMessage, JoinAnswer, LiveChange, ServerMessages, SinceAnswer } from '@rdm/contracts';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { tableOf } from '../fixtures/database.ts';
import { ADMIN, collection, registered, type SpecService, startService } from '../fixtures/service.ts';

const READER = 10;
const STRANGER = 11;
const ORIGIN = 'http://127.0.0.1:8080';
type Client = Socket<ServerMessages, ClientMessages> & {
  received: LiveChange[];
  jobs: JobMessage[];
  present: number[][];
  ended: boolean;
};

let service: SpecService;
const clients: Client[] = [];
let seq = 0;

beforeAll(async () => {
  service = await startService();
  service.grant(registered(READER, 3), registered(STRANGER, 3), ...collection(1, [1, 2], { [READER]: 'READ' }));
  await service.database.pool.query(`
    INSERT INTO ${tableOf('reference_data_sets')} (id, name, type_id, created_by) VALUES (1, 'Countries', 1, 1), (2, 'Regions', 1, 1), (3, 'Secrets', 1, 1);
    INSERT INTO ${tableOf('crosswalk_mappings')} (id, name, source_system_id, target_system_id, source_field_id, target_field_id)
      VALUES (1, 'open', 1, 2, 1, 1), (2, 'half open', 1, 3, 1, 1);
    INSERT INTO ${tableOf('import_jobs')} (job_id, job_type, data_set_id, data_set_ids, description, status, mode, columns)
      VALUES (1, 'DATASET_INSTANCES_IMPORT', 1, '{1}', 'import', 'IN_PROGRESS', 'insert', '{}')`);
}, 60_000);
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(() => service.stop());

async function connect(userId: number, headers: Record<string, string> = {}): Promise<Client> {
  const cookie = await service.signIn(userId);
  const client = io(service.url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders: { Cookie: cookie, Origin: ORIGIN, ...headers },
  }) as Client;
  Object.assign(client, { received: [], jobs: [], present: [], ended: false });
  client.on('change', (change) => client.received.push(change));
  client.on('job', (job) => client.jobs.push(job));
  client.on('presence', ({ userIds }) => client.present.push(userIds));
  client.on('session', () => {
    client.ended = true;
  });
  clients.push(client);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', resolve);
    client.once('connect_error', reject);
  });
  return client;
}
const join = (client: Client, room: string) => client.emitWithAck('join', room) as Promise<JoinAnswer>;
const requestSince = (client: Client, after: number) => client.emitWithAck('since', after) as Promise<SinceAnswer>;

/** Stores changes and notifies as the projector does; returns the last seq. */
async function project(...changes: (Partial<LiveChange> & { dataSetIds?: number[] })[]): Promise<number> {
  const from = seq + 1;
  for (const change of changes) {
    seq += 1;
    await service.database.pool.query(
      `INSERT INTO platform.live_changes (seq, position, type, entity, entity_id, ids, count, actor_id, command_id, data_set_ids)
       VALUES ($1, $2, $3, $4, $5, $6, 1, 1, 'c', $7)`,
      [
        seq,
        String(seq),
        change.type ?? 'DataSetTouched',
        change.entity ?? 'data-set',
        change.entityId ?? 1,
        change.ids ?? null,
        change.dataSetIds ?? [],
      ],
    );
  }
  await service.database.pool.query(`SELECT pg_notify('projected', $1)`, [JSON.stringify({ from, to: seq })]);
  return seq;
}
const receivedBy = (client: Client) => client.received.map((change) => change.seq);

describe('joining', () => {
  it('requires a connection with a session and the origin of this site', async () => {
    await expect(connect(READER, { Cookie: 'session=forged' })).rejects.toThrow('Sign in first');
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:8080.evil.example',
      'http://127.0.0.1:9999',
    ]) {
      await expect(connect(READER, { Origin: origin }), origin).rejects.toThrow();
    }
    expect((await connect(READER)).connected).toBe(true);
  });

  it('requires grants on the entity of the room', async () => {
    const client = await connect(READER);
    const answers: Record<string, boolean> = {};
    const rooms = [
      'data-set:1',
      'data-set:3',
      'data-set:99',
      'crosswalk:1',
      'crosswalk:2',
      'job:1',
      'approvals',
      'types',
      'collections',
      'crosswalks',
      'relationships',
      `user:${READER}`,
      `user:${ADMIN}`,
      'nonsense',
      'constructor',
      'data-set:1x',
    ];
    for (const room of rooms) answers[room] = (await join(client, room)).ok;
    expect(Object.keys(answers).filter((room) => answers[room])).toEqual([
      'data-set:1',
      'crosswalk:1',
      'job:1',
      'approvals',
      'types',
      'collections',
      'crosswalks',
      'relationships',
      `user:${READER}`,
    ]);
  });

  it('waits a moment for an entity that was just created', async () => {
    const client = await connect(READER);
    const joining = join(client, 'crosswalk:5');
    await service.database.pool.query(
      `INSERT INTO ${tableOf('crosswalk_mappings')} (id, name, source_system_id, target_system_id, source_field_id, target_field_id)
       VALUES (5, 'new', 1, 2, 1, 1)`,
    );
    await service.database.pool.query(`SELECT pg_notify('projected', '{}')`);
    expect((await joining).ok).toBe(true);
  });
});

describe('a change', () => {
  it('reaches clients in the room, in order, if their users may read all data sets of the change', async () => {
    const [reader, admin] = await Promise.all([connect(READER), connect(ADMIN)]);
    for (const client of [reader, admin]) await join(client, 'approvals');
    const last = await project(
      { entity: 'mapping', entityId: 1, dataSetIds: [1, 2] },
      { entity: 'mapping', entityId: 2, dataSetIds: [1, 3] },
      { entity: 'instance', entityId: 1, dataSetIds: [1] },
      { entity: 'crosswalk', entityId: 1, dataSetIds: [1, 2] },
    );
    await vi.waitFor(() => expect(receivedBy(reader)).toEqual([last - 3, last]));
    await vi.waitFor(() => expect(receivedBy(admin)).toEqual([last - 3, last - 2, last]));
    expect(reader.received[0]).toEqual({
      seq: last - 3,
      position: String(last - 3),
      type: 'DataSetTouched',
      entity: 'mapping',
      entityId: 1,
      ids: null,
      count: 1,
      revisions: null,
      changedFields: null,
      actorId: 1,
      commandId: 'c',
    });
  });

  it('of a crosswalk reaches the room of all crosswalks, but a change of a mapping does not', async () => {
    const reader = await connect(READER);
    await join(reader, 'crosswalks');
    const last = await project(
      { entity: 'crosswalk', entityId: 7, dataSetIds: [1, 2] },
      { entity: 'crosswalk', entityId: 8, dataSetIds: [1, 3] },
      { entity: 'mapping', entityId: 7, dataSetIds: [1, 2] },
      { entity: 'crosswalk', entityId: 7, dataSetIds: [1, 2] },
    );
    await vi.waitFor(() => expect(receivedBy(reader)).toEqual([last - 3, last]));
  });

  it('is not sent any more after a revocation', async () => {
    const client = await connect(STRANGER);
    service.grant({
      type: 'CollectionPermissionsChanged',
      data: {
        collectionId: 1,
        granted: [{ entityType: 'user', entityId: STRANGER, permissionLevel: 'READ' }],
        revoked: [],
      },
    });
    expect((await join(client, 'data-set:1')).ok).toBe(true);
    const before = await project({ entity: 'instance', entityId: 1, dataSetIds: [1] });
    await vi.waitFor(() => expect(receivedBy(client)).toEqual([before]));
    service.grant({
      type: 'CollectionPermissionsChanged',
      data: { collectionId: 1, granted: [], revoked: [{ entityType: 'user', entityId: STRANGER }] },
    });
    await project({ entity: 'instance', entityId: 1, dataSetIds: [1] });
    // The client receives a later change in another room, so the change after the revocation was not sent.
    const after = await project({ entity: 'user', entityId: STRANGER });
    await vi.waitFor(() => expect(receivedBy(client)).toEqual([before, after]));
    expect((await requestSince(client, before - 1)).changes.map((change) => change.seq)).toEqual([after]);
  });
});

describe('a client', () => {
  it('is disconnected when the session ends', async () => {
    const client = await connect(READER);
    await service.database.pool.query('UPDATE identity.sessions SET ended_at = now() WHERE user_id = $1', [READER]);
    await vi.waitFor(() => expect([client.ended, client.connected]).toEqual([true, false]), { timeout: 10_000 });
  });

  it('is disconnected when the user is deactivated', async () => {
    service.grant(registered(30, 4));
    const client = await connect(30);
    service.grant({ type: 'UserDeactivated', data: { userId: 30 } });
    await vi.waitFor(() => expect([client.ended, client.connected]).toEqual([true, false]));
  });
});

describe('a reconnected client', () => {
  it('receives the missed changes of its rooms', async () => {
    const client = await connect(READER);
    await join(client, 'data-set:1');
    const last = await project(
      { entity: 'instance', entityId: 1, dataSetIds: [1] },
      { entity: 'instance', entityId: 2, dataSetIds: [2] },
      { entity: 'instance', entityId: 1, dataSetIds: [1] },
    );
    await vi.waitFor(() => expect(receivedBy(client)).toEqual([last - 2, last]));
    const later = await connect(READER);
    await join(later, 'data-set:1');
    const answer = await requestSince(later, last - 3);
    expect([answer.complete, answer.seq, answer.changes.map((change) => change.seq)]).toEqual([
      true,
      last,
      [last - 2, last],
    ]);
    expect(await requestSince(later, last)).toEqual({ complete: true, changes: [], seq: last });
  });

  it('gets an incomplete answer after too many missed changes, or after a pruning of missed changes', async () => {
    const client = await connect(READER);
    await service.database.pool.query('DELETE FROM platform.live_changes WHERE seq < $1', [seq]);
    expect(await requestSince(client, 0)).toMatchObject({ complete: false, changes: [] });
    const start = seq;
    await project(...Array.from({ length: 1_001 }, () => ({ entity: 'reference-type' as const })));
    await join(client, 'types');
    await vi.waitFor(async () =>
      expect(await requestSince(client, start)).toMatchObject({ complete: false, seq: start + 1_001 }),
    );
    expect((await requestSince(client, start + 1)).changes).toHaveLength(1_000);
  });

  it('gets an incomplete answer if all changes were pruned', async () => {
    const client = await connect(READER);
    const { pool } = service.database;
    await pool.query('UPDATE platform.reader SET seq = $1', [seq]);
    await pool.query('DELETE FROM platform.live_changes');
    expect(await requestSince(client, seq - 1)).toEqual({ complete: false, changes: [], seq });
    expect(await requestSince(client, seq)).toEqual({ complete: true, changes: [], seq });
  });
});

describe('the live channel', () => {
  it('sends the ids of the users in a room to the clients in the room', async () => {
    const [reader, admin] = await Promise.all([connect(READER), connect(ADMIN)]);
    await join(reader, 'approvals');
    await join(admin, 'approvals');
    await vi.waitFor(() => expect(reader.present.at(-1)?.sort()).toEqual([ADMIN, READER]));
    admin.disconnect();
    await vi.waitFor(() => expect(reader.present.at(-1)).toEqual([READER]));
  });

  it('sends the ids of the users in the room of a batch to clients that may read the crosswalk', async () => {
    const [reader, admin] = await Promise.all([connect(READER), connect(ADMIN)]);
    const [batch, other] = ['crosswalk:1:0b7e', 'crosswalk:1:1c8f'];
    expect(await join(admin, other)).toMatchObject({ ok: true });
    expect(await join(reader, batch)).toMatchObject({ ok: true });
    await vi.waitFor(() => expect(reader.present.at(-1)).toEqual([READER]));
    expect(await join(admin, batch)).toMatchObject({ ok: true });
    await vi.waitFor(() => expect(reader.present.at(-1)?.sort()).toEqual([ADMIN, READER]));
    for (const room of ['crosswalk:99:0b7e', 'data-set:1:0b7e', `user:${READER}:0b7e`, 'crosswalk:1:not one']) {
      expect(await join(reader, room)).toMatchObject({ ok: false });
    }
  });

  it('sends the progress of a job, with the rows of its current phase', async () => {
    const client = await connect(READER);
    await join(client, 'job:1');
    await service.database.pool.query(
      `INSERT INTO jobs.progress (job_id, parent_job_id, phase, status, processed, total, counts, rate)
       VALUES (1, NULL, 'VALIDATION', 'IN_PROGRESS', 250, 1000, '{"failed": 3}', 100),
              (2, 1, 'VALIDATION', 'IN_PROGRESS', 250, 500, '{}', NULL), (3, 1, 'IMPORT', 'PENDING', 0, 500, '{}', NULL)`,
    );
    await service.database.pool.query(`SELECT pg_notify('jobs', json_build_object('jobId', 1)::text)`);
    await vi.waitFor(() =>
      expect(client.jobs).toEqual([
        {
          jobId: 1,
          status: 'IN_PROGRESS',
          progress: 25,
          processed: 250,
          total: 1000,
          workflowPhase: 'VALIDATION',
          phaseRows: { processed: 250, total: 500 },
          failed: 3,
          rate: 100,
          secondsLeft: 8,
        },
      ]),
    );
  });

  it('sends changes in order after the connection for PostgreSQL notifications is lost', async () => {
    const client = await connect(READER);
    await join(client, 'types');
    const { rows } = await service.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'query-api-listener'`,
    );
    expect(rows).toHaveLength(1);
    const last = await project({ entity: 'reference-type' }, { entity: 'reference-type' });
    await vi.waitFor(() => expect(receivedBy(client)).toEqual([last - 1, last]), { timeout: 5_000 });
  });

  it('disconnects a client that does not read', async () => {
    const stalled = new WebSocket(`${service.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
      headers: { Cookie: await service.signIn(READER), Origin: ORIGIN },
    });
    const waitForPacket = (start: string) =>
      new Promise<void>((resolve) => {
        stalled.on('message', (data) => String(data).startsWith(start) && resolve());
      });
    const opened = waitForPacket('0');
    await opened;
    const [connected, joined] = [waitForPacket('40'), waitForPacket('430')];
    stalled.send('40');
    await connected;
    stalled.send('420["join","types"]');
    await joined;
    expect((await service.get('/api/monitor', ADMIN)).body.clients).toBe(1);
    stalled.pause();
    const reader = await connect(READER);
    await join(reader, 'types');
    await service.database.pool.query(
      `INSERT INTO platform.live_changes (seq, position, type, entity, entity_id, count, command_id, data_set_ids)
       SELECT n, n, repeat('x', 2000), 'reference-type', 1, 1, 'c', '{}' FROM generate_series($1::bigint, $2::bigint) n`,
      [seq + 1, seq + 10_000],
    );
    seq += 10_000;
    await service.database.pool.query(`SELECT pg_notify('projected', '{}')`);
    await vi.waitFor(() => expect(reader.received.at(-1)?.seq).toBe(seq), { timeout: 60_000 });
    await vi.waitFor(async () => expect((await service.get('/api/monitor', ADMIN)).body.clients).toBe(1), {
      timeout: 60_000,
    });
    stalled.terminate();
  });
});
