/** Read model of instances: the rows of all data sets, and their number per data set. */
import { emptyInstanceBucket, evolveInstances, type InstanceEvent, LIVE_IDS_MAX, type Values } from '@rdm/contracts';
import { INDEXED_CHARACTERS, writtenRows } from '@rdm/platform';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { type Projection, type Revisions, revisionsOf } from '../engine/projection.ts';
import { runLocking } from '../engine/term.ts';
import { type Change, type FoldedRow, type FoldedTable, foldInto, type Row } from '../tables/folded-table.ts';
import { copyImported, type ImportedEvent } from '../tables/imported-rows.ts';
import { cleanJson, type TableOf, type WriteContext } from '../tables/rows.ts';
import { searchTables } from '../tables/search-entries.ts';

export interface InstanceTableRow extends Row {
  data_set_id: number;
  id: number;
  revision: number;
  key: string;
  data: Values;
  deleted: boolean;
  /** The last import, or undo of an import, that wrote the row. */
  job_id: number | null;
  created_at: string;
  created_by: number | null;
  updated_at: string;
  updated_by: number | null;
}

/** Returns the ids of the rows that an event touches, in the order of the event. */
export function touchedInstanceIds(event: InstanceEvent): number[] {
  switch (event.type) {
    case 'InstancesImported':
      return event.data.rows.map((row) => row[0]);
    case 'InstancesAdded':
    case 'InstancesChanged':
      return event.data.rows.map((row) => row.id);
    case 'InstancesRemoved':
    case 'InstancesRestored':
      return event.data.ids;
  }
}

export const instanceRows: FoldedTable<InstanceTableRow, InstanceEvent> = {
  name: 'instances',
  columns: {
    data_set_id: 'bigint',
    id: 'bigint',
    revision: 'integer',
    key: 'text',
    data: 'jsonb',
    deleted: 'boolean',
    job_id: 'bigint',
    created_at: 'timestamptz',
    created_by: 'bigint',
    updated_at: 'timestamptz',
    updated_by: 'bigint',
    valid_from: 'bigint',
  },
  key: ['data_set_id', 'id'],
  versioned: true,
  partitionBy: 'data_set_id',
  indexes: [`(data_set_id, left(key, ${INDEXED_CHARACTERS}), id) WHERE NOT deleted`],
  touchedKeys: (event) => touchedInstanceIds(event).map((id) => [event.entityId, id]),
  createsRows: (event) => event.type === 'InstancesImported' || event.type === 'InstancesAdded',
  fold: foldInstances,
};

function foldInstances(event: NumberedEvent<InstanceEvent>, rows: readonly (InstanceTableRow | undefined)[]) {
  const bucket = emptyInstanceBucket();
  for (const row of rows) {
    if (row) bucket.rows.set(row.id, { ...row, values: row.data, removed: row.deleted });
  }
  const before = new Map(bucket.rows);
  evolveInstances(bucket, event);
  const { occurredAt, actorId } = event.metadata;
  const jobId = 'jobId' in event.data ? (event.data.jobId ?? null) : null;
  return touchedInstanceIds(event).map((id, index): FoldedRow<InstanceTableRow> | undefined => {
    const row = rows[index];
    const state = bucket.rows.get(id);
    if (state === undefined || state === before.get(id)) return row && { ...row };
    return {
      data_set_id: event.entityId,
      id,
      revision: state.revision,
      key: state.key,
      data: state.values,
      deleted: state.removed,
      job_id: jobId ?? row?.job_id ?? null,
      created_at: row?.created_at ?? occurredAt,
      created_by: row ? row.created_by : actorId,
      updated_at: occurredAt,
      updated_by: actorId,
    };
  });
}

interface Count {
  data_set_id: number;
  instances: number;
  /** The seq of the last event that changed rows of the data set. It is the version of the list of rows. */
  valid_from: number;
  updated_at: string;
  updated_by: number | null;
}

