/** Tests the overlay of edits: typed values are saved, displayed as failed, or resolved by the user; never lost. */
import type { CellValue } from '@rdm/contracts/text/rows';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Batch, Edits, type ReadRow } from './edits.ts';

const ROW: ReadRow = { id: 64, key: '007', revision: 3, data: { name: 'Bond', level: 7 } };
const done = (batch: Batch) =>
  batch.map(({ id, revision }) => ({ id, outcome: 'done' as const, revision: revision + 1 }));
const stale = (batch: Batch) => batch.map(({ id }) => ({ id, outcome: 'refused' as const, code: 'STALE' }));

describe('an edit', () => {
  it('is displayed immediately, is sent with the expected revision, and is dropped when the list contains it', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    expect(edits.value(ROW, 'name')).toBe('James');
    expect(edits.mark(64, 'name')?.mark).toBe('edited');
    const batch = edits.take(10);
    expect(batch).toEqual([{ id: 64, revision: 3, data: { name: 'James' } }]);
    expect(edits.take(10)).toEqual([]);
    edits.answered(batch, done(batch));
    expect(edits.mark(64, 'name')).toBeUndefined();
    // A list that is behind does not show the old value again.
    edits.shown([ROW]);
    expect(edits.value(ROW, 'name')).toBe('James');
    edits.shown([{ id: 64, revision: 4 }]);
    expect(edits.of(64)).toBeUndefined();
  });

  it('is removed by typing the stored value', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    edits.edit({ row: ROW, cells: { name: 'Bond' } });
    expect(edits.of(64)).toBeUndefined();
  });

  it('during a request is sent next, with the returned revision', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const first = edits.take(10);
    edits.edit({ row: ROW, cells: { name: 'Jim' } });
    expect(edits.value(ROW, 'name')).toBe('Jim');
    edits.answered(first, done(first));
    expect(edits.take(10)).toEqual([{ id: 64, revision: 4, data: { name: 'Jim' } }]);
  });

  it('back to the original value counts, even if the row was read before the last edit was saved', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const first = edits.take(10);
    edits.answered(first, done(first));
    edits.shown([{ id: 64, revision: 4 }]);
    expect(edits.of(64)).toBeUndefined();
    // The editor was opened on the row as it was read before.
    expect(edits.value(ROW, 'name')).toBe('James');
    edits.edit({ row: ROW, cells: { name: 'Bond' } });
    expect(edits.take(10)).toEqual([{ id: 64, revision: 4, data: { name: 'Bond' } }]);
    expect(edits.of(64)?.base).toEqual({ name: 'James' });
  });

  it.each([true, false])(
    'of a cell that was read before another user’s change is a conflict (list reloaded: %s)',
    (isShown) => {
      const edits = new Edits();
      edits.edit({ row: ROW, cells: { name: 'James' } });
      const first = edits.take(10);
      edits.answered(first, stale(first));
      edits.met(64, { ...ROW, revision: 4, data: { name: 'Bond', level: 9 } });
      const second = edits.take(10);
      expect(second).toEqual([{ id: 64, revision: 4, data: { name: 'James' } }]);
      edits.answered(second, done(second));
      if (isShown) edits.shown([{ id: 64, revision: 5 }]);
      // The user started typing before the level became 9.
      edits.edit({ row: ROW, cells: { level: 8 } });
      const third = edits.take(10);
      expect(third).toEqual([{ id: 64, revision: 3, data: { level: 8 } }]);
      edits.answered(third, stale(third));
      edits.met(64, { ...ROW, revision: 5, data: { name: 'James', level: 9 } });
      expect(edits.of(64)?.conflict?.overlaps).toEqual([{ field: 'level', base: 7, mine: 8, theirs: 9 }]);
    },
  );

  it('that was rejected stays with its reason until it is retried or discarded', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { level: 8 } });
    const batch = edits.take(10);
    edits.answered(batch, [{ id: 64, outcome: 'refused', code: 'INVALID', message: 'level: too high' }]);
    expect(edits.mark(64, 'level')).toEqual({ mark: 'failed', note: 'level: too high' });
    expect(edits.take(10)).toEqual([]);
    edits.retry();
    expect(edits.take(10)).toHaveLength(1);
  });

  it('that was rejected is sent again with the next edit of the row', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { level: 8 } });
    edits.answered(edits.take(10), [{ id: 64, outcome: 'refused', code: 'INVALID', message: 'level: too high' }]);
    edits.edit({ row: ROW, cells: { level: 6 } });
    expect(edits.mark(64, 'level')).toEqual({ mark: 'edited', note: undefined });
    expect(edits.take(10)).toEqual([{ id: 64, revision: 3, data: { level: 6 } }]);
  });

  it('can be retried for one row', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { level: 8 } }, { row: { ...ROW, id: 65, key: '008' }, cells: { level: 9 } });
    edits.failed(edits.take(10), 'offline');
    edits.retry([65]);
    expect(edits.take(10).map(({ id }) => id)).toEqual([65]);
  });

  it('whose request was lost stays pending, together with later edits', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const batch = edits.take(10);
    edits.edit({ row: ROW, cells: { level: 8 } });
    edits.failed(batch, 'offline');
    expect(edits.kept().rows).toEqual([
      { id: 64, key: '007', revision: 3, base: { name: 'Bond', level: 7 }, waiting: { name: 'James', level: 8 } },
    ]);
  });

  it('that is not valid for its type stays as text until it is corrected', () => {
    const edits = new Edits();
    edits.keepUnreadable({ row: ROW, field: 'level', text: 'seven', reason: '"seven" is not a number' });
    expect(edits.mark(64, 'level')).toEqual({ mark: 'failed', note: '"seven" is not a number' });
    expect(new Edits(edits.kept()).unreadable(64, 'level')?.text).toBe('seven');
    edits.edit({ row: ROW, cells: { level: 8 } });
    expect(edits.unreadables()).toEqual([]);
  });

  it('is kept over a reload', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const again = new Edits(edits.kept());
    expect(again.take(10)).toEqual([{ id: 64, revision: 3, data: { name: 'James' } }]);
  });
});

