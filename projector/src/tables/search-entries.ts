/**
 * Search of rows by code and label (docs/decisions/0071). For data sets in the shared table, the leader writes entries
 * to `search_entries` about a second after a batch. A data set with its own partition has indexes instead
 * (field-indexes.ts). `search_sets` has the searched fields of each data set.
 */
import {
  labelFieldSql,
  labelParts,
  type Queryable,
  type SearchedFields,
  searchedCode,
  searchedLabel,
} from '@rdm/platform';
import type { TableOf } from './rows.ts';

interface SearchSet {
  data_set_id: number;
  key_field_ids: number[];
  label_field_id: number | null;
  /** Whether searches use the indexes of the data set's own partition; otherwise they use the entries. */
  is_partition: boolean;
  /** The entries contain the rows up to this seq; 0 for a partition. */
  rows_seq: number;
  /** The seq of the last change of the data set or its type when the fields were read; 0 for a partition. */
  fields_seq: number;
}

interface SearchEntry {
  data_set_id: number;
  id: number;
  code: string;
  label: string | null;
  /** Hashes of the parts of the label. */
  parts: number[];
}

const searchSets: TableOf<SearchSet> = {
  name: 'search_sets',
  columns: {
    data_set_id: 'bigint',
    key_field_ids: 'bigint[]',
    label_field_id: 'bigint',
    is_partition: 'boolean',
    rows_seq: 'bigint',
    fields_seq: 'bigint',
  },
  key: ['data_set_id'],
};

const searchEntries: TableOf<SearchEntry> = {
  name: 'search_entries',
  columns: { data_set_id: 'bigint', id: 'bigint', code: 'text', label: 'text', parts: 'bigint[]' },
  key: ['data_set_id', 'id'],
  // Each index separates the data sets, so that a search reads no entries of data sets that the viewer may not read.
  // The hashes in `parts` include the id of the data set.
  // With fastupdate, each search would also read the pending list, which has new parts of all data sets.
  indexes: [
    '(data_set_id, code COLLATE "C", id)',
    '(data_set_id, label COLLATE "C", id)',
    'USING gin (parts) WITH (fastupdate = off)',
  ],
};

/** The search tables of the read model of instances. */
export const searchTables = [searchSets, searchEntries];

/** The schema of the serving build, by projection. */
export type ServingSchemas = Record<string, string>;

interface OutdatedSet extends SearchedFields {
  id: number;
  fieldsSeq: number;
  rowsSeq: number;
  /** The entries contain the rows up to this seq; null if there are no entries or the searched fields have changed. */
  filledSeq: number | null;
}

const hasPartition = (schema: string, dataSetId: string): string =>
  `to_regclass(format('%I.%I', '${schema}', 'instances_of_' || ${dataSetId})) IS NOT NULL`;

/** SQL condition: a job of the data set `d`, such as an import, runs or waits. Rows become searchable after the job. */
export const isBeingImported = (serving: ServingSchemas): string => `(d.exclusive_job_id IS NOT NULL OR EXISTS (
  SELECT FROM ${serving['jobs']}.import_jobs j WHERE j.data_set_id = d.id AND j.status IN ('PENDING', 'IN_PROGRESS')))`;

/**
 * Reads the data sets in the shared table whose entries are missing, or older than the rows or the fields. Omits data
 * sets with a running or waiting job.
 */
async function outdatedSets(db: Queryable, serving: ServingSchemas, schema: string): Promise<OutdatedSet[]> {
  const { rows } = await db.query<OutdatedSet>(
    `SELECT o.id, o.key_field_ids AS "keyFieldIds", f.label AS "labelFieldId", o.fields_seq AS "fieldsSeq", o.rows_seq AS "rowsSeq",
            CASE WHEN s.key_field_ids = o.key_field_ids AND s.label_field_id IS NOT DISTINCT FROM f.label AND NOT s.is_partition
              THEN s.rows_seq END AS "filledSeq"
       FROM (SELECT d.id, d.key_field_ids, d.label_field_id, t.fields, c.valid_from AS rows_seq,
                    greatest(d.valid_from, t.valid_from) AS fields_seq
               FROM ${serving['data_sets']}.reference_data_sets d
               JOIN ${serving['reference_types']}.reference_data_types t ON t.id = d.type_id
               JOIN ${schema}.data_set_counts c ON c.data_set_id = d.id
               LEFT JOIN ${schema}.search_sets known ON known.data_set_id = d.id
              WHERE (known.rows_seq >= c.valid_from AND known.fields_seq >= greatest(d.valid_from, t.valid_from)) IS NOT TRUE
                AND NOT ${hasPartition(schema, 'd.id')} AND NOT ${isBeingImported(serving)} OFFSET 0) o
       CROSS JOIN LATERAL (SELECT ${labelFieldSql('o', 'o', 'o.key_field_ids')} AS label) f
       LEFT JOIN ${schema}.search_sets s ON s.data_set_id = o.id
      ORDER BY o.id`,
  );
  return rows;
}

