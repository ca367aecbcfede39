/** What stories of the import worker stand on: a database, an event store, and workers in this process that can be dropped. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Commands } from '@rdm/command-api/commands';
import { bootstrap } from '@rdm/command-api/identity/bootstrap';
import { start } from '@rdm/command-api/imports/commands';
import type { ImportFloor } from '@rdm/command-api/imports/run';
import { beginStaging, completeStaging, stagePiece } from '@rdm/command-api/imports/staged-files';
import { type ImportWorker, startImportWorker } from '@rdm/command-api/imports/worker';
import { Streams } from '@rdm/command-api/streams';
import {
  type DataType,
  emptyInstanceBucket,
  evolveInstances,
  type ImportJobEvent,
  type InstanceEvent,
  type InstanceRow,
  type StagedFileView,
  type StartImport,
  streams,
} from '@rdm/contracts';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { type RunningPostgres, startPostgres } from '@rdm/embedded/postgres';
import {
  connectEventStore,
  createLog,
  createPool,
  type EventStore,
  migrate,
  openAccess,
  type Pool,
} from '@rdm/platform';
import { afterAll, afterEach, beforeAll } from 'vitest';

export const ADMIN = 1;
const log = createLog('imports', process.env['VERBOSE'] ? 'debug' : 'silent');

/** Fields 1, 2, … of the data set's type; the first is its key. */
export type Fields = readonly (readonly [name: string, dataType: DataType])[];

export interface Stand {
  readonly pool: Pool;
  readonly store: EventStore;
  /** A worker with a connection of its own. */
  worker(over?: Partial<ImportFloor>): ImportWorker;
  floor(): ImportFloor;
  dataSet(fields: Fields): Promise<number>;
  stage(dataSetId: number, content: string | Buffer, fields: Fields): Promise<StagedFileView>;
  begin(file: StagedFileView, how?: Partial<StartImport>): Promise<number>;
  /** Waits for the job's end. */
  ended(jobId: number): Promise<{ status: string; counts: Record<string, number> }>;
  jobEvents(jobId: number): Promise<ImportJobEvent[]>;
  /** The rows of a data set as the log has them, and how many additions it holds. */
  rows(dataSetId: number): Promise<{ rows: InstanceRow[]; added: number; fields: (row: InstanceRow) => unknown[] }>;
}

export function useStand(): Stand {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-imports-'));
  let server: RunningPostgres;
  let process_: EventStoreProcess;
  let pool: Pool;
  let store: EventStore;
  let commands: Commands;
  let floor: ImportFloor;
  let nextId = 0;
  const workers = new Set<ImportWorker>();

  beforeAll(async () => {
    server = await startPostgres({ dir: join(directory, 'postgres'), log: () => undefined });
    process_ = await startEventStoreProcess({ dir: join(directory, 'events'), output: 'ignore' });
    await migrate(server.url);
    pool = createPool(server.url, { max: 16 });
    store = connectEventStore(process_.url);
    const rules = { minLength: 10, specialCharacter: true };
    await bootstrap(pool, store, log, 'Imports-admin-1', rules);
    floor = newFloor();
    commands = new Commands({ ...floor, secret: 'imports' });
    commands.register([start as never]);
  });
  afterEach(async () => {
    for (const worker of workers) await worker.stop();
    workers.clear();
  });
  afterAll(async () => {
    await store?.close();
    await pool?.end();
    await process_?.stop();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Caches of its own, as another process has. */
  const newFloor = (): ImportFloor => ({
    pool,
    store,
    streams: new Streams(store),
    keys: new Streams(store),
    access: openAccess(store),
    log,
    now: () => new Date(),
  });

  const append = (stream: string, type: string, data: unknown) =>
    store.append(
      stream,
      [
        {
          id: randomUUID(),
          type,
          data,
          metadata: {
            $correlationId: 'stand',
            $causationId: randomUUID(),
            actorId: ADMIN,
            requestId: 'stand',
            sourceType: 'SYSTEM',
            occurredAt: new Date().toISOString(),
            dataSetIds: [],
          },
        },
      ],
      'NO_STREAM',
    );

  return {
    get pool() {
      return pool;
    },
    get store() {
      return store;
    },
    worker(over = {}) {
      const worker = startImportWorker({ ...newFloor(), ...over });
      workers.add(worker);
      return worker;
    },
    floor: () => floor,
    async dataSet(fields) {
      const id = ++nextId;
      await append(streams.referenceType(id), 'ReferenceTypeDefined', {
        id,
        name: `Type ${id}`,
        description: '',
        fields: fields.map(([name, dataType], index) => ({
          fieldId: index + 1,
          name,
          dataType,
          isPrimaryKey: index === 0,
        })),
      });
      await append(streams.dataSet(id), 'DataSetCreated', {
        id,
        name: `Data set ${id}`,
        description: '',
        typeId: id,
        keyFieldIds: [1],
      });
      return id;
    },
    async stage(dataSetId, content, fields) {
      const bytes = Buffer.from(content);
      const view: StagedFileView = {
        id: randomUUID(),
        dataSetId,
        fileName: 'rows.csv',
        size: bytes.length,
        hash: '',
        format: 'csv',
        delimiter: ',',
        encoding: 'utf-8',
        hasHeader: true,
        columns: fields.map(([name]) => name),
        suggestedColumns: Object.fromEntries(fields.map(([name], index) => [name, index + 1])),
        sample: [],
      };
      await beginStaging(pool, view.id, ADMIN, view.fileName);
      const PIECE = 1024 * 1024;
      for (let number = 0; number * PIECE < bytes.length; number++) {
        await stagePiece(pool, view.id, number, bytes.subarray(number * PIECE, (number + 1) * PIECE));
      }
      return completeStaging(pool, randomUUID(), view);
    },
    async begin(file, how = {}) {
      const answer = await commands.runAs(
        start,
        randomUUID(),
        { fileId: file.id, body: { description: 'Story', mode: 'insert', allOrNothing: false, ...how } },
        { actorId: ADMIN, requestId: 'story', correlationId: randomUUID(), sourceType: 'API' },
      );
      return (answer.body as { jobId: number }).jobId;
    },
    async ended(jobId) {
      for (const until = Date.now() + 50_000; ; ) {
        const { rows } = await pool.query('SELECT * FROM jobs.progress WHERE job_id = $1', [jobId]);
        if (rows[0]?.ended_at) return rows[0];
        if (Date.now() > until) throw new Error(`Job ${jobId} has not ended: ${JSON.stringify(rows[0])}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async jobEvents(jobId) {
      const events: ImportJobEvent[] = [];
      for await (const { type, data } of store.read(streams.importJob(jobId))) {
        events.push({ type, data } as ImportJobEvent);
      }
      return events;
    },
    async rows(dataSetId) {
      const rows: InstanceRow[] = [];
      let added = 0;
      for (let bucket = 0; bucket < 64; bucket++) {
        const state = emptyInstanceBucket();
        for await (const event of store.read(streams.instances(dataSetId, bucket))) {
          evolveInstances(state, event as unknown as InstanceEvent);
          if (event.type === 'InstancesImported') added += (event.data as { rows: unknown[] }).rows.length;
        }
        rows.push(...state.rows.values());
      }
      const fields = (row: InstanceRow) => Object.values(row.values);
      return { rows: rows.filter((row) => !row.removed), added, fields };
    },
  };
}
