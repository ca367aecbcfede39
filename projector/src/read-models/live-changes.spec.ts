/** Tests the live changes of several kinds of events, also of events with arbitrary data. */
import { LIVE_IDS_MAX, type ProductEvent } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NumberedEvent, numberEvent } from '../engine/numbered-event.ts';
import { liveChange, liveRows } from './live-changes.ts';

const eventOf = (stream: string, event: ProductEvent | { type: string; data: unknown }): NumberedEvent =>
  numberEvent(
    {
      ...event,
      id: 'id',
      stream,
      revision: 0,
      position: 12_345_678_901_234_567_890n,
      prepare: 0n,
      metadata: eventMetadata({ $causationId: 'command', actorId: 7, dataSetIds: [3] }),
    },
    9,
  );

describe('the live change of an event', () => {
  it('lists the changed rows of an entity with their new revisions', () => {
    const event = eventOf('mappings-3.7', {
      type: 'MappingsEdited',
      data: { rows: [{ id: 71, targetValue: 'a', confidence: 1 }] },
    });
    expect(liveRows([event], new Map([[9, [4]]]))).toEqual([
      {
        seq: 9,
        position: '12345678901234567890',
        type: 'MappingsEdited',
        entity: 'mapping',
        entity_id: 3,
        ids: [71],
        count: 1,
        revisions: [4],
        changed_fields: ['targetValue', 'confidence'],
        actor_id: 7,
        command_id: 'command',
        data_set_ids: [3],
      },
    ]);
  });

  it('lists the id of the entity if the entity itself changed', () => {
    const event = eventOf('dataSet-3', { type: 'DataSetDetailsChanged', data: { name: 'x' } });
    expect(liveChange(event)).toMatchObject({
      entity: 'data-set',
      entity_id: 3,
      ids: [3],
      count: 1,
      changed_fields: ['name'],
    });
  });

  it('takes the entity of an access event from the data of the event', () => {
    const changeOf = (event: ProductEvent) => liveChange(eventOf('access-main', event));
    expect(changeOf({ type: 'UserDeactivated', data: { userId: 5 } })).toMatchObject({ entity: 'user', entity_id: 5 });
    expect(changeOf({ type: 'RoleDeleted', data: { roleId: 6 } })).toMatchObject({ entity: 'role', entity_id: 6 });
    expect(changeOf({ type: 'GroupDeleted', data: { groupId: 8 } })).toMatchObject({ entity: 'group', entity_id: 8 });
    expect(changeOf({ type: 'CollectionChanged', data: { collectionId: 9, tags: ['a'] } })).toMatchObject({
      entity: 'collection',
      entity_id: 9,
      changed_fields: ['tags'],
    });
  });

  it('lists the changed fields of instances by field id', () => {
    const rows = [
      { id: 1, values: { 11: 'a' } },
      { id: 65, values: { 11: 'b', 12: 'c' } },
    ];
    const event = eventOf('instances-3.1', { type: 'InstancesChanged', data: { schemaRevision: 1, rows } });
    expect(liveChange(event)).toMatchObject({ entity: 'instance', ids: [1, 65], changed_fields: ['11', '12'] });
  });

  it('has a count and no ids if too many rows changed', () => {
    const ids = Array.from({ length: LIVE_IDS_MAX + 1 }, (_, index) => index + 1);
    const event = eventOf('mappings-3.7', { type: 'MappingsApproved', data: { ids } });
    const [row] = liveRows([event], new Map([[9, ids]]));
    expect(row).toMatchObject({ ids: null, revisions: null, count: LIVE_IDS_MAX + 1 });
  });

  it('is undefined for claimed names, which no page shows', () => {
    expect(
      liveChange(eventOf('names-types', { type: 'NameClaimed', data: { name: 'x', ownerId: 1 } })),
    ).toBeUndefined();
  });

  it('never fails, regardless of the data', () => {
    const types = ['InstancesChanged', 'MappingsEdited', 'RoleChanged', 'InstancesImported', 'MissingMappingRequested'];
    const streams = ['instances-1.1', 'access-main', 'mappings-x', 'odd', 'crosswalk-1'];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.constantFrom(...streams), fc.jsonValue(), (type, stream, data) => {
        const change = liveChange(eventOf(stream, { type, data }));
        if (change) expect(Number.isSafeInteger(change.entity_id)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.jsonValue(), (type, rows) => {
        expect(() => liveChange(eventOf('instances-1.1', { type, data: { rows } }))).not.toThrow();
      }),
    );
  });
});
