/**
 * Test environment of the import worker: a database, an event store, and workers in this process that can be stopped.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobSlots } from '@rdm/command-api/bulk/job-slots';
import { beginStaging, completeStaging, stagePiece } from '@rdm/command-api/file-imports/staged-files';
import { bootstrap } from '@rdm/command-api/identity/bootstrap';
import { cancel, retry, start } from '@rdm/command-api/imports/commands';
import type { ImportContext } from '@rdm/command-api/imports/job/run';
import { startImportWorker } from '@rdm/command-api/imports/job/worker';
import { Commands } from '@rdm/command-api/runtime/commands';
import { Streams } from '@rdm/command-api/runtime/streams';
import {
  type DataType,
  emptyInstanceBucket,
  evolveInstances,
  type ImportCounts,
  type ImportJobEvent,
  type InstanceEvent,
  type InstanceRow,
  type StagedFileView,
  type StartImport,
  streams,
} from '@rdm/contracts';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { type RunningPostgres, startPostgres } from '@rdm/embedded/postgres/postgres';
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

const ADMIN = 1;
/** The access that the routes of imports declare. */
const NEEDS = { level: 'WRITE' } as const;
const REQUESTER = {
  actorId: ADMIN,
  needs: NEEDS,
  requestId: 'story',
  correlationId: 'story',
  sourceType: 'API' as const,
};
const log = createLog('imports', process.env['VERBOSE'] ? 'debug' : 'silent');

/** The fields of the type, with the ids 1, 2, 3 and so on. The first field is the key. */
export type Fields = readonly (readonly [name: string, dataType: DataType])[];

export interface ImportEnvironment {
  readonly pool: Pool;
  readonly store: EventStore;
  /** Starts and wakes a worker with its own caches, like a worker in another process. */
  worker(overrides?: { pool?: Pool; store?: EventStore }): JobSlots;
  dataSet(fields: Fields): Promise<number>;
  stage(dataSetId: number, content: string | Buffer, fields: Fields): Promise<StagedFileView>;
  begin(file: StagedFileView, options?: Partial<StartImport>): Promise<number>;
  cancel(jobId: number): Promise<void>;
  retry(jobId: number): Promise<void>;
  /** Waits for the next progress report. With each report, a worker also checks for a cancellation. */
  waitForProgressReport(jobId: number): Promise<void>;
  /** Appends an event of another writer at the end of the stream. */
  appendEvent(stream: string, type: string, data: unknown): Promise<void>;
  /** Waits until the job has ended and its lease is released. */
  waitForEnd(jobId: number): Promise<{ status: string; counts: ImportCounts }>;
  jobEvents(jobId: number): Promise<ImportJobEvent[]>;
  /** Returns the line and the broken rule of each rejected row, in the order of the file. */
  rejected(jobId: number): Promise<[line: number, rule: string][]>;
  /** Returns the current rows of a data set from the log, and the number of rows that imports added. */
  rows(dataSetId: number): Promise<{ rows: InstanceRow[]; added: number }>;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 50_000; !(await condition()); ) {
    if (Date.now() > end) throw new Error('The condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function useImportEnvironment(): ImportEnvironment {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-imports-'));
  let server: RunningPostgres;
  let storeProcess: EventStoreProcess;
  let pool: Pool;
  let store: EventStore;
  let commands: Commands;
  let nextId = 0;
  const workers = new Set<JobSlots>();

  beforeAll(async () => {
    server = await startPostgres({ dir: join(directory, 'postgres'), log: () => undefined });
    storeProcess = await startEventStoreProcess({ dir: join(directory, 'events'), output: 'ignore' });
    await migrate(server.url);
    pool = createPool(server.url, { max: 16 });
    store = connectEventStore(storeProcess.url);
    const rules = { minLength: 10, specialCharacter: true };
    await bootstrap(pool, store, log, 'Imports-admin-1', rules);
    commands = new Commands({ ...newContext(), secret: 'imports' });
    commands.register([start, cancel, retry] as never[]);
  });
  afterEach(async () => {
    for (const worker of workers) await worker.stop();
    workers.clear();
  });
  afterAll(async () => {
    await store?.close();
    await pool?.end();
    await storeProcess?.stop();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const newContext = (over: { pool?: Pool; store?: EventStore } = {}): ImportContext => {
    const dependencies = { pool, store, ...over };
    return {
      ...dependencies,
      streams: new Streams(dependencies.store),
      keyStates: new Streams(dependencies.store),
      access: openAccess(dependencies.store),
      log,
      now: () => new Date(),
    };
  };

  const appendNext = async (stream: string, type: string, data: unknown) => {
    const metadata = {
      $correlationId: 'test',
      $causationId: randomUUID(),
      actorId: ADMIN,
      requestId: 'test',
      sourceType: 'SYSTEM' as const,
      occurredAt: new Date().toISOString(),
      dataSetIds: [],
    };
    const tail = await store.tail(stream);
    await store.append(stream, [{ id: randomUUID(), type, data, metadata }], tail?.revision ?? 'NO_STREAM');
  };

  const runCommand = async (definition: typeof cancel | typeof retry, jobId: number) => {
    await commands.runAs(definition, randomUUID(), { jobId }, { ...REQUESTER, requestId: definition.name });
  };

  return {
    get pool() {
      return pool;
    },
    get store() {
      return store;
    },
    worker(over = {}) {
      const worker = startImportWorker(newContext(over));
      workers.add(worker);
      worker.wake();
      return worker;
    },
    appendEvent: appendNext,
    cancel: (jobId) => runCommand(cancel, jobId),
    retry: (jobId) => runCommand(retry, jobId),
    async dataSet(fields) {
      const id = ++nextId;
      await appendNext(streams.referenceType(id), 'ReferenceTypeDefined', {
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
      await appendNext(streams.dataSet(id), 'DataSetCreated', {
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
    async begin(file, options = {}) {
      const answer = await commands.runAs(
        start,
        randomUUID(),
        { fileId: file.id, body: { description: 'Story', mode: 'insert', allOrNothing: false, ...options } },
        REQUESTER,
      );
      for (const worker of workers) worker.wake();
      return (answer.body as { jobId: number }).jobId;
    },
    async waitForEnd(jobId) {
      let row: { status: string; counts: ImportCounts; ended_at: string | null; leased_by: string | null } | undefined;
      await until(async () => {
        const { rows } = await pool.query('SELECT * FROM jobs.progress WHERE job_id = $1', [jobId]);
        row = rows[0];
        return row?.ended_at != null && row.leased_by === null;
      });
      return row as NonNullable<typeof row>;
    },
    async waitForProgressReport(jobId) {
      const { rows } = await pool.query('SELECT clock_timestamp()::text AS now');
      await until(async () => {
        const updated = await pool.query(
          'SELECT FROM jobs.progress WHERE job_id = $1 AND updated_at > $2::timestamptz',
          [jobId, rows[0].now],
        );
        return updated.rowCount === 1;
      });
    },
    async jobEvents(jobId) {
      const events: ImportJobEvent[] = [];
      for await (const { type, data } of store.read(streams.importJob(jobId))) {
        events.push({ type, data } as ImportJobEvent);
      }
      return events;
    },
    async rejected(jobId) {
      const { rows } = await pool.query(
        `SELECT record_index, error_type FROM jobs.logs WHERE record_index IS NOT NULL
            AND job_id IN (SELECT job_id FROM jobs.progress WHERE parent_job_id = $1) ORDER BY record_index, error_type`,
        [jobId],
      );
      return rows.map((row) => [row.record_index, row.error_type]);
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
      return { rows: rows.filter((row) => !row.removed), added };
    },
  };
}
