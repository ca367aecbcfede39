/** Specifies the undo of an import and of its rows. */
import { type ImportJobEvent, type InstanceEvent, noCounts, type Values } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../runtime/stream-kinds.ts';
import { specify } from '../../testing/given.ts';
import { retryImport } from '../decider.ts';
import { completeUndo, requireUndoable, type UndoneRow, undoImportedRows } from './decider.ts';
import { importedRows, planRow } from './imported-rows.ts';

const IMPORT = 30;
const UNDO = { jobId: 31, schemaRevision: 2 };
const JOB = { jobId: IMPORT, schemaRevision: 1 };

const added = (...rows: { id: number; values: Values }[]): InstanceEvent => ({
  type: 'InstancesAdded',
  data: { schemaRevision: 1, keyFieldIds: [1], rows },
});
const imported = (...rows: [id: number, code: string, name: string][]): InstanceEvent => ({
  type: 'InstancesImported',
  data: { ...JOB, keyFieldIds: [1], fieldIds: [1, 2], rows },
});
const changed = (id: number, name: string | null, job: object = {}): InstanceEvent => ({
  type: 'InstancesChanged',
  data: { schemaRevision: 1, ...job, rows: [{ id, values: { 2: name } }] },
});
const removed = (id: number, job: object = {}): InstanceEvent => ({
  type: 'InstancesRemoved',
  data: { ids: [id], ...job },
});

async function* recorded(events: readonly InstanceEvent[]) {
  for (const [revision, event] of events.entries()) {
    yield { ...event, revision, metadata: eventMetadata({ actorId: 8 }) } as never;
  }
}

const rowsIn = (events: readonly InstanceEvent[], lastRevision?: number) =>
  importedRows(recorded(events), IMPORT, lastRevision);

const plan = async (events: readonly InstanceEvent[], referenced: readonly number[] = []): Promise<UndoneRow[]> =>
  (await rowsIn(events)).map((row) => planRow(row, ({ id }) => referenced.includes(id)));

describe('the undo of rows', () => {
  const { given } = specify(kinds.instances);
  const old = added({ id: 64, values: { 1: 'DE', 2: 'Old' } });

  it('removes added rows and restores the earlier cells of changed rows', async () => {
    const past = [old, imported([128, 'FR', 'France']), changed(64, 'New', { jobId: IMPORT })];
    const rows = await plan(past);
    given(...past)
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .then(
        { type: 'InstancesRemoved', data: { ids: [128], jobId: 31 } },
        { type: 'InstancesChanged', data: { ...UNDO, rows: [{ id: 64, values: { 2: 'Old' } }] } },
      );
  });

  it('clears a cell that the import filled', async () => {
    const past = [added({ id: 64, values: { 1: 'DE' } }), changed(64, 'New', { jobId: IMPORT })];
    const rows = await plan(past);
    given(...past)
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .then({ type: 'InstancesChanged', data: { ...UNDO, rows: [{ id: 64, values: { 2: null } }] } });
  });

  it('removes an added row before it restores a removed row with the same key', async () => {
    const past = [old, removed(64, { jobId: IMPORT }), imported([128, 'DE', 'Germany'])];
    const rows = await plan(past);
    given(...past)
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .then(
        { type: 'InstancesRemoved', data: { ids: [128], jobId: 31 } },
        { type: 'InstancesRestored', data: { ids: [64], jobId: 31 } },
      );
  });

  it('does not restore a removed row if another row now has its key', async () => {
    const past = [old, removed(64, { jobId: IMPORT }), added({ id: 192, values: { 1: 'DE' } })];
    const rows = await plan(past);
    given(...past)
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .then()
      .refusing(64, 'DUPLICATE_KEY');
  });

  it('keeps rows that were edited after the import, and names the last editor', async () => {
    const past = [
      old,
      imported([128, 'FR', 'France']),
      changed(64, 'New', { jobId: IMPORT }),
      changed(128, 'La France'),
    ];
    expect((await rowsIn(past)).map(({ now, edited }) => [now.id, edited])).toEqual([
      [128, { userId: 8, at: '2026-01-01T00:00:00.000Z' }],
      [64, undefined],
    ]);
    const rows = await plan(past);
    given(...past)
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .then({ type: 'InstancesChanged', data: { ...UNDO, rows: [{ id: 64, values: { 2: 'Old' } }] } })
      .refusing(128, 'STALE');
    expect(rows.find(({ id }) => id === 128)?.keep).toEqual({
      ...{ code: 'STALE', changedBy: 8, message: 'It was changed after the import, on 2026-01-01 at 00:00 UTC' },
    });
    const byJob = [...past, changed(128, 'Frankreich', { jobId: 40 })];
    expect((await plan(byJob)).find(({ id }) => id === 128)?.keep).toEqual({
      ...{ code: 'STALE', message: 'Job 40 changed it after the import, on 2026-01-01 at 00:00 UTC' },
    });
  });

  it('keeps a row that is edited after the undo was planned', async () => {
    const past = [imported([128, 'FR', 'France'])];
    const rows = await plan(past);
    given(...past, changed(128, 'La France'))
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .then()
      .refusing(128, 'STALE');
  });

  it('keeps added rows that are in use, and restores changed rows that are in use', async () => {
    const past = [old, imported([128, 'FR', 'France']), changed(64, 'New', { jobId: IMPORT })];
    const rows = await plan(past, [64, 128]);
    given(...past)
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .then({ type: 'InstancesChanged', data: { ...UNDO, rows: [{ id: 64, values: { 2: 'Old' } }] } })
      .refusing(128, 'IN_USE');
  });

  it('ignores added rows that have been removed', async () => {
    expect(await rowsIn([imported([128, 'FR', 'France']), removed(128, { jobId: IMPORT })])).toEqual([]);
    expect(await rowsIn([imported([128, 'FR', 'France']), removed(128)])).toEqual([]);
  });

  it('ignores events after the given revision', async () => {
    const past = [imported([128, 'FR', 'France'])];
    expect(await rowsIn([...past, removed(128, { jobId: UNDO.jobId })], 0)).toEqual(await rowsIn(past));
  });

  it('appends nothing when the same rows are undone again', async () => {
    const past = [old, imported([128, 'FR', 'France']), changed(64, 'New', { jobId: IMPORT })];
    const rows = await plan(past);
    const { events } = undoImportedRows(given(...past).state(), rows, UNDO);
    given(...past, ...events)
      .when((bucket) => undoImportedRows(bucket, rows, UNDO))
      .thenNothing();
  });

  it('restores the earlier state of each row without later edits', async () => {
    const step = fc.record({
      id: fc.constantFrom(64, 128, 192),
      name: fc.constantFrom('a', 'b', null),
      isOfImport: fc.boolean(),
    });
    const history = fc.record({ before: fc.array(step, { maxLength: 3 }), after: fc.array(step, { maxLength: 6 }) });
    await fc.assert(
      fc.asyncProperty(history, async ({ before, after }) => {
        const start = [
          added({ id: 64, values: { 1: 'A' } }, { id: 128, values: { 1: 'B', 2: 'b' } }),
          ...before.filter(({ id }) => id !== 192).map(({ id, name }) => changed(id, name)),
        ];
        const past = [
          ...start,
          imported([192, 'C', 'c']),
          ...after.map(({ id, name, isOfImport }) => changed(id, name, isOfImport ? { jobId: IMPORT } : {})),
        ];
        const rows = await plan(past);
        const [earlier, now] = [given(...start).state(), given(...past).state()];
        const { events } = undoImportedRows(now, rows, UNDO);
        const later = given(...past, ...events).state();
        const planned = new Map(rows.map((row) => [row.id, row]));
        for (const id of [64, 128, 192]) {
          const { keep, before: original } = planned.get(id) ?? {};
          const expected = planned.has(id) && !keep ? original : now.rows.get(id);
          const summaryOf = ({ values = {}, removed: gone = true } = {}) =>
            gone ? 'removed' : Object.entries(values).filter(([, value]) => value !== null);
          expect(summaryOf(later.rows.get(id))).toEqual(summaryOf(expected));
          const isEdited = after.some((each) => each.id === id && !each.isOfImport);
          if (!isEdited) expect(summaryOf(later.rows.get(id))).toEqual(summaryOf(earlier.rows.get(id)));
        }
      }),
    );
  });
});

