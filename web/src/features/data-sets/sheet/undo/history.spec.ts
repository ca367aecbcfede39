/** Tests the undo of steps: their inverse, their order, and the later changes that an undo would overwrite. */
import { describe, expect, it } from 'vitest';
import {
  addStep,
  afterRedo,
  afterUndo,
  EMPTY_HISTORY,
  inverse,
  laterChanges,
  type Step,
  withoutCells,
} from './history.ts';

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

  it('can be undone and redone in order, until a new step clears the redo stack', () => {
    const [one, two] = [step('one'), step('two')];
    const both = addStep(addStep(EMPTY_HISTORY, one), two);
    const back = afterUndo(both, two);
    expect([back.past, back.future]).toEqual([[one], [two]]);
    expect(afterRedo(back, two)).toEqual(both);
    expect(addStep(back, step('three')).future).toEqual([]);
  });

  it('list the cells whose later changes an undo would overwrite', () => {
    const { cells } = step('pasted');
    const readCurrent = (values: Record<string, string | number>) => (_: number, field: string) => values[field];
    expect(laterChanges(cells, readCurrent({ name: 'James', level: 8 }))).toEqual([]);
    // The cell already has the value that the undo would write.
    expect(laterChanges(cells, readCurrent({ name: 'Bond', level: 8 }))).toEqual([]);
    const later = laterChanges(cells, readCurrent({ name: 'Jim', level: 8 }));
    expect(later).toEqual([{ id: 1, key: '007', field: 'name', written: 'James', now: 'Jim', next: 'Bond' }]);
    expect(withoutCells(cells, later)).toEqual([{ id: 1, key: '007', before: { level: 7 }, after: { level: 8 } }]);
  });
});
