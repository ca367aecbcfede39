/** Tests the replay of a row, which shares its stream with other rows. */
import { bucketOfRow, type RecordedEvent, streams } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { replay, subjectOfEntity } from './replay.ts';

const DATA_SET = 5;
const ROW = 1;
const OTHER_ROW = 2;

let revision = 0;
const recorded = (type: string, data: unknown, undecodable?: string): RecordedEvent =>
  ({
    id: `event-${revision}`,
    type,
    stream: streams.instances(DATA_SET, bucketOfRow(ROW)),
    revision: revision++,
    data,
    metadata: { occurredAt: '2026-11-20T10:00:00.000Z' },
    ...(undecodable === undefined ? {} : { undecodable }),
  }) as unknown as RecordedEvent;

async function stepsOf(entity: string, events: RecordedEvent[]) {
  const steps = [];
  const read = async function* () {
    yield* events;
  };
  for await (const { event, data, state } of replay(subjectOfEntity(entity), read)) {
    steps.push({ type: event.type, data, state: state() });
  }
  return steps;
}

describe('the replay of a row', () => {
  const added = recorded('InstancesAdded', {
    keyFieldIds: [7],
    rows: [
      { id: ROW, values: { 7: 'a' } },
      { id: OTHER_ROW, values: { 7: 'b' } },
    ],
  });
  const undecodable = recorded('InstancesChanged', { unknown: true }, 'version 9 is unknown');
  const otherRemoved = recorded('InstancesRemoved', { ids: [OTHER_ROW] });
  const removed = recorded('InstancesRemoved', { ids: [ROW, OTHER_ROW] });
  const entity = `instance:${DATA_SET}:${ROW}`;

  it('yields only the events and data of the row', async () => {
    expect(await stepsOf(entity, [added, otherRemoved, removed])).toMatchObject([
      {
        type: 'InstancesAdded',
        data: { keyFieldIds: [7], rows: [{ id: ROW, values: { 7: 'a' } }] },
        state: { id: ROW, removed: false },
      },
      { type: 'InstancesRemoved', data: { ids: [ROW] }, state: { id: ROW, removed: true } },
    ]);
  });

  it('yields null as the state after an undecodable event and all later events', async () => {
    expect((await stepsOf(entity, [added, undecodable, otherRemoved, removed])).slice(1)).toEqual([
      { type: 'InstancesChanged', data: { unknown: true }, state: null },
      { type: 'InstancesRemoved', data: { ids: [ROW] }, state: null },
    ]);
  });
});