/**
 * Updates the outdated entries of data sets in the shared table. Updates `search_sets` after the entries of a data set,
 * so that the next run repeats interrupted writes.
 */
export async function fillSearchEntries(
  db: Queryable,
  serving: ServingSchemas,
  schema: string,
  signal?: AbortSignal,
): Promise<void> {
  await removeObsoleteEntries(db, serving, schema);
  for (const set of await outdatedSets(db, serving, schema)) {
    if (signal?.aborted) return;
    await writeEntries(db, schema, set);
    await recordSet(db, schema, { ...set, isPartition: false });
  }
}

async function writeEntries(db: Queryable, schema: string, set: OutdatedSet): Promise<void> {
  const changed = `i.data_set_id = $1 AND i.valid_from > $2`;
  const values = [set.id, set.filledSeq ?? -1];
  await db.query(
    `INSERT INTO ${schema}.search_entries AS e (data_set_id, id, code, label, parts)
     SELECT f.data_set_id, f.id, f.code, f.label, ${labelParts('f.data_set_id', 'f.label')}
       FROM (SELECT i.data_set_id, i.id, ${searchedCode('i.data', set)} AS code, ${searchedLabel('i.data', set)} AS label
               FROM ${schema}.instances_default i WHERE ${changed} AND NOT i.deleted OFFSET 0) f
     ON CONFLICT (data_set_id, id) DO UPDATE SET code = excluded.code, label = excluded.label, parts = excluded.parts
      WHERE (e.code, e.label) IS DISTINCT FROM (excluded.code, excluded.label)`,
    values,
  );
  // Not a join: without statistics about new rows, PostgreSQL would compare every entry with every row, for minutes.
  // Meanwhile, an import that attaches a partition would wait and block all reads of rows.
  await db.query(
    `DELETE FROM ${schema}.search_entries
      WHERE data_set_id = $1
        AND id = ANY (ARRAY(SELECT i.id FROM ${schema}.instances_default i WHERE ${changed} AND i.deleted))`,
    values,
  );
}

/** Removes the entries of deleted data sets, and of data sets that have received their own partition. */
async function removeObsoleteEntries(db: Queryable, serving: ServingSchemas, schema: string): Promise<void> {
  await db.query(
    `WITH obsolete AS (
       DELETE FROM ${schema}.search_sets s
        WHERE NOT s.is_partition AND ${hasPartition(schema, 's.data_set_id')}
           OR NOT EXISTS (SELECT FROM ${serving['data_sets']}.reference_data_sets d WHERE d.id = s.data_set_id)
       RETURNING s.data_set_id)
     DELETE FROM ${schema}.search_entries e USING obsolete WHERE e.data_set_id = obsolete.data_set_id`,
  );
}

async function recordSet(
  db: Queryable,
  schema: string,
  set: SearchedFields & { id: number; isPartition: boolean; rowsSeq?: number; fieldsSeq?: number },
): Promise<void> {
  await db.query(
    `INSERT INTO ${schema}.search_sets AS s (data_set_id, key_field_ids, label_field_id, is_partition, rows_seq, fields_seq)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (data_set_id) DO UPDATE
        SET key_field_ids = excluded.key_field_ids, label_field_id = excluded.label_field_id,
            is_partition = excluded.is_partition, rows_seq = excluded.rows_seq, fields_seq = excluded.fields_seq
      WHERE s IS DISTINCT FROM excluded`,
    [set.id, set.keyFieldIds, set.labelFieldId, set.isPartition, set.rowsSeq ?? 0, set.fieldsSeq ?? 0],
  );
}

/** Records that the partition of a data set has the indexes of these fields. */
export const recordSearchedFields = (
  db: Queryable,
  schema: string,
  set: SearchedFields & { id: number },
): Promise<void> => recordSet(db, schema, { ...set, isPartition: true });

/** Excludes partitions with changed fields from searches. Call this before the old indexes are dropped. */
export async function forgetSearchedFields(
  db: Queryable,
  schema: string,
  sets: readonly (SearchedFields & { id: number })[],
): Promise<void> {
  const wanted = sets.map(({ id, keyFieldIds, labelFieldId }) => ({ id, keyFieldIds, labelFieldId }));
  await db.query(
    `DELETE FROM ${schema}.search_sets s
      USING jsonb_to_recordset($1::jsonb) w(id bigint, "keyFieldIds" bigint[], "labelFieldId" bigint)
      WHERE s.data_set_id = w.id AND s.is_partition
        AND (s.key_field_ids, s.label_field_id) IS DISTINCT FROM (w."keyFieldIds", w."labelFieldId")`,
    [JSON.stringify(wanted)],
  );
}