describe('a row that another user changed in the meantime', () => {
  const met = (theirs: ReadRow['data']) => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const batch = edits.take(10);
    expect(edits.answered(batch, stale(batch))).toEqual([64]);
    edits.met(64, { ...ROW, revision: 9, data: { ...ROW.data, ...theirs } });
    return edits;
  };

  it('merges edits of other cells', () => {
    expect(met({ level: 8 }).take(10)).toEqual([{ id: 64, revision: 9, data: { name: 'James' } }]);
  });

  it('keeps edits of the same cells pending until the user decides', () => {
    const edits = met({ name: 'Jim' });
    expect(edits.mark(64, 'name')?.mark).toBe('conflict');
    expect(edits.of(64)?.conflict?.overlaps).toEqual([{ field: 'name', base: 'Bond', mine: 'James', theirs: 'Jim' }]);
    expect(edits.take(10)).toEqual([]);
    edits.resolve(64, new Set(['name']));
    expect(edits.take(10)).toEqual([{ id: 64, revision: 9, data: { name: 'James' } }]);
  });

  it('keeps the other user’s value if that was chosen', () => {
    const edits = met({ name: 'Jim' });
    edits.resolve(64, new Set());
    expect(edits.unsaved()).toEqual([]);
  });

  it('has no conflict if both wrote the same value', () => {
    expect(met({ name: 'James' }).unsaved()).toEqual([]);
  });

  it('keeps the typed text after the row was deleted', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    edits.take(10);
    edits.failed([{ id: 64, revision: 3, data: {} }], 'x');
    edits.met(64, undefined);
    expect(edits.mark(64, 'name')).toEqual({ mark: 'failed', note: 'This row was deleted in the meantime' });
  });
});

