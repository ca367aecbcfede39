/** Projects the rows of a small data set and reads their search entries. */
import { type ProductEvent, streams } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { expect } from 'vitest';
import {
  eventually,
  MemoryLog,
  type ProjectorEnvironment,
  schemaOf,
  useProjectorEnvironment,
  waitUntilProjected,
} from './environment.ts';
import { type NewEvent, recorder } from './generated-history.ts';

let environment: ProjectorEnvironment;

/** Starts the environment of the projector before the tests of a file. */
export function useSearchedRows(): void {
  environment = useProjectorEnvironment();
}

export const newEvent = (stream: string, event: ProductEvent): NewEvent => ({
  ...event,
  stream,
  actorId: 1,
  dataSetIds: [1],
});
export const dataSetEvent = (event: ProductEvent) => newEvent(streams.dataSet(1), event);
export const rowsEvent = (event: ProductEvent) => newEvent(streams.instances(1, 0), event);
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
  dataSetEvent({
    type: 'DataSetCreated',
    data: { id: 1, name: 'Cities', description: '', typeId: 1, keyFieldIds: [11] },
  }),
  rowsEvent({
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

/** Returns the search entries of the serving build: the id, code, label and number of search parts of each row. */
export async function entriesIn(pool: Pool): Promise<[number, string, string | null, number][]> {
  const { rows } = await pool.query(
    `SELECT id, code, label, cardinality(parts) AS parts FROM ${await schemaOf(pool, 'instances')}.search_entries ORDER BY id`,
  );
  return rows.map(({ id, code, label, parts }) => [id, code, label, parts]);
}

export async function project(): Promise<
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

export const ENTRIES = [
  [64, 'zrh', 'zurich', 4],
  [128, 'a1', null, 0],
  [192, 'gva', 'geneve', 4],
];
