/** Tests which live changes of a command become one change. */
import type { LiveChange } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { coalesceChanges } from './coalesce-changes.ts';

const governed = (seq: number, difference: Partial<LiveChange> = {}, dataSetId = 1) => ({
  change: {
    seq,
    position: String(seq),
    type: 'MappingsApproved',
    entity: 'mapping' as const,
    entityId: 3,
    ids: null,
    count: 150,
    revisions: null,
    changedFields: null,
    actorId: 2,
    commandId: 'c',
    ...difference,
  },
  dataSets: [{ id: dataSetId, createdBy: 1 }],
});

describe('changes', () => {
  it('become one change with the last seq if they differ only in seq, position and count', () => {
    const other = governed(2, { type: 'ReferenceTypeDetailsChanged', entity: 'reference-type', ids: [7], count: 1 });
    expect(coalesceChanges([governed(1), other, governed(3), governed(4, { count: 110 })])).toEqual([
      other,
      governed(4, { count: 410 }),
    ]);
  });

  it('stay unchanged if they are small enough to list their rows', () => {
    const withRows = [governed(1, { ids: [1, 2], count: 2 }), governed(2, { ids: [3], count: 1 })];
    expect(coalesceChanges(withRows)).toEqual(withRows);
  });

  it.each([
    ['command', governed(2, { commandId: 'd' })],
    ['user', governed(2, { actorId: 9 })],
    ['event type', governed(2, { type: 'MappingsRejected' })],
    ['crosswalk', governed(2, { entityId: 4 })],
    ['data set', governed(2, {}, 5)],
  ])('stay separate if they differ in their %s', (_, other) => {
    expect(coalesceChanges([governed(1), other])).toEqual([governed(1), other]);
  });
});
