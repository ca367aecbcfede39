/** Tests the overlay of edits: a typed value is saved, or displayed as failed or in conflict, but never lost. */
import type { CellValue } from '@rdm/contracts/text/rows';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Edits, type ReadRow, type SentRows } from './edits.ts';

const ROW: ReadRow = { id: 64, key: '007', revision: 3, data: { name: 'Bond', level: 7 } };
const savedOutcomes = (batch: SentRows) =>
  batch.map(({ id, revision }) => ({ id, outcome: 'done' as const, revision: revision + 1 }));
const staleOutcomes = (batch: SentRows) => batch.map(({ id }) => ({ id, outcome: 'refused' as const, code: 'STALE' }));

describe('an edit', () => {
  it('is displayed until the list contains the saved value', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    expect(edits.value(ROW, 'name')).toBe('James');
    expect(edits.mark(64, 'name')?.mark).toBe('edited');
    const batch = edits.startSending(10);
    expect(batch).toEqual([{ id: 64, revision: 3, data: { name: 'James' } }]);
    expect(edits.startSending(10)).toEqual([]);
    edits.applyResults(batch, savedOutcomes(batch));
    expect(edits.mark(64, 'name')).toBeUndefined();
    // The list does not contain the edit yet: the overlay still shows the new value.
    edits.dropLoaded([ROW]);
    expect(edits.value(ROW, 'name')).toBe('James');
    edits.dropLoaded([{ id: 64, revision: 4 }]);
    expect(edits.rowEdit(64)).toBeUndefined();
  });

  it('is dropped when the user types the stored value again', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    edits.edit({ row: ROW, cells: { name: 'Bond' } });
    expect(edits.rowEdit(64)).toBeUndefined();
  });

  it('is sent after the running request, with the revision that the request returned', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const first = edits.startSending(10);
    edits.edit({ row: ROW, cells: { name: 'Jim' } });
    expect(edits.value(ROW, 'name')).toBe('Jim');
    edits.applyResults(first, savedOutcomes(first));
    expect(edits.startSending(10)).toEqual([{ id: 64, revision: 4, data: { name: 'Jim' } }]);
  });

  it('is sent even if the editor was opened on an older row with the same value', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const first = edits.startSending(10);
    edits.applyResults(first, savedOutcomes(first));
    edits.dropLoaded([{ id: 64, revision: 4 }]);
    expect(edits.rowEdit(64)).toBeUndefined();
    // The editor was opened while the list still contained the original row.
    expect(edits.value(ROW, 'name')).toBe('James');
    edits.edit({ row: ROW, cells: { name: 'Bond' } });
    expect(edits.startSending(10)).toEqual([{ id: 64, revision: 4, data: { name: 'Bond' } }]);
    expect(edits.rowEdit(64)?.base).toEqual({ name: 'James' });
  });

  it.each([true, false])(
    'becomes a conflict if the row was read before another user changed the cell; list reloaded: %s',
    (isReloaded) => {
      const edits = new Edits();
      edits.edit({ row: ROW, cells: { name: 'James' } });
      const first = edits.startSending(10);
      edits.applyResults(first, staleOutcomes(first));
      edits.mergeTheirs(64, { ...ROW, revision: 4, data: { name: 'Bond', level: 9 } });
      const second = edits.startSending(10);
      expect(second).toEqual([{ id: 64, revision: 4, data: { name: 'James' } }]);
      edits.applyResults(second, savedOutcomes(second));
      if (isReloaded) edits.dropLoaded([{ id: 64, revision: 5 }]);
      // The user started typing before the other user's level 9 was loaded.
      edits.edit({ row: ROW, cells: { level: 8 } });
      const third = edits.startSending(10);
      expect(third).toEqual([{ id: 64, revision: 3, data: { level: 8 } }]);
      edits.applyResults(third, staleOutcomes(third));
      edits.mergeTheirs(64, { ...ROW, revision: 5, data: { name: 'James', level: 9 } });
      expect(edits.rowEdit(64)?.conflict?.overlaps).toEqual([{ field: 'level', base: 7, mine: 8, theirs: 9 }]);
    },
  );

  it('stays with the reason after a refusal, until it is retried', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { level: 8 } });
    const batch = edits.startSending(10);
    edits.applyResults(batch, [{ id: 64, outcome: 'refused', code: 'INVALID', message: 'level: too high' }]);
    expect(edits.mark(64, 'level')).toEqual({ mark: 'failed', note: 'level: too high' });
    expect(edits.startSending(10)).toEqual([]);
    edits.retry();
    expect(edits.startSending(10)).toHaveLength(1);
  });

  it('replaces a refused edit of the same cell', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { level: 8 } });
    edits.applyResults(edits.startSending(10), [
      { id: 64, outcome: 'refused', code: 'INVALID', message: 'level: too high' },
    ]);
    edits.edit({ row: ROW, cells: { level: 6 } });
    expect(edits.mark(64, 'level')).toEqual({ mark: 'edited', note: undefined });
    expect(edits.startSending(10)).toEqual([{ id: 64, revision: 3, data: { level: 6 } }]);
  });

  it('can be retried for one row', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { level: 8 } }, { row: { ...ROW, id: 65, key: '008' }, cells: { level: 9 } });
    edits.applyFailure(edits.startSending(10), 'offline');
    edits.retry([65]);
    expect(edits.startSending(10).map(({ id }) => id)).toEqual([65]);
  });

  it('is pending again if its request was lost, together with later edits', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const batch = edits.startSending(10);
    edits.edit({ row: ROW, cells: { level: 8 } });
    edits.applyFailure(batch, 'offline');
    expect(edits.snapshot().rows).toEqual([
      { id: 64, key: '007', revision: 3, base: { name: 'Bond', level: 7 }, waiting: { name: 'James', level: 8 } },
    ]);
  });

  it('is kept as text until it is a valid value', () => {
    const edits = new Edits();
    edits.keepInvalidText({ row: ROW, field: 'level', text: 'seven', reason: '"seven" is not a number' });
    expect(edits.mark(64, 'level')).toEqual({ mark: 'failed', note: '"seven" is not a number' });
    expect(new Edits(edits.snapshot()).invalidText(64, 'level')?.text).toBe('seven');
    edits.edit({ row: ROW, cells: { level: 8 } });
    expect(edits.invalidTexts()).toEqual([]);
  });

  it('is sent after a reload of the page', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const restoredEdits = new Edits(edits.snapshot());
    expect(restoredEdits.startSending(10)).toEqual([{ id: 64, revision: 3, data: { name: 'James' } }]);
  });
});

