/**
 * A table that is folded from events, a batch at a time. A versioned table also has the past versions of its rows, each
 * with the seq at which it ended.
 */
import type { DomainEvent } from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { insertRows, type Key, type TableOf, type TableShape, takeRows, type WriteContext } from './rows.ts';

/** Every row has the seq of the event that produced its current version. */
export interface Row {
  valid_from: number;
}

/** The result of a fold, to which `foldInto` adds `valid_from`. */
export type FoldedRow<R extends Row> = Omit<R, 'valid_from'>;

export type FoldedTable<R extends Row, E extends DomainEvent> = TableOf<R> & {
  /** Keys of the rows that an event touches. */
  touchedKeys(event: NumberedEvent<E>): readonly Key[];
  /** Whether an event only creates rows, so that no existing rows are read. */
  createsRows?(event: NumberedEvent<E>): boolean;
  /**
   * Returns the rows after the event, in the order of `touchedKeys`; undefined for a removed or missing row. Each row
   * is a new object, even if its content is unchanged, because `foldInto` sets `valid_from` on the row.
   */
  fold(event: NumberedEvent<E>, rows: readonly (R | undefined)[]): readonly (FoldedRow<R> | undefined)[];
};

/** One row before and after one event. */
export interface Change<R extends Row, E extends DomainEvent> {
  event: NumberedEvent<E>;
  before: R | undefined;
  after: R | undefined;
}

interface Entry<R extends Row> {
  current: R | undefined;
  /** The version that `takeRows` took from the table. In a versioned table, this version moved to the history. */
  stored: R | undefined;
}

/** Part of a batch: events, the entries that each event touches, and the keys of the rows to take from the table. */
interface Chunk<R extends Row, E extends DomainEvent> {
  events: { event: NumberedEvent<E>; touched: Entry<R>[] }[];
  keys: Key[];
  /** For each key, the seq of the first event that touches the row: this event ends the stored version. */
  validUntil: number[];
}

/** Approximate number of rows taken per query. The next rows are taken while the current ones are folded. */
const ROWS_PER_CHUNK = 2_000;

/** DDL of a table with its key and lookups and, if it is versioned, its history. `indexDdl` creates the `indexes`. */
export function tableDdl(schema: string, table: TableShape): string {
  const columns = Object.entries(table.columns).map(([column, type]) => `"${column}" ${type}`);
  const key = table.key.map((column) => `"${column}"`).join(', ');
  const name = `${schema}.${table.name}`;
  const statements = [
    `CREATE TABLE ${name} (${columns.join(', ')}, PRIMARY KEY (${key}))${
      table.partitionBy ? ` PARTITION BY LIST ("${table.partitionBy}")` : ''
    }`,
  ];
  for (const column of table.uncompressed ?? [])
    statements.push(`ALTER TABLE ${name} ALTER COLUMN "${column}" SET STORAGE EXTERNAL`);
  table.lookups?.forEach((lookup, number) => {
    statements.push(`CREATE INDEX ${table.name}_lookup_${number + 1} ON ${name} ${lookup}`);
  });
  if (table.partitionBy) {
    // The statistics list only the most frequent value: the planner expects that the other values share the remaining
    // rows equally. If all values were listed, the planner would expect one row for a value that is new since the last
    // ANALYZE, and would use nested loops for all rows of this value.
    statements.push(
      `CREATE TABLE ${name}_default PARTITION OF ${name} DEFAULT`,
      `ALTER TABLE ${name}_default ALTER COLUMN "${table.partitionBy}" SET STATISTICS 1`,
    );
  }
  if (table.versioned) {
    const list = Object.keys(table.columns).map((column) => `"${column}"`);
    statements.push(
      `CREATE TABLE ${name}_history (${columns.join(', ')}, valid_to bigint NOT NULL)`,
      `CREATE FUNCTION ${name}_as_of(seq bigint) RETURNS SETOF ${name} LANGUAGE sql STABLE AS $$
         SELECT ${list.join(', ')} FROM ${name} WHERE valid_from <= seq
         UNION ALL
         SELECT ${list.join(', ')} FROM ${name}_history WHERE valid_from <= seq AND valid_to > seq $$`,
    );
  }
  return statements.map((statement) => `${statement};\n`).join('');
}

/**
 * DDL of the secondary indexes. A build creates its indexes when it has most of its rows, because an update of the
 * indexes with each row would be slower.
 */
export function indexDdl(schema: string, table: TableShape): string {
  const { name, key, versioned, indexes = [], lookups = [] } = table;
  const create = (kind: string, index: string, on: string) =>
    `CREATE ${kind} IF NOT EXISTS ${index} ON ${schema}.${on};\n`;
  const historyKey = [...key, 'valid_from'].map((column) => `"${column}"`).join(', ');
  return [
    // Lookups that were added after the table was created.
    ...lookups.map((lookup, number) => create('INDEX', `${name}_lookup_${number + 1}`, `${name} ${lookup}`)),
    ...indexes.map((index, number) => create('INDEX', `${name}_${number + 1}`, `${name} ${index}`)),
    ...(versioned ? [create('UNIQUE INDEX', `${name}_past`, `${name}_history (${historyKey})`)] : []),
  ].join('');
}