const counts: TableOf<Count> = {
  name: 'data_set_counts',
  columns: {
    data_set_id: 'bigint',
    instances: 'bigint',
    valid_from: 'bigint',
    updated_at: 'timestamptz',
    updated_by: 'bigint',
  },
  key: ['data_set_id'],
};

/** Sums the rows that events add to each data set. */
function countBy(added: Iterable<readonly [event: NumberedEvent<InstanceEvent>, rows: number]>): Count[] {
  const byDataSet = new Map<number, Count>();
  for (const [event, rows] of added) {
    const { seq: valid_from, metadata } = event;
    byDataSet.set(event.entityId, {
      data_set_id: event.entityId,
      instances: (byDataSet.get(event.entityId)?.instances ?? 0) + rows,
      valid_from,
      updated_at: metadata.occurredAt,
      updated_by: metadata.actorId,
    });
  }
  return [...byDataSet.values()];
}

/** Sums the rows that changes add to or remove from each data set. */
export const countChanges = (changes: readonly Change<InstanceTableRow, InstanceEvent>[]): Count[] =>
  countBy(
    changes.map(({ event, before, after }) => [
      event,
      Number(after?.deleted === false) - Number(before?.deleted === false),
    ]),
  );

type DataSetSize = Pick<Count, 'data_set_id' | 'instances'>;

/** Updates the counts, and returns those above half of PARTITION_BEYOND_ROWS: only these can soon need a partition. */
async function addCounts({ client, schema }: WriteContext, added: readonly Count[]): Promise<DataSetSize[]> {
  if (added.length === 0) return [];
  const { rows } = await client.query<DataSetSize>({
    name: `count ${schema}`,
    text: `INSERT INTO ${schema}.data_set_counts AS c
           SELECT * FROM jsonb_populate_recordset(NULL::${schema}.data_set_counts, $1::jsonb)
           ON CONFLICT (data_set_id) DO UPDATE
           SET instances = c.instances + excluded.instances, valid_from = excluded.valid_from,
               updated_at = excluded.updated_at, updated_by = excluded.updated_by
           RETURNING data_set_id, instances`,
    values: [cleanJson(added)],
  });
  return rows.filter((row) => row.instances > PARTITION_BEYOND_ROWS / 2);
}

/** A data set with more rows than this gets a partition of its own, so that it is searched and vacuumed separately. */
export const PARTITION_BEYOND_ROWS = 20_000;

const partitionOf = (dataSetId: number): string => `${instanceRows.name}_of_${dataSetId}`;

/**
 * Creates a table for each data set without one, and moves the rows of large data sets into their tables unchanged.
 * Only a later transaction fills and attaches a new table: PostgreSQL writes a table to disk when the transaction that
 * creates it commits, and the lock of `attachPartitions` would block readers during this write.
 */
async function createPartitions(
  { client, schema }: WriteContext,
  sizes: readonly DataSetSize[],
): Promise<{ moved: number[]; attached: number[] }> {
  const moved: number[] = [];
  const attached: number[] = [];
  const table = `${schema}.${instanceRows.name}`;
  for (const { data_set_id: id, instances } of sizes) {
    const newTable = `${table}_new_${id}`;
    const { rows } = await client.query('SELECT to_regclass($1) AS partition, to_regclass($2) AS created', [
      `${schema}.${partitionOf(id)}`,
      newTable,
    ]);
    if (rows[0].partition !== null) attached.push(id);
    else if (rows[0].created === null) {
      await client.query(`CREATE TABLE ${newTable} (LIKE ${table} INCLUDING ALL, CHECK (data_set_id = ${id}))`);
    } else if (instances > PARTITION_BEYOND_ROWS) {
      await client.query(
        `WITH moved AS (DELETE FROM ${table}_default WHERE data_set_id = ${id} RETURNING *)
         INSERT INTO ${newTable} SELECT * FROM moved;
         ALTER TABLE ${newTable} RENAME TO ${partitionOf(id)}`,
      );
      moved.push(id);
    }
  }
  return { moved, attached };
}