describe('a row that another user changed in the meantime', () => {
  const mergeChange = (theirs: ReadRow['data']) => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    const batch = edits.startSending(10);
    expect(edits.applyResults(batch, staleOutcomes(batch))).toEqual([64]);
    edits.mergeTheirs(64, { ...ROW, revision: 9, data: { ...ROW.data, ...theirs } });
    return edits;
  };

  it('is merged with edits of other cells', () => {
    expect(mergeChange({ level: 8 }).startSending(10)).toEqual([{ id: 64, revision: 9, data: { name: 'James' } }]);
  });

  it('keeps edits of the same cells pending until the user resolves the conflict', () => {
    const edits = mergeChange({ name: 'Jim' });
    expect(edits.mark(64, 'name')?.mark).toBe('conflict');
    expect(edits.rowEdit(64)?.conflict?.overlaps).toEqual([
      { field: 'name', base: 'Bond', mine: 'James', theirs: 'Jim' },
    ]);
    expect(edits.startSending(10)).toEqual([]);
    edits.resolve(64, new Set(['name']));
    expect(edits.startSending(10)).toEqual([{ id: 64, revision: 9, data: { name: 'James' } }]);
  });

  it('keeps the other user’s value if the user chooses it', () => {
    const edits = mergeChange({ name: 'Jim' });
    edits.resolve(64, new Set());
    expect(edits.unsaved()).toEqual([]);
  });

  it('has no conflict if both users wrote the same value', () => {
    expect(mergeChange({ name: 'James' }).unsaved()).toEqual([]);
  });

  it('keeps the edit as failed if the other user deleted the row', () => {
    const edits = new Edits();
    edits.edit({ row: ROW, cells: { name: 'James' } });
    edits.startSending(10);
    edits.applyFailure([{ id: 64, revision: 3, data: {} }], 'x');
    edits.mergeTheirs(64, undefined);
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
      do: fc.constantFrom(
        'send' as const,
        'answer' as const,
        'lose' as const,
        'read' as const,
        'mergeStaleRows' as const,
      ),
    }),
    fc.record({ do: fc.constant('choose' as const), mine: fc.boolean() }),
  );

  it('saves the last value typed into a cell, unless the user chose the other user’s value', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const edits = new Edits();
        const server: ReadRow = { id: 1, key: 'k', revision: 1, data: { a: null, b: null } };
        let listedRow: ReadRow = { ...server, data: { ...server.data } };
        let sentBatch: SentRows = [];
        /** The ids of conflicting rows whose current version is not loaded yet. */
        let staleIds: number[] = [];
        /** The last value that the user typed into each cell, and whether the server has stored the value. */
        const typedValues = new Map<string, { value: CellValue; stored: boolean }>();

        const write = (cells: ReadRow['data'], isOwn: boolean) => {
          server.data = { ...server.data, ...cells };
          server.revision += 1;
          if (!isOwn) return;
          for (const [name, value] of Object.entries(cells)) {
            const typedValue = typedValues.get(name);
            if (typedValue?.value === value) typedValue.stored = true;
          }
        };
        const readList = () => {
          listedRow = { ...server, data: { ...server.data } };
          edits.dropLoaded([listedRow]);
        };
        const mergeStaleRows = () => {
          for (const id of staleIds) edits.mergeTheirs(id, { ...server, data: { ...server.data } });
          staleIds = [];
        };
        const answer = () => {
          if (sentBatch.length === 0) return;
          const [change] = sentBatch;
          const batch = sentBatch;
          sentBatch = [];
          if (change?.revision !== server.revision) {
            staleIds.push(...edits.applyResults(batch, staleOutcomes(batch)));
            return;
          }
          write(change.data, true);
          edits.applyResults(batch, [{ id: 1, outcome: 'done', revision: server.revision }]);
        };
        const choose = (mine: boolean) => {
          const overlaps = edits.rowEdit(1)?.conflict?.overlaps ?? [];
          if (!mine) for (const { field: name } of overlaps) typedValues.delete(name);
          edits.resolve(1, new Set(mine ? overlaps.map(({ field: name }) => name) : []));
        };

        /** Whether the cell has an unsaved edit. Typing the stored value makes no edit. */
        const isUnsaved = (name: string) => {
          const edit = edits.rowEdit(1);
          return edit !== undefined && (name in edit.waiting || name in edit.sending);
        };

        for (const nextStep of steps) {
          if (nextStep.do === 'type') {
            const before = edits.value(listedRow, nextStep.field);
            edits.edit({ row: listedRow, cells: { [nextStep.field]: nextStep.value } });
            expect(edits.value(listedRow, nextStep.field)).toBe(nextStep.value);
            if (before !== nextStep.value || !typedValues.has(nextStep.field))
              typedValues.set(nextStep.field, {
                value: nextStep.value,
                stored: before === nextStep.value || !isUnsaved(nextStep.field),
              });
          } else if (nextStep.do === 'other') write({ [nextStep.field]: nextStep.value }, false);
          else if (nextStep.do === 'send' && sentBatch.length === 0) sentBatch = edits.startSending(10);
          else if (nextStep.do === 'answer') answer();
          else if (nextStep.do === 'lose' && sentBatch.length > 0) {
            edits.applyFailure(sentBatch, 'lost');
            sentBatch = [];
            edits.retry();
          } else if (nextStep.do === 'read') readList();
          else if (nextStep.do === 'mergeStaleRows') mergeStaleRows();
          else if (nextStep.do === 'choose') choose(nextStep.mine);
        }
        for (let round = 0; round < 10; round++) {
          answer();
          mergeStaleRows();
          choose(true);
          if (sentBatch.length === 0) sentBatch = edits.startSending(10);
          answer();
        }
        expect(edits.unsaved()).toEqual([]);
        for (const [name, typed] of typedValues) {
          expect([name, typed.stored || server.data[name] === typed.value]).toEqual([name, true]);
        }
        readList();
        expect(edits.rowEdit(1)).toBeUndefined();
        for (const name of fields) expect(edits.value(listedRow, name)).toBe(server.data[name] ?? null);
      }),
      { numRuns: 3_000 },
    );
  });
});
