/**
 * Renames a field of a data set. Checks that the rename writes no row events, and that reads use the new name at once.
 */
import { BUCKETS, streams } from '@rdm/contracts';
import type { EventStore } from '@rdm/platform';
import { expect } from 'vitest';
import { done } from './fixtures.ts';
import type { Answer, HttpClient, Json } from './http-client.ts';

/** Returns the fields of a type in the form that the schema drawer sends. */
export async function fieldsOf(person: HttpClient, type: number): Promise<Json[]> {
  const fields = done(await person.get(`/api/reference-types/${type}/schemas`));
  return fields.map(({ fieldId, name, dataType, isPrimaryKey }: Json) => ({ fieldId, name, dataType, isPrimaryKey }));
}

/** Returns the fields with a change of the named field. If `change` is undefined, the named field is removed. */
export const withFieldChange = (fields: Json[], name: string, change: Json | undefined): Json[] =>
  fields.flatMap((field) => (field.name !== name ? [field] : change === undefined ? [] : [{ ...field, ...change }]));

export const filterRows = (person: HttpClient, dataSet: number, field: string, value: string): Promise<Answer> => {
  const filter = { logic: 'AND', conditions: [{ field, operator: 'equals', value }] };
  return person.get(`/api/reference-data/${dataSet}/instances?filter=${encodeURIComponent(JSON.stringify(filter))}`);
};

/** Counts the events of all row streams of a data set. */
async function countRowEvents(store: EventStore, dataSet: number): Promise<number> {
  const tails = await Promise.all(
    Array.from({ length: BUCKETS }, (_, bucket) => store.tail(streams.instances(dataSet, bucket))),
  );
  return tails.reduce((sum, tail) => sum + (tail ? tail.revision + 1 : 0), 0);
}

export interface FieldRename {
  person: HttpClient;
  store: EventStore;
  type: number;
  dataSet: number;
  from: string;
  to: string;
  /** `value` is the value of the field in this row, and in no other row. */
  row: { key: string; value: string };
}

/** Renames the field and checks the result. Returns the counts of row events and the time of the request. */
export async function renameField({ person, store, type, dataSet, from, to, row }: FieldRename) {
  const before = await countRowEvents(store, dataSet);
  expect(before).toBeGreaterThanOrEqual(BUCKETS);
  const rowBefore = done(await person.get(`/api/reference-data/${dataSet}/instances?key=${row.key}`)).items[0];
  const fields = withFieldChange(await fieldsOf(person, type), from, { name: to });
  const { revision } = done(await person.get(`/api/reference-types/${type}`));
  const startedAt = performance.now();
  done(await person.put(`/api/reference-types/${type}/schemas`, { schemas: fields }, { ifMatch: revision }));
  const milliseconds = performance.now() - startedAt;

  const { items } = done(await person.get(`/api/reference-data/${dataSet}/instances?key=${row.key}`));
  expect(items).toMatchObject([{ revision: rowBefore.revision, data: { [to]: row.value } }]);
  expect(items[0].data).not.toHaveProperty(from);
  expect(done(await filterRows(person, dataSet, to, row.value)).items).toMatchObject([{ key: row.key }]);
  const after = await countRowEvents(store, dataSet);
  expect(after).toBe(before);
  // The newest event of the type is the rename.
  const { items: events } = done(await person.get(`/api/reference-types/${type}/events`));
  expect(events[0]).toMatchObject({ type: 'FieldRenamed', data: { name: to } });
  return { before, after, milliseconds };
}
