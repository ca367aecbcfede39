/**
 * The indexes on the fields of a large data set are created while the projector continues, change with the type of the
 * data set, and exist before a new build serves.
 */
import { type DataType, type ProductEvent, streams } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { projections } from '@rdm/projector';
import { PARTITION_BEYOND_ROWS } from '@rdm/projector/read-models/instances';
import { describe, expect, it } from 'vitest';
import { eventually, MemoryLog, schemaOf, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();
const ROWS = 1_000;
/** A text that is too long for a full entry in a B-tree. */
const LONG_TEXT = 'x'.repeat(9_000);

const newEvent = (stream: string, event: ProductEvent): NewEvent => ({ ...event, stream, actorId: 1, dataSetIds: [1] });
const field = (fieldId: number, name: string, dataType: DataType) => ({
  fieldId,
  name,
  dataType,
  isPrimaryKey: fieldId < 13,
});

/** Returns the events of a type, a data set and an import. Some cells have wrong types or long texts. */
function history(): NewEvent[] {
  const type = newEvent(streams.referenceType(1), {
    type: 'ReferenceTypeDefined',
    data: {
      id: 1,
      name: 'Codes',
      description: '',
      fields: [
        field(11, 'code', 'string'),
        field(12, 'count', 'number'),
        field(13, 'since', 'date'),
        field(14, 'title', 'string'),
      ],
    },
  });
  const dataSet = newEvent(streams.dataSet(1), {
    type: 'DataSetCreated',
    data: {
      id: 1,
      name: 'Large',
      description: '',
      typeId: 1,
      keyFieldIds: [11, 12],
    },
  });
  const rows = [];
  for (const from of [0, ROWS, 2 * ROWS]) {
    rows.push(
      newEvent(streams.instances(1, 0), {
        type: 'InstancesImported',
        data: {
          jobId: 1,
          schemaRevision: 1,
          keyFieldIds: [11, 12],
          fieldIds: [11, 12, 13, 14],
          rows: Array.from({ length: ROWS }, (_, index) => {
            const number = from + index;
            const isUnusual = number % 1_000 === 7;
            return [
              number * 64,
              `code ${number}${isUnusual ? LONG_TEXT : ''}`,
              isUnusual ? 'many' : number,
              isUnusual ? '2024-02-30' : '2024-02-29',
              isUnusual ? LONG_TEXT : `Title ${number}`,
            ];
          }),
        },
      }),
    );
  }
  const importing = newEvent(streams.dataSet(1), { type: 'ExclusiveImportStarted', data: { jobId: 1 } });
  return [type, dataSet, importing, ...rows];
}

/** Returns the short names of the valid indexes of the data set in a schema, such as `11_start` and `key`. */
async function indexesIn(pool: Pool, schema: string): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT substring(c.relname FROM '^of_1_(?:field_|row_)?(.*)_[0-9a-f]{8}$') AS name
       FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
      WHERE c.relnamespace = to_regnamespace($1) AND x.indisvalid AND c.relname ~ '^of_1_' ORDER BY 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}
/** Raises the stored number of rows, so that the data set gets its own partition with its next two batches. */
const raiseCount = (pool: Pool, schema: string) =>
  pool.query(`UPDATE ${schema}.data_set_counts SET instances = $1`, [PARTITION_BEYOND_ROWS]);

const SEARCH = ['search_code', 'search_label', 'search_parts'];
const ROW = ['created_at', 'deleted', 'key', ...SEARCH, 'updated_at'];
const TEXT = ['14_parts', '14_sorted', '14_start'];
const DATE = ['13_parts', '13_value'];
const ALL_INDEXES = ['11_parts', '11_sorted', '11_start', '12_parts', '12_value', ...DATE, ...TEXT, ...ROW];

/** Returns the indexed key fields and label field of the partition; undefined until their indexes exist. */
async function readSearchFields(pool: Pool, schema: string): Promise<[number[], number | null] | undefined> {
  const { rows } = await pool.query(`SELECT * FROM ${schema}.search_sets WHERE is_partition`);
  return rows[0] && [rows[0].key_field_ids, rows[0].label_field_id];
}

describe('a large data set', () => {
  it('has exactly the indexes of its fields and rows, before and after a rebuild', { timeout: 120_000 }, async () => {
    const record = recorder();
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    const events = history().map(record);
    const beforeLarge = events.length - 2;
    log.append(...events.slice(0, beforeLarge));
    // One event per batch: the second to last event creates the table of the partition, the last fills and attaches it.
    const { projector } = environment.project(url, log, { limits: { events: 1, bytes: 1e9, rows: 1e9 } });
    await waitUntilProjected(pool, beforeLarge);
    const first = await schemaOf(pool, 'instances');
    await raiseCount(pool, first);
    log.append(...events.slice(beforeLarge));
    await waitUntilProjected(pool, events.length);
    // The projector must drop this index, because its definition is outdated.
    await pool.query(`CREATE INDEX of_1_field_11_start_00000000 ON ${first}.instances_of_1 (id)`);
    // Users read the list during the import, so the index on its order is created before the import ends.
    await eventually(async () => expect(await indexesIn(pool, first)).toEqual(['key']));
    expect(await readSearchFields(pool, first)).toBeUndefined();
    log.append(record(newEvent(streams.dataSet(1), { type: 'ExclusiveImportEnded', data: { jobId: 1 } })));
    await eventually(async () => expect(await indexesIn(pool, first)).toEqual(ALL_INDEXES));
    await eventually(async () => expect(await readSearchFields(pool, first)).toEqual([[11, 12], 14]));
    const { rows: entries } = await pool.query(`SELECT count(*)::int AS count FROM ${first}.search_entries`);
    expect(entries).toEqual([{ count: 0 }]);

    const release = log.holdNextSubscriberAfter(beforeLarge);
    await projector.rebuilder?.rebuild(...projections);
    const newBuildSchema = await eventually(async () => {
      const { rows } = await pool.query(
        `SELECT schema_name FROM platform.builds WHERE name = 'instances' AND build = 2 AND seq = $1`,
        [beforeLarge],
      );
      expect(rows).toHaveLength(1);
      return rows[0].schema_name;
    });
    await raiseCount(pool, newBuildSchema);
    release();
    await eventually(async () => expect(await schemaOf(pool, 'instances')).not.toBe(first));
    expect(await indexesIn(pool, await schemaOf(pool, 'instances'))).toEqual(ALL_INDEXES);

    const second = await schemaOf(pool, 'instances');
    expect(await readSearchFields(pool, second)).toEqual([[11, 12], 14]);
    // The index of the new label field replaces the index of the old label field.
    log.append(record(newEvent(streams.dataSet(1), { type: 'DataSetDetailsChanged', data: { labelFieldId: 13 } })));
    await eventually(async () => expect(await readSearchFields(pool, second)).toEqual([[11, 12], 13]));
    expect(await indexesIn(pool, second)).toEqual(ALL_INDEXES);

    log.append(record(newEvent(streams.referenceType(1), { type: 'FieldRetired', data: { fieldId: 13 } })));
    await eventually(async () => expect(await readSearchFields(pool, second)).toEqual([[11, 12], 14]));
    expect(await indexesIn(pool, second)).toEqual(ALL_INDEXES.filter((name) => !name.startsWith('13')));
  });
});
