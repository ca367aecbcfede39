/**
 * Indexes of fields: the leader makes and drops them beside its projecting, for the data sets that have a partition of
 * their own. Smaller ones are scanned: thousands of indexes on a shared table would slow every insert.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { cellIndexes, fieldIndexName, type KeyPart, keyIndex, type Queryable, rowIndexes } from '@rdm/platform';
import type { Term } from '../engine/term.ts';

/** So many fields of a type are indexed, in their order: each index slows every write a little. */
const INDEXED_FIELDS = 24;

/**
 * Data sets that are being written are left alone for so long, and while an import has not ended as far as the log was
 * read: an index is cheapest once all rows are there.
 */
const IDLE_SECONDS = 5;
const CHECK_EVERY_MS = 5_000;

interface FieldIndex {
  schema: string;
  table: string;
  name: string;
  ddl: string;
  /** Answers the order in which the rows are listed: it is made while rows are still written, as the list is read then, too. */
  isOfKey: boolean;
}

interface PartitionedSet {
  id: number;
  keyFieldIds: number[];
  fields: (KeyPart & { retired?: boolean })[];
  isIdle: boolean;
}

/** A changed expression is another index. */
const indexName = (prefix: string, expression: string): string =>
  `${prefix}${createHash('sha256').update(expression).digest('hex').slice(0, 8)}`;

/** What `schema` should have for a data set. */
function fieldIndexes(
  schema: string,
  { id, keyFieldIds, fields }: Pick<PartitionedSet, 'id' | 'keyFieldIds' | 'fields'>,
): FieldIndex[] {
  const table = `instances_of_${id}`;
  const activeFields = fields.filter(({ retired }) => !retired);
  const keyFields = keyFieldIds.flatMap((keyFieldId) => activeFields.find(({ fieldId }) => fieldId === keyFieldId) ?? []);
  const keyIndexes = keyFields.length > 1 ? [{ begin: `of_${id}_key_`, on: keyIndex(keyFields), isOfKey: true }] : [];
  const cells = [...new Set([...keyFields, ...activeFields])].slice(0, INDEXED_FIELDS).flatMap((field) =>
    cellIndexes(field.fieldId, field.dataType).map(({ kind, on }) => ({
      begin: fieldIndexName(id, field.fieldId, kind),
      on,
      isOfKey: keyFields.length === 1 && field === keyFields[0] && (kind === 'sorted' || kind === 'value'),
    })),
  );
  const rows = rowIndexes.map(({ column, on }) => ({ begin: `of_${id}_row_${column}_`, on, isOfKey: false }));
  return [...keyIndexes, ...cells, ...rows].map(({ begin, on, isOfKey }) => ({
    schema,
    table,
    name: indexName(begin, on),
    ddl: on,
    isOfKey,
  }));
}

const DEPENDS_ON = ['instances', 'data_sets', 'reference_types', 'jobs'];

/** The schemas that serve what indexes depend on; undefined until all of them do. */
async function servingSchemas(db: Queryable): Promise<Record<string, string> | undefined> {
  const { rows } = await db.query<{ name: string; schema_name: string }>(
    `SELECT name, schema_name FROM platform.builds WHERE serving AND name = ANY($1)`,
    [DEPENDS_ON],
  );
  return rows.length < DEPENDS_ON.length
    ? undefined
    : Object.fromEntries(rows.map((row) => [row.name, row.schema_name]));
}

/** The data sets that have a partition of their own in a schema, with their types' fields. */
async function partitionedSets(
  db: Queryable,
  serving: Record<string, string>,
  schema: string,
): Promise<PartitionedSet[]> {
  const { rows } = await db.query<PartitionedSet>(
    `SELECT d.id, d.key_field_ids AS "keyFieldIds", t.fields,
            d.exclusive_job_id IS NULL AND c.updated_at < now() - $1 * interval '1 second'
              AND NOT EXISTS (
                SELECT FROM ${serving['jobs']}.import_jobs j
                 WHERE j.data_set_id = d.id AND j.status IN ('PENDING', 'IN_PROGRESS')) AS calm
       FROM ${serving['data_sets']}.reference_data_sets d
       JOIN ${serving['reference_types']}.reference_data_types t ON t.id = d.type_id
       JOIN ${schema}.data_set_counts c ON c.data_set_id = d.id
      WHERE to_regclass(format('%I.%I', $2::text, 'instances_of_' || d.id)) IS NOT NULL
      ORDER BY d.id`,
    [IDLE_SECONDS, schema],
  );
  return rows;
}

/** The indexes of fields that a schema has; one whose making was interrupted is not valid. */
async function existingIndexes(db: Queryable, schema: string): Promise<{ name: string; valid: boolean }[]> {
  const { rows } = await db.query<{ name: string; valid: boolean }>(
    `SELECT c.relname AS name, x.indisvalid AS valid
       FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
      WHERE c.relnamespace = to_regnamespace($1) AND c.relname ~ '^of_\\d+_(key|field|row)_'`,
    [schema],
  );
  return rows;
}

/** The indexes of a build that does not serve yet, made at once: nobody waits for it. */
export async function indexFields(db: Queryable, schema: string): Promise<void> {
  const serving = await servingSchemas(db);
  if (!serving) return;
  for (const set of await partitionedSets(db, serving, schema)) {
    for (const { table, name, ddl } of fieldIndexes(schema, set)) {
      await db.query(`CREATE INDEX IF NOT EXISTS ${name} ON ${schema}.${table} ${ddl}`);
    }
    // What a planner knows of an expression, it knows from its index.
    await db.query(`ANALYZE ${schema}.instances_of_${set.id}`);
  }
}

/** Drops what the serving build has and should not, then makes what it lacks, while others read and write. */
async function syncFieldIndexes(db: Queryable, signal: AbortSignal): Promise<void> {
  const serving = await servingSchemas(db);
  const schema = serving?.['instances'];
  if (serving === undefined || schema === undefined) return;
  const sets = await partitionedSets(db, serving, schema);
  const wantedIndexes = sets.flatMap((set) => fieldIndexes(schema, set).map((index) => ({ ...index, set })));
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
  // Also lets scans of an index alone answer: they need to know which pages everybody sees.
  for (const { id } of indexedSets) await db.query(`VACUUM (ANALYZE) ${schema}.instances_of_${id}`);
}

/** Runs statements that may take minutes, and has the server break off the one under way when the term ends. */
export async function runCancellable(term: Term, work: (db: Queryable) => Promise<void>): Promise<void> {
  term.signal.throwIfAborted();
  const client = await term.writer.connect();
  const { processID } = client as unknown as { processID: number };
  const cancel = () => {
    // Nobody waits for the answer: a connection that broke has ended the statement too.
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

/** Looks after the indexes until the term ends. */
export async function maintainFieldIndexes(term: Term): Promise<void> {
  while (!term.signal.aborted) {
    await runCancellable(term, (db) => syncFieldIndexes(db, term.signal)).catch((error: unknown) => {
      if (!term.signal.aborted) term.log.warn({ err: error }, 'Could not index fields: trying again');
    });
    await sleep(CHECK_EVERY_MS, undefined, { signal: term.signal }).catch(() => undefined);
  }
}