describe('any sequence of events', () => {
  const fields = ['a', 'b'] as const;
  const field = fc.constantFrom(...fields);
  const step = fc.oneof(
    fc.record({ do: fc.constant('type' as const), field, value: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ do: fc.constant('other' as const), field, value: fc.integer({ min: 10, max: 19 }) }),
    fc.record({
      do: fc.constantFrom('send' as const, 'answer' as const, 'lose' as const, 'read' as const, 'meet' as const),
    }),
    fc.record({ do: fc.constant('choose' as const), mine: fc.boolean() }),
  );

  it('saves the last value typed into a cell, unless the user chose the other one', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const edits = new Edits();
        const server: ReadRow = { id: 1, key: 'k', revision: 1, data: { a: null, b: null } };
        let read: ReadRow = { ...server, data: { ...server.data } };
        let way: Batch = [];
        /** Rows with a known conflict whose current version is not loaded yet. */
        let behind: number[] = [];
        /** The user's last value of each cell, and whether the server has stored it since. */
        const wanted = new Map<string, { value: CellValue; stored: boolean }>();

        const write = (cells: ReadRow['data'], own: boolean) => {
          server.data = { ...server.data, ...cells };
          server.revision += 1;
          if (!own) return;
          for (const [name, value] of Object.entries(cells)) {
            const wish = wanted.get(name);
            if (wish?.value === value) wish.stored = true;
          }
        };
        const look = () => {
          read = { ...server, data: { ...server.data } };
          edits.shown([read]);
        };
        const meet = () => {
          for (const id of behind) edits.met(id, { ...server, data: { ...server.data } });
          behind = [];
        };
        const answer = () => {
          if (way.length === 0) return;
          const [change] = way;
          const batch = way;
          way = [];
          if (change?.revision !== server.revision) {
            behind.push(...edits.answered(batch, stale(batch)));
            return;
          }
          write(change.data, true);
          edits.answered(batch, [{ id: 1, outcome: 'done', revision: server.revision }]);
        };
        const choose = (mine: boolean) => {
          const overlaps = edits.of(1)?.conflict?.overlaps ?? [];
          if (!mine) for (const { field: name } of overlaps) wanted.delete(name);
          edits.resolve(1, new Set(mine ? overlaps.map(({ field: name }) => name) : []));
        };

        /** Typing the stored value is no edit: nothing is sent that could conflict. */
        const isUnderWay = (name: string) => {
          const edit = edits.of(1);
          return edit !== undefined && (name in edit.waiting || name in edit.sending);
        };

        for (const each of steps) {
          if (each.do === 'type') {
            const before = edits.value(read, each.field);
            edits.edit({ row: read, cells: { [each.field]: each.value } });
            expect(edits.value(read, each.field)).toBe(each.value);
            if (before !== each.value || !wanted.has(each.field))
              wanted.set(each.field, { value: each.value, stored: before === each.value || !isUnderWay(each.field) });
          } else if (each.do === 'other') write({ [each.field]: each.value }, false);
          else if (each.do === 'send' && way.length === 0) way = edits.take(10);
          else if (each.do === 'answer') answer();
          else if (each.do === 'lose' && way.length > 0) {
            edits.failed(way, 'lost');
            way = [];
            edits.retry();
          } else if (each.do === 'read') look();
          else if (each.do === 'meet') meet();
          else if (each.do === 'choose') choose(each.mine);
        }
        for (let round = 0; round < 10; round++) {
          answer();
          meet();
          choose(true);
          if (way.length === 0) way = edits.take(10);
          answer();
        }
        expect(edits.unsaved()).toEqual([]);
        for (const [name, wish] of wanted) {
          expect([name, wish.stored || server.data[name] === wish.value]).toEqual([name, true]);
        }
        look();
        expect(edits.of(1)).toBeUndefined();
        for (const name of fields) expect(edits.value(read, name)).toBe(server.data[name] ?? null);
      }),
      { numRuns: 3_000 },
    );
  });
});
