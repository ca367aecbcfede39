/**
 * Maintains the field indexes of data sets that have their own partition. Smaller data sets share a partition without
 * field indexes, because thousands of indexes on that partition would slow every insert.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  cellIndexes,
  fieldIndexPrefix,
  indexName,
  type KeyPart,
  keyIndex,
  labelFieldSql,
  type Pool,
  type Queryable,
  rowIndexes,
  searchIndexes,
} from '@rdm/platform';
import type { Term } from '../engine/term.ts';
import {
  fillSearchEntries,
  forgetSearchedFields,
  isBeingImported,
  recordSearchedFields,
  type ServingSchemas,
} from './search-entries.ts';

/** The maximum number of indexed fields of a data set: each index slows every write. */
const INDEXED_FIELDS = 24;

/** The time without writes before a data set is indexed: creating an index is cheapest when all rows exist. */
const IDLE_SECONDS = 5;
const CHECK_EVERY_MS = 5_000;
/** The interval at which search entries are written. */
const SEARCH_EVERY_MS = 1_000;

interface FieldIndex {
  schema: string;
  table: string;
  name: string;
  ddl: string;
  /**
   * Whether the index is on the key, which sorts lists of rows. Such an index is created even during an import, because
   * users read the list meanwhile.
   */
  isOfKey: boolean;
}

interface PartitionedSet {
  id: number;
  keyFieldIds: number[];
  labelFieldId: number | null;
  fields: (KeyPart & { retired?: boolean })[];
  isIdle: boolean;
}

/** The indexes that `schema` should have for a data set. */
function fieldIndexes(schema: string, { id, keyFieldIds, labelFieldId, fields }: PartitionedSet): FieldIndex[] {
  const table = `instances_of_${id}`;
  const activeFields = fields.filter(({ retired }) => !retired);
  const keyFields = keyFieldIds.flatMap(
    (keyFieldId) => activeFields.find(({ fieldId }) => fieldId === keyFieldId) ?? [],
  );
  const keyIndexes =
    keyFields.length > 1 ? [{ prefix: `of_${id}_key_`, expression: keyIndex(keyFields), isOfKey: true }] : [];
  const cells = [...new Set([...keyFields, ...activeFields])].slice(0, INDEXED_FIELDS).flatMap((field) =>
    cellIndexes(field.fieldId, field.dataType).map(({ kind, on }) => ({
      prefix: fieldIndexPrefix(id, field.fieldId, kind),
      expression: on,
      isOfKey: keyFields.length === 1 && field === keyFields[0] && (kind === 'sorted' || kind === 'value'),
    })),
  );
  const rows = rowIndexes.map(({ column, on }) => ({
    prefix: `of_${id}_row_${column}_`,
    expression: on,
    isOfKey: false,
  }));
  const search = searchIndexes({ keyFieldIds, labelFieldId }).map(({ kind, on }) => ({
    prefix: `of_${id}_search_${kind}_`,
    expression: on,
    isOfKey: false,
  }));
  return [...keyIndexes, ...cells, ...rows, ...search].map(({ prefix, expression, isOfKey }) => ({
    schema,
    table,
    name: indexName(prefix, expression),
    ddl: expression,
    isOfKey,
  }));
}

const DEPENDS_ON = ['instances', 'data_sets', 'reference_types', 'jobs'];

/** Returns the serving schema of each projection in `DEPENDS_ON`; undefined until all serve. */
async function servingSchemas(db: Queryable): Promise<ServingSchemas | undefined> {
  const { rows } = await db.query<{ name: string; schema_name: string }>(
    `SELECT name, schema_name FROM platform.builds WHERE serving AND name = ANY($1)`,
    [DEPENDS_ON],
  );
  return rows.length < DEPENDS_ON.length
    ? undefined
    : Object.fromEntries(rows.map((row) => [row.name, row.schema_name]));
}

/** Reads the data sets that have their own partition in a schema, with the fields of their types. */
async function partitionedSets(db: Queryable, serving: ServingSchemas, schema: string): Promise<PartitionedSet[]> {
  const { rows } = await db.query<PartitionedSet>(
    `SELECT d.id, d.key_field_ids AS "keyFieldIds", t.fields,
            ${labelFieldSql('d', 't', 'd.key_field_ids')} AS "labelFieldId",
            c.updated_at < now() - $1 * interval '1 second' AND NOT ${isBeingImported(serving)} AS "isIdle"
       FROM ${serving['data_sets']}.reference_data_sets d
       JOIN ${serving['reference_types']}.reference_data_types t ON t.id = d.type_id
       JOIN ${schema}.data_set_counts c ON c.data_set_id = d.id
      WHERE to_regclass(format('%I.%I', $2::text, 'instances_of_' || d.id)) IS NOT NULL
      ORDER BY d.id`,
    [IDLE_SECONDS, schema],
  );
  return rows;
}

