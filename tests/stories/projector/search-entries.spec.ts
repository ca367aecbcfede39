/** The entries by which rows of small data sets are searched change with the rows and the label field, and with deletions. */
import { type ProductEvent, streams } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { projections } from '@rdm/projector';
import { fillSearchEntries } from '@rdm/projector/tables/search-entries';
import { describe, expect, it } from 'vitest';
import {
  checksumsOf,
  eventually,
  MemoryLog,
  schemaOf,
  useProjectorEnvironment,
  waitUntilProjected,
} from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();

const newEvent = (stream: string, event: ProductEvent): NewEvent => ({ ...event, stream, actorId: 1, dataSetIds: [1] });
const ofDataSet = (event: ProductEvent) => newEvent(streams.dataSet(1), event);
const ofRows = (event: ProductEvent) => newEvent(streams.instances(1, 0), event);
const text = (fieldId: number, name: string) => ({
  fieldId,
  name,
  dataType: 'string' as const,
  isPrimaryKey: fieldId === 11,
});

const HISTORY = [
  newEvent(streams.referenceType(1), {
    type: 'ReferenceTypeDefined',
    data: {
      id: 1,
      name: 'Cities',
      description: '',
      fields: [text(11, 'code'), text(12, 'name'), text(13, 'remark')],
    },
  }),
  ofDataSet({
    type: 'DataSetCreated',
    data: { id: 1, name: 'Cities', description: '', typeId: 1, keyFieldIds: [11] },
  }),
  ofRows({
    type: 'InstancesAdded',
    data: {
      schemaRevision: 1,
      keyFieldIds: [11],
      rows: [
        { id: 64, values: { 11: 'ZRH', 12: 'Zürich', 13: 'Kloten' } },
        { id: 128, values: { 11: 'Å1', 12: null, 13: 'Empty' } },
        { id: 192, values: { 11: 'GVA', 12: 'Genève', 13: 'Cointrin' } },
      ],
    },
  }),
];

/** The entries of the serving build. */
async function entriesIn(pool: Pool): Promise<[number, string, string | null, number][]> {
  const { rows } = await pool.query(
    `SELECT id, code, label, cardinality(parts) AS parts FROM ${await schemaOf(pool, 'instances')}.search_entries ORDER BY id`,
  );
  return rows.map(({ id, code, label, parts }) => [id, code, label, parts]);
}

async function project(): Promise<
  { pool: Pool; log: MemoryLog; append: (...events: NewEvent[]) => void } & ReturnType<typeof environment.project>
> {
  const record = recorder();
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  const append = (...events: NewEvent[]) => void log.append(...events.map(record));
  append(...HISTORY);
  const running = environment.project(url, log);
  await waitUntilProjected(pool, log.events.length);
  await eventually(async () => expect(await entriesIn(pool)).toHaveLength(3));
  return { pool, log, append, ...running };
}

const ENTRIES = [
  [64, 'zrh', 'zurich', 4],
  [128, 'a1', null, 0],
  [192, 'gva', 'geneve', 4],
];

describe('search entries', () => {
  it('contain key and label without case and accents, and change when rows are changed, deleted and restored', async () => {
    const { pool, append } = await project();
    expect(await entriesIn(pool)).toEqual(ENTRIES);
    append(
      ofRows({
        type: 'InstancesChanged',
        data: { schemaRevision: 1, rows: [{ id: 128, values: { 12: 'Ålesund' } }] },
      }),
      ofRows({ type: 'InstancesRemoved', data: { ids: [64, 192] } }),
    );
    await eventually(async () => expect(await entriesIn(pool)).toEqual([[128, 'a1', 'alesund', 5]]));
    append(ofRows({ type: 'InstancesRestored', data: { ids: [192] } }));
    await eventually(async () =>
      expect(await entriesIn(pool)).toEqual([
        [128, 'a1', 'alesund', 5],
        [192, 'gva', 'geneve', 4],
      ]),
    );
  });

  it('contain the new label after the label field changes, also when the type changes the choice', async () => {
    const { pool, append } = await project();
    append(ofDataSet({ type: 'DataSetDetailsChanged', data: { labelFieldId: 13 } }));
    await eventually(async () =>
      expect(await entriesIn(pool)).toEqual([
        [64, 'zrh', 'kloten', 4],
        [128, 'a1', 'empty', 3],
        [192, 'gva', 'cointrin', 6],
      ]),
    );
    append(newEvent(streams.referenceType(1), { type: 'FieldRetired', data: { fieldId: 13 } }));
    await eventually(async () => expect(await entriesIn(pool)).toEqual(ENTRIES));
  });

  it('are removed with their data set', async () => {
    const { pool, append } = await project();
    append(ofDataSet({ type: 'DataSetDeleted', data: {} }));
    await eventually(async () => expect(await entriesIn(pool)).toEqual([]));
  });

  it('are the same after another run and in a new build, and are not included in its checksums', async () => {
    const { pool, projector } = await project();
    const schema = await schemaOf(pool, 'instances');
    const serving = Object.fromEntries(
      await Promise.all(projections.map(async ({ name }) => [name, await schemaOf(pool, name)] as const)),
    );
    const before = await checksumsOf(pool);
    await pool.query(`DELETE FROM ${schema}.search_sets`);
    await fillSearchEntries(pool, serving, schema);
    await fillSearchEntries(pool, serving, schema);
    expect(await entriesIn(pool)).toEqual(ENTRIES);

    const instances = projections.filter(({ name }) => name === 'instances');
    await projector.rebuilder?.rebuild(...instances);
    await eventually(async () => expect(await schemaOf(pool, 'instances')).not.toBe(schema));
    // A new build has its entries before it serves.
    expect(await entriesIn(pool)).toEqual(ENTRIES);
    expect(await checksumsOf(pool)).toEqual(before);
  });
});
