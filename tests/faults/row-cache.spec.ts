/** Tests that commands decide with cached rows as with the whole stream, despite concurrent writers and lost caches. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addInstances, changeInstances, removeInstances, restoreInstances } from '@rdm/command-api/data-sets/instances';
import type { AppendStamp, DecidedStep } from '@rdm/command-api/runtime/append-stamp';
import { Commands, command } from '@rdm/command-api/runtime/commands';
import { RowCache, type RowLookup } from '@rdm/command-api/runtime/row-cache';
import { kinds } from '@rdm/command-api/runtime/stream-kinds';
import { Streams } from '@rdm/command-api/runtime/streams';
import {
  canonicalKey,
  emptyInstanceBucket,
  evolveInstances,
  type InstanceBucket,
  type InstanceEvent,
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
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const log = createLog('row cache', process.env['VERBOSE'] ? 'debug' : 'silent');
const directory = mkdtempSync(join(tmpdir(), 'rdm-row-cache-'));
/** The rows of a stream are cached from its third event on. */
const CACHE_THRESHOLD = { revision: 2, bytes: Number.POSITIVE_INFINITY };
const SCHEMA = { schemaRevision: 1, keyFieldIds: [1] };

let server: RunningPostgres;
let events: EventStoreProcess;
let pool: Pool;
let store: EventStore;

