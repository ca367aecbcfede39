/** A table that is folded from events, a batch at a time; a versioned one keeps what was true before, and until when. */
import type { DomainEvent } from '@rdm/contracts';
import type { Numbered } from './numbered-event.ts';
import {
  insertRows,
  type Key,
  loadRows,
  removeRows,
  retireRows,
  type TableOf,
  type TableShape,
  type Writing,
} from './rows.ts';

/** Every row says which event made it what it is. */
export interface Row {
  valid_from: number;
}

/** What a fold answers; `valid_from` is filled in. */
export type Folded<R extends Row> = Omit<R, 'valid_from'>;

export type FoldedTable<R extends Row, E extends DomainEvent> = TableOf<R> & {
  /** Keys of the rows that an event touches. */
  touches(event: Numbered<E>): readonly Key[];
  /** Whether its rows are new by their nature, so that nobody need look for them. */
  creates?(event: Numbered<E>): boolean;
  /**
   * The rows after the event, in the order of `touches`: undefined for one that is gone or never was, and the very
   * object given for one that has not changed.
   */
  fold(event: Numbered<E>, rows: readonly (R | undefined)[]): readonly (Folded<R> | undefined)[];
};

/** One row before and after one event. */
export interface Change<R extends Row, E extends DomainEvent> {
  event: Numbered<E>;
  before: R | undefined;
  after: R | undefined;
}

interface Entry<R extends Row> {
  key: Key;
  current: R | undefined;
  /** Whether the table holds a version of it, and the seq at which that one ended. */
  stored: boolean;
  storedUntil: number | undefined;
}

/** Columns of a table, with its key and indexes left to the caller's taste of when. */
export function tableDdl(schema: string, table: TableShape): string {
  const columns = Object.entries(table.columns).map(([column, type]) => `"${column}" ${type}`);
  const key = table.key.map((column) => `"${column}"`).join(', ');
  const name = `${schema}.${table.name}`;
  const statements = [
    `CREATE TABLE ${name} (${columns.join(', ')}, PRIMARY KEY (${key}))${
      table.partitionBy ? ` PARTITION BY LIST ("${table.partitionBy}")` : ''
    }`,
  ];
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
  const { name, key, versioned, indexes = [] } = table;
  const create = (kind: string, index: string, on: string) =>
    `CREATE ${kind} IF NOT EXISTS ${index} ON ${schema}.${on};\n`;
  const past = [...key, 'valid_from'].map((column) => `"${column}"`).join(', ');
  return [
    ...indexes.map((index, number) => create('INDEX', `${name}_${number + 1}`, `${name} ${index}`)),
    ...(versioned ? [create('UNIQUE INDEX', `${name}_past`, `${name}_history (${past})`)] : []),
  ].join('');
}

/** Folds the events into the table and answers every change, in the order of the events. */
export async function foldInto<R extends Row, E extends DomainEvent>(
  writing: Writing,
  table: FoldedTable<R, E>,
  events: readonly Numbered<E>[],
): Promise<Change<R, E>[]> {
  const entries = await loadTouched(writing, table, events);
  const changes: Change<R, E>[] = [];
  const past: (R & { valid_to: number })[] = [];
  for (const event of events) {
    const touched = table.touches(event).map((key) => entries.get(key.join(' ')) as Entry<R>);
    if (touched.length === 0) continue;
    const rows = table.fold(
      event,
      touched.map((entry) => entry.current),
    );
    touched.forEach((entry, index) => {
      const before = entry.current;
      const after = rows[index] as R | undefined;
      if (after === before) return;
      if (after) after.valid_from = event.seq;
      if (before && entry.stored && entry.storedUntil === undefined) entry.storedUntil = event.seq;
      else if (before && table.versioned) past.push({ ...before, valid_to: event.seq });
      entry.current = after;
      changes.push({ event, before, after });
    });
  }
  await write(writing, table, new Set(entries.values()), past);
  return changes;
}

/** Entries of all touched keys, with the rows the table holds of them. */
async function loadTouched<R extends Row, E extends DomainEvent>(
  writing: Writing,
  table: FoldedTable<R, E>,
  events: readonly Numbered<E>[],
): Promise<Map<string, Entry<R>>> {
  const entries = new Map<string, Entry<R>>();
  const wanted: Key[] = [];
  for (const event of events) {
    const isNew = table.creates?.(event) ?? false;
    for (const key of table.touches(event)) {
      const name = key.join(' ');
      if (entries.has(name)) continue;
      entries.set(name, { key, current: undefined, stored: false, storedUntil: undefined });
      if (!isNew) wanted.push(key);
    }
  }
  for (const row of await loadRows<R>(writing, table, wanted)) {
    const entry = entries.get(
      table.key.map((column) => (row as Record<string, unknown>)[column]).join(' '),
    ) as Entry<R>;
    entry.current = row;
    entry.stored = true;
  }
  return entries;
}

async function write<R extends Row, E extends DomainEvent>(
  writing: Writing,
  table: FoldedTable<R, E>,
  entries: ReadonlySet<Entry<R>>,
  past: readonly (R & { valid_to: number })[],
): Promise<void> {
  const ended = [...entries].filter((entry) => entry.storedUntil !== undefined);
  const keys = ended.map((entry) => entry.key);
  if (table.versioned) {
    await retireRows(
      writing,
      table,
      keys,
      ended.map((entry) => entry.storedUntil as number),
    );
    await insertRows(writing, `${table.name}_history`, { ...table.columns, valid_to: 'bigint' }, past);
  } else {
    await removeRows(writing, table, keys);
  }
  const fresh = [...entries].filter((entry) => entry.current && (!entry.stored || entry.storedUntil !== undefined));
  await insertRows(
    writing,
    table.name,
    table.columns,
    fresh.map((entry) => entry.current as R),
  );
}

/** A fold of events that touch one row each. */
export const one =
  <R extends Row, E extends DomainEvent>(evolve: (row: R | undefined, event: Numbered<E>) => Folded<R> | undefined) =>
  (event: Numbered<E>, [row]: readonly (R | undefined)[]) => [evolve(row, event)];
