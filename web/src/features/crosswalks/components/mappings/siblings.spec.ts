/** Tests the display of a source value with several targets as a group. */
import { describe, expect, it } from 'vitest';
import { mapping } from '../../fixtures.ts';
import { groupBySource } from './siblings.ts';

const anCuw = mapping({ id: 1, sourceValue: 'AN', targetValue: 'CUW' });
const anSxm = mapping({ id: 2, sourceValue: 'AN', targetValue: 'SXM', status: 'APPROVED' });
const atAut = mapping({ id: 3, sourceValue: 'AT', targetValue: 'AUT' });

describe('mappings of one source value', () => {
  it('list the targets of the other mappings as further targets', () => {
    const groups = groupBySource([anCuw, anSxm, atAut], []);
    expect(groups.get(1)?.others).toEqual([{ id: 2, targetValue: 'SXM', status: 'APPROVED' }]);
    expect(groups.get(2)?.others).toEqual([{ id: 1, targetValue: 'CUW', status: 'DRAFT' }]);
    expect(groups.get(3)?.others).toEqual([]);
  });

  it('continue a group if the previous row has the same source value', () => {
    const groups = groupBySource([anCuw, anSxm, atAut], []);
    expect([1, 2, 3].map((id) => groups.get(id)?.continues)).toEqual([false, true, false]);
  });

  it('list a further target even if its mapping is on another tab or page', () => {
    expect(groupBySource([anCuw], [anCuw, anSxm]).get(1)?.others).toEqual([
      { id: 2, targetValue: 'SXM', status: 'APPROVED' },
    ]);
  });

  it('use the row of the page if the siblings were read earlier and differ', () => {
    const stale = mapping({ ...anSxm, targetValue: 'ABW' });
    expect(
      groupBySource([anCuw, anSxm], [stale])
        .get(1)
        ?.others.map(({ targetValue }) => targetValue),
    ).toEqual(['SXM']);
  });
});