/**
 * Attaches the new tables as partitions. This is the last step of a fold, because it blocks queries of small data sets
 * until the end of the transaction.
 */
async function attachPartitions({ client, schema }: WriteContext, dataSetIds: readonly number[]): Promise<void> {
  for (const dataSetId of dataSetIds) {
    const table = `${schema}.${instanceRows.name}`;
    const partition = `${schema}.${partitionOf(dataSetId)}`;
    // While ATTACH waits for its lock, it blocks readers. The first lock, which does not block them, waits for autovacuum.
    const ddl = `LOCK TABLE ${table}_default IN SHARE UPDATE EXCLUSIVE MODE;
                 ALTER TABLE ${table} ATTACH PARTITION ${partition} FOR VALUES IN (${dataSetId})`;
    await runLocking(client, table, ddl);
  }
}

/** For a table with fewer rows, PostgreSQL can plan to read the whole table. */
const SMALL_TABLE_ROWS = 1_000;

/**
 * Updates the statistics of the shared table when it grows from few rows to many. Otherwise prepared statements that
 * were planned for few rows would read the whole table until the next autovacuum.
 */
async function analyzeGrownTable({ client, schema }: WriteContext, addedRows: number): Promise<void> {
  if (addedRows < SMALL_TABLE_ROWS) return;
  const table = `${schema}.${instanceRows.name}_default`;
  const { rows } = await client.query<{ small: boolean }>(
    'SELECT reltuples < $2 AS small FROM pg_class WHERE oid = $1::regclass',
    [table, SMALL_TABLE_ROWS],
  );
  if (rows[0]?.small) await client.query(`ANALYZE (SKIP_LOCKED) ${table} (data_set_id)`);
}

const countOf = ({ data }: ImportedEvent): number => writtenRows(data)?.ids.length ?? data.rows.length;

/** Counts and copies imported rows without a fold, because these events only add rows, often many. */
async function addImported(context: WriteContext, events: readonly ImportedEvent[]): Promise<Revisions> {
  // Create partitions first, so that only the existing rows have to be moved.
  const additions = countBy(events.map((event) => [event, countOf(event)]));
  const { moved, attached } = await createPartitions(context, await addCounts(context, additions));
  const others = events.filter(({ entityId }) => !moved.includes(entityId));
  await copyImported(context, instanceRows.name, others);
  const shared = additions.filter(({ data_set_id: id }) => !moved.includes(id) && !attached.includes(id));
  await analyzeGrownTable(
    context,
    shared.reduce((sum, { instances }) => sum + instances, 0),
  );
  for (const dataSetId of moved) {
    const partitionEvents = events.filter(({ entityId }) => entityId === dataSetId);
    await copyImported(context, partitionOf(dataSetId), partitionEvents);
  }
  await attachPartitions(context, moved);
  // Live messages list rows only up to this number.
  const listed = events.filter((event) => countOf(event) <= LIVE_IDS_MAX);
  return new Map(listed.map(({ seq, data }) => [seq, data.rows.map(() => 1)]));
}

const isImported = (event: NumberedEvent<InstanceEvent>): event is ImportedEvent => event.type === 'InstancesImported';

export const instances: Projection = {
  name: 'instances',
  version: 5,
  categories: ['instances'],
  tables: [instanceRows, counts],
  derivedTables: searchTables,
  async apply(context, events) {
    const instanceEvents = events as readonly NumberedEvent<InstanceEvent>[];
    if (instanceEvents.every(isImported)) return addImported(context, instanceEvents);
    const changes = await foldInto(context, instanceRows, instanceEvents);
    const { moved } = await createPartitions(context, await addCounts(context, countChanges(changes)));
    await attachPartitions(context, moved);
    return revisionsOf(changes);
  },
};