beforeAll(async () => {
  server = await startPostgres({ dir: join(directory, 'postgres'), log: () => undefined });
  events = await startEventStoreProcess({ dir: join(directory, 'events'), output: 'ignore' });
  await migrate(server.url);
  pool = createPool(server.url, { max: 8 });
  store = connectEventStore(events.url);
});
afterAll(async () => {
  await store?.close();
  await pool?.end();
  await events?.stop();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the streams of a new process that uses the cache. */
const cachingStreams = (from: EventStore = store) =>
  new Streams(from, { rowCache: new RowCache(pool, log, CACHE_THRESHOLD) });

function newStamp(over: Partial<AppendStamp> = {}): AppendStamp {
  const command = randomUUID();
  const ids = [randomUUID(), randomUUID()];
  return {
    eventId: (index) => ids[index] as string,
    metadata: {
      $correlationId: 'spec',
      $causationId: command,
      actorId: 1,
      requestId: 'spec',
      sourceType: 'API',
      dataSetIds: [1],
    },
    now: () => new Date(),
    beforeAppend: async () => undefined,
    previousExpected: undefined,
    ...over,
  };
}

let streamCount = 0;
const newStream = () => `instances-${++streamCount}.0`;

async function readWholeStream(stream: string): Promise<InstanceBucket> {
  const state = emptyInstanceBucket();
  for await (const event of store.read(stream)) evolveInstances(state, event as unknown as InstanceEvent);
  return state;
}

type Decide = (state: InstanceBucket) => ReturnType<typeof addInstances>;
interface Change {
  decide: Decide;
  touched: RowLookup;
}

const addRows = (keys: readonly string[], sequence: number): Change => ({
  decide: (state) =>
    addInstances(
      state,
      keys.map((key, index) => ({ index, sequence: sequence + index, values: { 1: key } })),
      SCHEMA,
    ),
  touched: { keys: keys.map((key) => canonicalKey([key])) },
});
const changeRows = (rows: readonly { id: number; revision: number }[], cell: string): Change => ({
  decide: (state) =>
    changeInstances(
      state,
      rows.map((row) => ({ ...row, values: { 2: cell } })),
      SCHEMA,
    ),
  touched: { ids: rows.map(({ id }) => id) },
});
const removeOrRestoreRows = (
  rows: readonly { id: number; revision: number }[],
  operation: typeof removeInstances,
): Change => ({
  decide: (state) => operation(state, rows),
  touched: { ids: rows.map(({ id }) => id) },
});

/**
 * A command on the rows with these keys. The expected revisions are too old by `staleBy`. `by` is the process that runs
 * the command, and `lossBefore` is the loss of cached rows before the command.
 */
const action = fc.record({
  verb: fc.constantFrom('add', 'change', 'remove', 'restore'),
  keys: fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'), { minLength: 1, maxLength: 4 }),
  staleBy: fc.constantFrom(0, 0, 0, 1),
  by: fc.constantFrom('one', 'other', 'whole'),
  lossBefore: fc.constantFrom('nothing', 'nothing', 'nothing', 'forget', 'restart'),
});

describe('cached rows of long streams', () => {
  it('give the same decisions as the whole stream, in any process and after any loss', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 25 }), async (actions) => {
        const stream = newStream();
        const processes = { one: cachingStreams(), other: cachingStreams(), whole: new Streams(store) };
        let sequence = 1;
        for (const { verb, keys, staleBy, by, lossBefore } of actions) {
          if (lossBefore === 'forget') await new RowCache(pool, log).evict(stream);
          if (lossBefore === 'restart') processes.one = cachingStreams();
          const before = await readWholeStream(stream);
          const rows = [...before.rows.values()]
            .filter(({ key }) => keys.some((each) => canonicalKey([each]) === key))
            .map(({ id, revision }) => ({ id, revision: revision - staleBy }));
          const { decide, touched } =
            verb === 'add'
              ? addRows(keys, sequence)
              : verb === 'change'
                ? changeRows(rows, `cell ${sequence}`)
                : removeOrRestoreRows(rows, verb === 'remove' ? removeInstances : restoreInstances);
          sequence += keys.length;
          const lookup = by === 'whole' ? undefined : touched;
          const { result } = await processes[by].change(kinds.instances, stream, newStamp(), decide, lookup);
          expect(result).toEqual(decide(before).result);
        }
        const { rows, ids } = await readWholeStream(stream);
        const touched = { ids: [...rows.keys()], keys: [...ids.keys()] };
        for (const each of [processes.one, processes.other, cachingStreams()]) {
          const { state } = await each.load(kinds.instances, stream, touched);
          expect(state.rows).toEqual(rows);
          expect(state.ids).toEqual(ids);
        }
      }),
      { numRuns: process.env['FAULTS'] === 'long' ? 300 : 25 },
    );
  });

  it('accept each key once when two processes add the same keys at the same time', async () => {
    const stream = newStream();
    const processes = [cachingStreams(), cachingStreams()] as const;
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const results = await Promise.all(
      keys.flatMap((key, index) =>
        processes.map((each, process) => {
          const { decide, touched } = addRows([key], 100 * (process + 1) + index);
          return each.change(kinds.instances, stream, newStamp(), decide, touched);
        }),
      ),
    );
    expect(results.flatMap(({ result }) => result).filter(({ outcome }) => outcome === 'done')).toHaveLength(
      keys.length,
    );
    expect((await readWholeStream(stream)).ids.size).toBe(keys.length);
  });

  /** Creates a store that counts the events that are read from it. */
  function createCountingStore() {
    let eventsRead = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name !== 'read') return typeof value === 'function' ? value.bind(target) : value;
        return async function* (...args: Parameters<EventStore['read']>) {
          for await (const event of target.read(...args)) {
            eventsRead += 1;
            yield event;
          }
        };
      },
    });
    return { store: counting, eventsRead: () => eventsRead };
  }

  async function createLongStream(length: number) {
    const stream = newStream();
    const first = cachingStreams();
    for (let index = 0; index < length; index++) {
      const { decide, touched } = addRows([`row ${index}`], index + 1);
      await first.change(kinds.instances, stream, newStamp(), decide, touched);
    }
    return stream;
  }

  it('let commands of a new process run without reading the whole stream', async () => {
    const stream = await createLongStream(40);
    const { store: counting, eventsRead } = createCountingStore();
    const fresh = cachingStreams(counting);
    const add = addRows(['new'], 100);
    const { result } = await fresh.change(kinds.instances, stream, newStamp(), add.decide, add.touched);
    const id = result[0]?.id as number;
    const change = changeRows([{ id, revision: 1 }], 'changed');
    await fresh.change(kinds.instances, stream, newStamp(), change.decide, change.touched);
    const refused = await fresh.change(kinds.instances, stream, newStamp(), change.decide, change.touched);
    expect(refused.result).toMatchObject([{ outcome: 'refused', code: 'STALE' }]);
    // Another process without a cache writes in the meantime.
    const meanwhile = addRows(['meanwhile'], 200);
    await new Streams(store).change(kinds.instances, stream, newStamp(), meanwhile.decide);
    const again = changeRows([{ id, revision: 2 }], 'changed again');
    await fresh.change(kinds.instances, stream, newStamp(), again.decide, again.touched);
    expect((await readWholeStream(stream)).rows.get(id)?.values).toEqual({ 1: 'new', 2: 'changed again' });
    expect(eventsRead()).toBeLessThanOrEqual(5);
  });

  it('let a repeated command return its first result without reading the whole stream', async () => {
    const stream = await createLongStream(40);
    let storedStep: { expected: number; decided: DecidedStep | undefined } | undefined;
    const first = newStamp({
      beforeAppend: async (expected, decided) => {
        storedStep = { expected, decided };
      },
    });
    const { decide, touched } = addRows(['new', 'row 1'], 100);
    const firstAnswer = await cachingStreams().change(kinds.instances, stream, first, decide, touched);
    expect(firstAnswer.result.map(({ outcome }) => outcome)).toEqual(['done', 'refused']);
    const later = addRows(['later'], 200);
    await cachingStreams().change(kinds.instances, stream, newStamp(), later.decide, later.touched);
    const { store: counting, eventsRead } = createCountingStore();
    const repeated = await cachingStreams(counting).change(
      kinds.instances,
      stream,
      { ...first, previousExpected: storedStep?.expected, previousDecision: storedStep?.decided },
      decide,
      touched,
    );
    expect(repeated.result).toEqual(firstAnswer.result);
    expect([repeated.revision, repeated.position]).toEqual([firstAnswer.revision, firstAnswer.position]);
    expect(eventsRead()).toBeLessThanOrEqual(3);
    expect((await readWholeStream(stream)).ids.size).toBe(42);
  });

  it('let a command resume after its append without reading the whole stream', async () => {
    const stream = await createLongStream(40);
    const { store: counting, eventsRead } = createCountingStore();
    let isCut = true;
    const add = command<{ keys: string[] }>('AddForSpec', async (x, { keys }) => {
      const { decide, touched } = addRows(keys, 100);
      const results = await x.change(kinds.instances, stream, [], decide, touched);
      if (isCut) throw new Error('The process ends here');
      return { body: { results } };
    });
    const run = () => {
      const dependencies = {
        pool,
        streams: cachingStreams(counting),
        access: openAccess(store),
        log,
        now: () => new Date(),
      };
      const commands = new Commands({ ...dependencies, secret: 'spec' });
      const by = { actorId: null, requestId: 'spec', correlationId: 'spec', sourceType: 'SYSTEM' as const };
      return commands.runAs(add, 'cut short', { keys: ['new', 'row 1'] }, by);
    };
    await expect(run()).rejects.toThrow('ends here');
    const readDecidedSteps = () => pool.query('SELECT FROM command.decided_steps');
    expect((await readDecidedSteps()).rowCount).toBe(1);
    isCut = false;
    const { body } = await run();
    expect(body).toMatchObject({ results: [{ outcome: 'done' }, { outcome: 'refused', code: 'DUPLICATE_KEY' }] });
    expect((await readDecidedSteps()).rowCount).toBe(0);
    expect(eventsRead()).toBeLessThanOrEqual(4);
    expect((await readWholeStream(stream)).ids.size).toBe(41);
  });

  it('are not used when they are ahead of the log', async () => {
    const stream = await createLongStream(5);
    await pool.query('UPDATE cache.streams SET revision = revision + 3 WHERE stream = $1', [stream]);
    const { decide, touched } = addRows(['new'], 100);
    const { result } = await cachingStreams().change(kinds.instances, stream, newStamp(), decide, touched);
    expect(result).toMatchObject([{ outcome: 'done' }]);
    expect((await readWholeStream(stream)).ids.size).toBe(6);
  });

  it('make no command fail if the database refuses to store the rows', async () => {
    const stream = await createLongStream(5);
    await pool.query('ALTER TABLE cache.rows ADD CONSTRAINT none CHECK (id IS NULL) NOT VALID');
    try {
      const { decide, touched } = addRows(['new'], 100);
      const { result } = await cachingStreams().change(kinds.instances, stream, newStamp(), decide, touched);
      expect(result).toMatchObject([{ outcome: 'done' }]);
    } finally {
      await pool.query('ALTER TABLE cache.rows DROP CONSTRAINT none');
    }
    const { decide, touched } = addRows(['newer'], 200);
    await cachingStreams().change(kinds.instances, stream, newStamp(), decide, touched);
    expect((await readWholeStream(stream)).ids.size).toBe(7);
  });
});
