/** A table that is folded from events, a batch at a time; a versioned one keeps what was true before, and until when. */
import type { DomainEvent } from '@rdm/contracts';
import type { Numbered } from './numbered-event.ts';
import { insertRows, type Key, type TableOf, type TableShape, takeRows, type Writing } from './rows.ts';

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
   * The rows after the event, in the order of `touches`: undefined for one that is gone or never was. Each answer is a
   * new version, also where it says the same.
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
  // Imports are nothing but new rows: there is nothing to look for, and nothing to remember within the batch.
  if (table.creates !== undefined && events.every(table.creates)) return createIn(writing, table, events);
  const entries = await takeTouched(writing, table, events);
  const changes: Change<R, E>[] = [];
  const past: (R & { valid_to: number })[] = [];
  const taken = new Set([...entries.values()].map(({ current }) => current));
  for (const event of events) {
    const touched = table.touches(event).map((key) => entries.get(key.join(' ')) as Entry<R>);
    if (touched.length === 0) continue;
    const rows = table.fold(
      event,
      touched.map((entry) => entry.current),
    );
    touched.forEach((entry, index) => {
      const before = entry.current;
      const folded = rows[index];
      if (before === undefined && folded === undefined) return;
      const after = folded && ({ ...folded, valid_from: event.seq } as R);
      // The version that the table held is in the history already.
      if (before && table.versioned && !taken.has(before)) past.push({ ...before, valid_to: event.seq });
      entry.current = after;
      changes.push({ event, before, after });
    });
  }
  const current = [...entries.values()].flatMap((entry) => entry.current ?? []);
  await insertRows(writing, table.name, table.columns, current);
  if (table.versioned)
    await insertRows(writing, `${table.name}_history`, { ...table.columns, valid_to: 'bigint' }, past);
  return changes;
}

async function createIn<R extends Row, E extends DomainEvent>(
  writing: Writing,
  table: FoldedTable<R, E>,
  events: readonly Numbered<E>[],
): Promise<Change<R, E>[]> {
  const changes: Change<R, E>[] = [];
  const created: R[] = [];
  for (const event of events) {
    for (const folded of table.fold(event, [])) {
      if (folded === undefined) continue;
      const after = { ...folded, valid_from: event.seq } as R;
      created.push(after);
      changes.push({ event, before: undefined, after });
    }
  }
  await insertRows(writing, table.name, table.columns, created);
  return changes;
}

/** Entries of all touched keys, with the rows the table held of them: their versions end with the first event to touch them. */
async function takeTouched<R extends Row, E extends DomainEvent>(
  writing: Writing,
  table: FoldedTable<R, E>,
  events: readonly Numbered<E>[],
): Promise<Map<string, Entry<R>>> {
  const entries = new Map<string, Entry<R>>();
  const wanted: Key[] = [];
  const until: number[] = [];
  for (const event of events) {
    const isNew = table.creates?.(event) ?? false;
    for (const key of table.touches(event)) {
      const name = key.join(' ');
      if (entries.has(name)) continue;
      entries.set(name, { key, current: undefined });
      if (isNew) continue;
      wanted.push(key);
      until.push(event.seq);
    }
  }
  for (const row of await takeRows<R>(writing, table, wanted, until)) {
    const entry = entries.get(table.key.map((column) => (row as Record<string, unknown>)[column]).join(' '));
    if (entry) entry.current = row;
  }
  return entries;
}

/** A fold of events that touch one row each. */
export const one =
  <R extends Row, E extends DomainEvent>(evolve: (row: R | undefined, event: Numbered<E>) => Folded<R> | undefined) =>
  (event: Numbered<E>, [row]: readonly (R | undefined)[]) => [evolve(row, event)];