/** Folds events into the table and returns every change, in the order of the events. */
export async function foldInto<R extends Row, E extends DomainEvent>(
  context: WriteContext,
  table: FoldedTable<R, E>,
  events: readonly NumberedEvent<E>[],
): Promise<Change<R, E>[]> {
  // If all events only create rows, no stored row is needed.
  if (table.createsRows !== undefined && events.every(table.createsRows)) return insertCreated(context, table, events);
  const { chunks, entries } = splitIntoChunks(table, events);
  const changes: Change<R, E>[] = [];
  const history: (R & { valid_to: number })[] = [];
  const take = (chunk: Chunk<R, E> | undefined) =>
    takeRows<R>(context, table, chunk?.keys ?? [], chunk?.validUntil ?? []);
  let pendingRows = take(chunks[0]);
  for (const [index, chunk] of chunks.entries()) {
    const rows = await pendingRows;
    pendingRows = take(chunks[index + 1]);
    // If the fold throws, nothing awaits this promise: its rejection must not count as unhandled.
    pendingRows.catch(() => undefined);
    for (const row of rows) {
      const entry = entries.get(keyText(table.key.map((column) => row[column as keyof R] as number | string)));
      if (entry) entry.current = entry.stored = row;
    }
    foldChunk(table, chunk, changes, history);
  }
  const current = [...entries.values()].flatMap((entry) => entry.current ?? []);
  await insertRows(context, table.name, table.columns, current);
  if (table.versioned)
    await insertRows(context, `${table.name}_history`, { ...table.columns, valid_to: 'bigint' }, history);
  return changes;
}

/** Sets the seq of the event on a folded row. */
function versionOf<R extends Row>(folded: FoldedRow<R>, seq: number): R {
  const version = folded as R;
  version.valid_from = seq;
  return version;
}

const keyText = (key: Key): string => key.join(' ');

/** Splits the events of a batch into chunks; each chunk takes the rows that no earlier chunk touches. */
function splitIntoChunks<R extends Row, E extends DomainEvent>(
  table: FoldedTable<R, E>,
  events: readonly NumberedEvent<E>[],
): { chunks: Chunk<R, E>[]; entries: Map<string, Entry<R>> } {
  const entries = new Map<string, Entry<R>>();
  const chunks: Chunk<R, E>[] = [];
  let chunk: Chunk<R, E> | undefined;
  for (const event of events) {
    if (!chunk || chunk.keys.length >= ROWS_PER_CHUNK) {
      chunk = { events: [], keys: [], validUntil: [] };
      chunks.push(chunk);
    }
    const isNew = table.createsRows?.(event) ?? false;
    const touched: Entry<R>[] = [];
    for (const key of table.touchedKeys(event)) {
      const name = keyText(key);
      let entry = entries.get(name);
      if (!entry) {
        entry = { current: undefined, stored: undefined };
        entries.set(name, entry);
        if (!isNew) {
          chunk.keys.push(key);
          chunk.validUntil.push(event.seq);
        }
      }
      touched.push(entry);
    }
    chunk.events.push({ event, touched });
  }
  return { chunks, entries };
}

function foldChunk<R extends Row, E extends DomainEvent>(
  table: FoldedTable<R, E>,
  { events }: Chunk<R, E>,
  changes: Change<R, E>[],
  history: (R & { valid_to: number })[],
): void {
  for (const { event, touched } of events) {
    if (touched.length === 0) continue;
    const rows = table.fold(
      event,
      touched.map((entry) => entry.current),
    );
    touched.forEach((entry, index) => {
      const before = entry.current;
      const folded = rows[index];
      if (before === undefined && folded === undefined) return;
      const after = folded && versionOf<R>(folded, event.seq);
      if (before && table.versioned && before !== entry.stored) history.push({ ...before, valid_to: event.seq });
      entry.current = after;
      changes.push({ event, before, after });
    });
  }
}

async function insertCreated<R extends Row, E extends DomainEvent>(
  context: WriteContext,
  table: FoldedTable<R, E>,
  events: readonly NumberedEvent<E>[],
): Promise<Change<R, E>[]> {
  const changes: Change<R, E>[] = [];
  const created: R[] = [];
  for (const event of events) {
    for (const folded of table.fold(event, [])) {
      if (folded === undefined) continue;
      const after = versionOf<R>(folded, event.seq);
      created.push(after);
      changes.push({ event, before: undefined, after });
    }
  }
  await insertRows(context, table.name, table.columns, created);
  return changes;
}

/** Wraps a fold of events that touch one row each. */
export const foldOne =
  <R extends Row, E extends DomainEvent>(
    evolve: (row: R | undefined, event: NumberedEvent<E>) => FoldedRow<R> | undefined,
  ) =>
  (event: NumberedEvent<E>, [row]: readonly (R | undefined)[]) => [evolve(row, event)];
