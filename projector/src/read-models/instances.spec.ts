/** Tests the folds of instances, and how a batch changes the row counts of data sets. */
import type { InstanceEvent } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Change } from '../tables/folded-table.ts';
import { countChanges, type InstanceTableRow, instanceRows } from './instances.ts';

const metadata = { occurredAt: '2026-01-01T00:00:00.000Z', actorId: 4 };
const eventOf = (event: InstanceEvent, entityId = 7): NumberedEvent<InstanceEvent> =>
  ({ ...event, entityId, seq: 1, metadata }) as never;
const added = eventOf({
  type: 'InstancesAdded',
  data: { schemaRevision: 1, keyFieldIds: [11], rows: [{ id: 64, values: { 11: 'a', 12: 'x' } }] },
});

const rowAfter = (event: NumberedEvent<InstanceEvent>, ...rows: (InstanceTableRow | undefined)[]) =>
  instanceRows.fold(event, rows)[0] as InstanceTableRow;

const changes = (...events: NumberedEvent<InstanceEvent>[]): Change<InstanceTableRow, InstanceEvent>[] => {
  let before: InstanceTableRow | undefined;
  return events.map((event) => {
    const after = rowAfter(event, before);
    const change = { event, before, after };
    before = after;
    return change;
  });
};

const removed = eventOf({ type: 'InstancesRemoved', data: { ids: [64] } });
const restored = eventOf({ type: 'InstancesRestored', data: { ids: [64] } });

describe('a row', () => {
  it('keeps its creator, and gets the cells, the user and the job of its last change', () => {
    const changed = eventOf({
      type: 'InstancesChanged',
      data: { schemaRevision: 1, jobId: 9, rows: [{ id: 64, values: { 12: null } }] },
    });
    expect(
      rowAfter({ ...changed, metadata: { ...metadata, actorId: 5 } } as never, rowAfter(added, undefined)),
    ).toMatchObject({
      data_set_id: 7,
      id: 64,
      revision: 2,
      key: '["a"]',
      data: { 11: 'a', 12: null },
      deleted: false,
      job_id: 9,
      created_by: 4,
      updated_by: 5,
    });
  });

  it('is not created by an event that removes it', () => {
    expect(instanceRows.fold(removed, [undefined])).toEqual([undefined]);
  });
});

describe('the number of rows', () => {
  it('grows with added and restored rows, and falls with removed rows', () => {
    expect(countChanges(changes(added))).toMatchObject([{ data_set_id: 7, instances: 1, updated_by: 4 }]);
    expect(countChanges(changes(added, removed))).toMatchObject([{ instances: 0 }]);
    expect(countChanges(changes(added, removed, removed, restored))).toMatchObject([{ instances: 1 }]);
  });

  it('is counted per data set', () => {
    const other = { ...changes(added)[0], event: { ...added, entityId: 8 } } as never;
    expect(countChanges([...changes(added), other]).map(({ data_set_id: id, instances }) => [id, instances])).toEqual([
      [7, 1],
      [8, 1],
    ]);
  });
});
