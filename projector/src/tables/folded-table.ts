/** A table that is folded from events, a batch at a time; a versioned one keeps what was true before, and until when. */
import type { DomainEvent } from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { insertRows, type Key, type TableOf, type TableShape, takeRows, type WriteContext } from './rows.ts';

/** Every row says which event made it what it is. */
export interface Row {
  valid_from: number;
}

/** What a fold answers; `valid_from` is filled in. */
export type FoldedRow<R extends Row> = Omit<R, 'valid_from'>;

export type FoldedTable<R extends Row, E extends DomainEvent> = TableOf<R> & {
  /** Keys of the rows that an event touches. */
  touchedKeys(event: NumberedEvent<E>): readonly Key[];
  /** Whether its rows are new by their nature, so that nobody need look for them. */
  createsRows?(event: NumberedEvent<E>): boolean;
  /**
   * The rows after the event, in the order of `touches`: undefined for one that is gone or never was. Each answer is a
   * new version and an object of its own, also where it says the same.
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
  /** The version that the table held: it is in the history already. */
  held: R | undefined;
}

/** Some events of a batch, with the entries that each touches, and the rows to be taken out of the table for them. */
interface Chunk<R extends Row, E extends DomainEvent> {
  events: { event: NumberedEvent<E>; touched: Entry<R>[] }[];
  keys: Key[];
  /** The first event to touch each of them, which ends its version. */
  validUntil: number[];
}

/** About so many rows are taken at once: while the table gives up the next, those before are folded. */
const ROWS_PER_CHUNK = 2_000;

/** A table with its key and its lookups; its other indexes are made once rows are there (`buildIndexDdl`). */
export function tableDdl(schema: string, table: TableShape): string {
  const columns = Object.entries(table.columns).map(([column, type]) => `"${column}" ${type}`);
  const key = table.key.map((column) => `"${column}"`).join(', ');
  const name = `${schema}.${table.name}`;
  const statements = [
    `CREATE TABLE ${name} (${columns.join(', ')}, PRIMARY KEY (${key}))${
      table.partitionBy ? ` PARTITION BY LIST ("${table.partitionBy}")` : ''
    }`,
  ];
  table.lookups?.forEach((lookup, number) => {
    statements.push(`CREATE INDEX ${table.name}_lookup_${number + 1} ON ${name} ${lookup}`);
  });
  if (table.partitionBy) statements.push(`CREATE TABLE ${name}_default PARTITION OF ${name} DEFAULT`);
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

/** Secondary indexes; made once a build has its rows, which is faster than keeping them up meanwhile. */
export function indexDdl(schema: string, table: TableShape): string {
  const { name, key, versioned, indexes = [], lookups = [] } = table;
  const create = (kind: string, index: string, on: string) =>
    `CREATE ${kind} IF NOT EXISTS ${index} ON ${schema}.${on};\n`;
  const history = [...key, 'valid_from'].map((column) => `"${column}"`).join(', ');
  return [
    // Those that a table was begun without.
    ...lookups.map((lookup, number) => create('INDEX', `${name}_lookup_${number + 1}`, `${name} ${lookup}`)),
    ...indexes.map((index, number) => create('INDEX', `${name}_${number + 1}`, `${name} ${index}`)),
    ...(versioned ? [create('UNIQUE INDEX', `${name}_past`, `${name}_history (${history})`)] : []),
  ].join('');
}

/** Folds the events into the table and answers every change, in the order of the events. */
export async function foldInto<R extends Row, E extends DomainEvent>(
  writing: WriteContext,
  table: FoldedTable<R, E>,
  events: readonly NumberedEvent<E>[],
): Promise<Change<R, E>[]> {
  // Imports are nothing but new rows: there is nothing to look for, and nothing to remember within the batch.
  if (table.createsRows !== undefined && events.every(table.createsRows)) return insertCreated(writing, table, events);
  const { pieces: chunks, entries } = splitIntoChunks(table, events);
  const changes: Change<R, E>[] = [];
  const past: (R & { valid_to: number })[] = [];
  const take = (chunk: Chunk<R, E> | undefined) => takeRows<R>(writing, table, chunk?.keys ?? [], chunk?.validUntil ?? []);
  let pendingRows = take(chunks[0]);
  for (const [index, piece] of chunks.entries()) {
    const rows = await pendingRows;
    pendingRows = take(chunks[index + 1]);
    // A fold that throws leaves it to itself.
    pendingRows.catch(() => undefined);
    for (const row of rows) {
      const entry = entries.get(keyText(table.key.map((column) => row[column as keyof R] as number | string)));
      if (entry) entry.current = entry.held = row;
    }
    foldChunk(table, piece, changes, past);
  }
  const current = [...entries.values()].flatMap((entry) => entry.current ?? []);
  await insertRows(writing, table.name, table.columns, current);
  if (table.versioned)
    await insertRows(writing, `${table.name}_history`, { ...table.columns, valid_to: 'bigint' }, past);
  return changes;
}

/** What a fold answered, as the version that begins with an event. */
function versionOf<R extends Row>(folded: FoldedRow<R>, seq: number): R {
  const version = folded as R;
  version.valid_from = seq;
  return version;
}

const keyText = (key: Key): string => key.join(' ');

/** Cuts the events of a batch so that each piece has the rows that it is the first to touch. */
function splitIntoChunks<R extends Row, E extends DomainEvent>(
  table: FoldedTable<R, E>,
  events: readonly NumberedEvent<E>[],
): { pieces: Chunk<R, E>[]; entries: Map<string, Entry<R>> } {
  const entries = new Map<string, Entry<R>>();
  const pieces: Chunk<R, E>[] = [];
  let piece: Chunk<R, E> | undefined;
  for (const event of events) {
    if (!piece || piece.keys.length >= ROWS_PER_CHUNK) {
      piece = { events: [], keys: [], validUntil: [] };
      pieces.push(piece);
    }
    const isNew = table.createsRows?.(event) ?? false;
    const touched: Entry<R>[] = [];
    for (const key of table.touchedKeys(event)) {
      const name = keyText(key);
      let entry = entries.get(name);
      if (!entry) {
        entry = { current: undefined, held: undefined };
        entries.set(name, entry);
        if (!isNew) {
          piece.keys.push(key);
          piece.validUntil.push(event.seq);
        }
      }
      touched.push(entry);
    }
    piece.events.push({ event, touched });
  }
  return { pieces, entries };
}

function foldChunk<R extends Row, E extends DomainEvent>(
  table: FoldedTable<R, E>,
  { events }: Chunk<R, E>,
  changes: Change<R, E>[],
  past: (R & { valid_to: number })[],
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
      if (before && table.versioned && before !== entry.held) past.push({ ...before, valid_to: event.seq });
      entry.current = after;
      changes.push({ event, before, after });
    });
  }
}

async function insertCreated<R extends Row, E extends DomainEvent>(
  writing: WriteContext,
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
  await insertRows(writing, table.name, table.columns, created);
  return changes;
}

/** A fold of events that touch one row each. */
export const foldOne =
  <R extends Row, E extends DomainEvent>(evolve: (row: R | undefined, event: NumberedEvent<E>) => FoldedRow<R> | undefined) =>
  (event: NumberedEvent<E>, [row]: readonly (R | undefined)[]) => [evolve(row, event)];
