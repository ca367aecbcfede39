/** Tests the groups of mappings with the same source value. */
import { describe, expect, it } from 'vitest';
import { mapping } from '../../fixtures.ts';
import { groupBySource } from './siblings.ts';

const anCuw = mapping({ id: 1, sourceValue: 'AN', targetValue: 'CUW' });
const anSxm = mapping({ id: 2, sourceValue: 'AN', targetValue: 'SXM', status: 'APPROVED' });
const atAut = mapping({ id: 3, sourceValue: 'AT', targetValue: 'AUT' });

describe('mappings of one source value', () => {
  it('list the further targets of their source value', () => {
    const groups = groupBySource([anCuw, anSxm, atAut], []);
    expect(groups.get(1)?.others).toEqual([{ id: 2, targetValue: 'SXM', status: 'APPROVED', served: null }]);
    expect(groups.get(2)?.others).toEqual([{ id: 1, targetValue: 'CUW', status: 'DRAFT', served: null }]);
    expect(groups.get(3)?.others).toEqual([]);
  });

  it('continue a group if the previous row has the same source value', () => {
    const groups = groupBySource([anCuw, anSxm, atAut], []);
    expect([1, 2, 3].map((id) => groups.get(id)?.continues)).toEqual([false, true, false]);
  });

  it('list further targets from other tabs or pages', () => {
    expect(groupBySource([anCuw], [anCuw, anSxm]).get(1)?.others).toEqual([
      { id: 2, targetValue: 'SXM', status: 'APPROVED', served: null },
    ]);
  });

  it('use the rows of the page instead of outdated siblings', () => {
    const stale = mapping({ ...anSxm, targetValue: 'ABW' });
    expect(
      groupBySource([anCuw, anSxm], [stale])
        .get(1)
        ?.others.map(({ targetValue }) => targetValue),
    ).toEqual(['SXM']);
  });
});
