/** Tests undoing steps: the inverse, the order, and the later changes that an undo would overwrite. */
import { describe, expect, it } from 'vitest';
import { did, inverse, laterWork, noSteps, redid, type Step, undid, without } from './history.ts';

const step = (text: string): Step => ({
  text,
  cells: [{ id: 1, key: '007', before: { name: 'Bond', level: 7 }, after: { name: 'James', level: 8 } }],
  added: [{ id: 2, key: '008', revision: 1, data: { name: 'Bill' } }],
  deleted: [],
});

describe('steps', () => {
  it('are undone and redone by their inverse', () => {
    const back = inverse(step('pasted'));
    expect(back.cells[0]).toMatchObject({ before: { name: 'James' }, after: { name: 'Bond' } });
    expect([back.added, back.deleted]).toEqual([[], step('pasted').added]);
    expect(inverse(back)).toEqual(step('pasted'));
  });

  it('can be undone and redone in order until a new step', () => {
    const [one, two] = [step('one'), step('two')];
    const both = did(did(noSteps, one), two);
    const back = undid(both, two);
    expect([back.past, back.future]).toEqual([[one], [two]]);
    expect(redid(back, two)).toEqual(both);
    expect(did(back, step('three')).future).toEqual([]);
  });

  it('list the cells that were changed since, and no others', () => {
    const { cells } = step('pasted');
    const now = (values: Record<string, string | number>) => (_: number, field: string) => values[field];
    expect(laterWork(cells, now({ name: 'James', level: 8 }))).toEqual([]);
    // Already reverted.
    expect(laterWork(cells, now({ name: 'Bond', level: 8 }))).toEqual([]);
    const later = laterWork(cells, now({ name: 'Jim', level: 8 }));
    expect(later).toEqual([{ id: 1, key: '007', field: 'name', left: 'James', now: 'Jim', next: 'Bond' }]);
    expect(without(cells, later)).toEqual([{ id: 1, key: '007', before: { level: 7 }, after: { level: 8 } }]);
  });
});