/** Reads the field indexes of a schema. An interrupted creation leaves an index that is not valid. */
async function existingIndexes(db: Queryable, schema: string): Promise<{ name: string; valid: boolean }[]> {
  const { rows } = await db.query<{ name: string; valid: boolean }>(
    `SELECT c.relname AS name, x.indisvalid AS valid
       FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
      WHERE c.relnamespace = to_regnamespace($1) AND c.relname ~ '^of_\\d+_(key|field|row|search)_'`,
    [schema],
  );
  return rows;
}

/** Indexes a build before it serves, without CONCURRENTLY, because no query reads the build yet. */
export async function indexFields(db: Queryable, schema: string): Promise<void> {
  const serving = await servingSchemas(db);
  if (!serving) return;
  for (const set of await partitionedSets(db, serving, schema)) {
    for (const { table, name, ddl } of fieldIndexes(schema, set)) {
      await db.query(`CREATE INDEX IF NOT EXISTS ${name} ON ${schema}.${table} ${ddl}`);
    }
    // ANALYZE also collects statistics of the indexed expressions, so it runs after the indexes are created.
    await db.query(`ANALYZE ${schema}.instances_of_${set.id}`);
    await recordSearchedFields(db, schema, set);
  }
  await fillSearchEntries(db, serving, schema);
}

/**
 * Drops obsolete and invalid indexes of the serving build, then creates missing indexes, without blocking reads or
 * writes.
 */
async function syncFieldIndexes(db: Queryable, signal: AbortSignal): Promise<void> {
  const serving = await servingSchemas(db);
  const schema = serving?.['instances'];
  if (serving === undefined || schema === undefined) return;
  const sets = await partitionedSets(db, serving, schema);
  const wantedIndexes = sets.flatMap((set) => fieldIndexes(schema, set).map((index) => ({ ...index, set })));
  await forgetSearchedFields(db, schema, sets);
  const names = new Set(wantedIndexes.map(({ name }) => name));
  const valid = new Set<string>();
  for (const index of await existingIndexes(db, schema)) {
    if (index.valid && names.has(index.name)) valid.add(index.name);
    else if (!signal.aborted) await db.query(`DROP INDEX CONCURRENTLY IF EXISTS ${schema}.${index.name}`);
  }
  const indexedSets = new Set<PartitionedSet>();
  for (const { table, name, ddl, isOfKey, set } of wantedIndexes) {
    if (signal.aborted || !(set.isIdle || isOfKey) || valid.has(name)) continue;
    await db.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${schema}.${table} ${ddl}`);
    if (set.isIdle) indexedSets.add(set);
  }
  if (signal.aborted) return;
  for (const set of sets) if (set.isIdle) await recordSearchedFields(db, schema, set);
  // VACUUM writes the visibility map, which index-only scans need.
  for (const { id } of indexedSets) await db.query(`VACUUM (ANALYZE) ${schema}.instances_of_${id}`);
}

/** Runs statements that can take minutes, and cancels the current one when the term ends. */
export async function runCancellable(term: Term, pool: Pool, work: (db: Queryable) => Promise<void>): Promise<void> {
  term.signal.throwIfAborted();
  const client = await pool.connect();
  const { processID } = client as unknown as { processID: number };
  const cancel = () => {
    // Errors are ignored: if PostgreSQL cannot be reached, the connection of the statement is lost too.
    term.writer.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => undefined);
  };
  term.signal.addEventListener('abort', cancel, { once: true });
  try {
    await work(client);
  } finally {
    term.signal.removeEventListener('abort', cancel);
    client.release();
  }
}

async function repeat(term: Term, everyMs: number, task: string, work: (db: Queryable) => Promise<void>) {
  while (!term.signal.aborted) {
    await runCancellable(term, term.bulkWriter, work).catch((error: unknown) => {
      if (!term.signal.aborted) term.log.warn({ err: error }, `Could not ${task}: trying again`);
    });
    await sleep(everyMs, undefined, { signal: term.signal }).catch(() => undefined);
  }
}

export const maintainFieldIndexes = (term: Term, everyMs = CHECK_EVERY_MS): Promise<void> =>
  repeat(term, everyMs, 'index fields', (db) => syncFieldIndexes(db, term.signal));

export const maintainSearchEntries = (term: Term): Promise<void> =>
  repeat(term, SEARCH_EVERY_MS, 'write search entries', async (db) => {
    const serving = await servingSchemas(db);
    const schema = serving?.['instances'];
    if (serving && schema) await fillSearchEntries(db, serving, schema, term.signal);
  });