describe('the undo of an import', () => {
  const { given } = specify(kinds.importJob, 5);
  const requested: ImportJobEvent = {
    type: 'ImportRequested',
    data: {
      ...{ jobId: IMPORT, jobType: 'DATASET_INSTANCES_IMPORT', dataSetId: 9, description: 'Countries' },
      ...{ fileId: '0e3c5dd5-3b07-4ab4-a3b3-7a6a4a8f4a51', fileHash: 'ab', mode: 'upsert', columns: { code: 1 } },
      ...{ delimiter: ',', encoding: 'utf-8', hasHeader: true, allOrNothing: false },
    },
  };
  const counts = { ...noCounts(), total: 2, changed: 1, skipped: 1 };
  const completed: ImportJobEvent = { type: 'ImportCompleted', data: { counts } };
  const failed: ImportJobEvent = { type: 'ImportFailed', data: { reason: 'No more space' } };
  const cancelled: ImportJobEvent = { type: 'ImportCancelled', data: { counts } };
  const undone: ImportJobEvent = { type: 'ImportUndone', data: { jobId: 31, counts } };

  it.each([completed, failed, cancelled])('is recorded once after $type', (end) => {
    expect(requireUndoable(given(requested, end).state())).toMatchObject({ jobId: IMPORT });
    given(requested, end)
      .when((job) => completeUndo(job, { jobId: 31, counts }))
      .then(undone);
    given(requested, end, undone)
      .when((job) => completeUndo(job, { jobId: 32, counts }))
      .thenNothing();
  });

  it('is refused while the import runs and after an undo', () => {
    expect(() => requireUndoable(given(requested).state())).toThrow('This import is still running');
    expect(() => requireUndoable(given(requested, completed, undone).state())).toThrow(
      'This import was undone on 2026-01-01 at 00:00 UTC',
    );
  });

  it('prevents a retry of the failed import', () => {
    given(requested, failed, undone)
      .when((job) => retryImport(job, 5))
      .thenRefused('CONFLICT', 'This import was undone: import the file again');
  });
});
