import { type CellValue, type ImportJobEvent, type InstanceEvent, noCounts, rowId } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { specify } from '../testing/given.ts';
import {
  addCounts,
  cancelImport,
  cellsOf,
  completeImport,
  completePhase,
  failImport,
  type ImportedPiece,
  insertRows,
  mergeRows,
  removeMissing,
  requestImport,
  requireRunning,
  retryImport,
  type StagedRow,
  startImport,
  undoRows,
} from './decider.ts';
import { bucketKeys } from './validation/bucket-keys.ts';

type Requested = Extract<ImportJobEvent, { type: 'ImportRequested' }>;

describe('an import job', () => {
  const { given } = specify(kinds.importJob, 5);
  const requested: Requested = {
    type: 'ImportRequested',
    data: {
      jobId: 3,
      jobType: 'DATASET_INSTANCES_IMPORT',
      dataSetId: 9,
      description: 'Countries',
      fileId: '0e3c5dd5-3b07-4ab4-a3b3-7a6a4a8f4a51',
      fileHash: 'ab',
      mode: 'insert',
      columns: { code: 1 },
      delimiter: ',',
      encoding: 'utf-8',
      hasHeader: true,
      allOrNothing: false,
    },
  };
  const started: ImportJobEvent = { type: 'ImportStarted', data: { schemaRevision: 4 } };
  const counts = { ...noCounts(), total: 2, created: 2 };
  const validated: ImportJobEvent = { type: 'ImportPhaseCompleted', data: { phase: 'VALIDATION', counts } };
  const completed: ImportJobEvent = { type: 'ImportCompleted', data: { counts } };
  const failed: ImportJobEvent = { type: 'ImportFailed', data: { reason: 'No more permission' } };
  const cancelled: ImportJobEvent = { type: 'ImportCancelled', data: { counts } };

  it('is requested once', () => {
    given()
      .when((job) => requestImport(job, requested.data))
      .then(requested);
    given(requested)
      .when((job) => requestImport(job, requested.data))
      .thenNothing();
  });
  it('belongs to the user who requested it', () => {
    expect(given({ ...requested, by: 8 }).state()).toMatchObject({ startedBy: 8, status: 'PENDING', dataSetId: 9 });
  });
  it('starts once, goes through its phases and completes', () => {
    given(requested)
      .when((job) => startImport(job, 4))
      .then(started);
    expect(given(requested, started).state()).toMatchObject({ status: 'IN_PROGRESS' });
    given(requested, started)
      .when((job) => startImport(job, 4))
      .thenNothing();
    given(requested, started)
      .when((job) => completePhase(job, 'VALIDATION', counts))
      .then(validated);
    const rules = { WRONG_TYPE: 2 };
    given(requested, started)
      .when((job) => completePhase(job, 'VALIDATION', counts, rules))
      .then({ type: 'ImportPhaseCompleted', data: { phase: 'VALIDATION', counts, rules } });
    given(requested, started, validated)
      .when((job) => completePhase(job, 'VALIDATION', counts))
      .thenNothing();
    given(requested, started, validated)
      .when((job) => completeImport(job, counts))
      .then(completed);
  });
  it('ends once', () => {
    given(requested, started)
      .when((job) => failImport(job, 'No more permission'))
      .then(failed);
    given(requested, started)
      .when((job) => cancelImport(job, counts))
      .then(cancelled);
    for (const end of [completed, failed, cancelled]) {
      given(requested, started, end)
        .when((job) => failImport(job, 'No more permission'))
        .thenNothing();
      given(requested, started, end)
        .when((job) => cancelImport(job, counts))
        .thenNothing();
      given(requested, started, end)
        .when((job) => completeImport(job, counts))
        .thenNothing();
      given(requested, started, end)
        .when((job) => completePhase(job, 'IMPORT', counts))
        .thenNothing();
    }
  });
  it('cannot be started after its end, and then fails `requireRunning`', () => {
    given(requested, started, completed)
      .when((job) => startImport(job, 4))
      .thenRefused('CONFLICT', 'This job has ended');
    expect(() => requireRunning(given(requested, started, failed).state())).toThrow('This job has ended');
    expect(requireRunning(given(requested).state())).toMatchObject({ jobId: 3 });
  });
  it('can be retried only after a failure', () => {
    given(requested, started, failed)
      .when((job) => retryImport(job, 5))
      .then({
        type: 'ImportStarted',
        data: { schemaRevision: 5 },
      });
    given(requested, started, completed)
      .when((job) => retryImport(job, 5))
      .thenRefused('CONFLICT');
    given(requested, started, failed, started)
      .when((job) => retryImport(job, 5))
      .thenRefused('CONFLICT');
  });
  it('is not found if it was never requested', () => {
    given()
      .when((job) => startImport(job, 4))
      .thenRefused('NOT_FOUND', 'This job does not exist');
  });
});

const KEY = 1;
const NAME = 2;
const canonicalKeyOf = (code: string) => JSON.stringify([code]);
const idOf = (code: string, sequence: number) => rowId(sequence, canonicalKeyOf(code));

/** Rows of a file, starting at line 2, with sequence numbers starting at 100. */
const staged = (...rows: [code: string, name: CellValue][]): StagedRow[] =>
  rows.map(([code, name], index) => ({
    line: index + 2,
    id: idOf(code, 100 + index),
    key: canonicalKeyOf(code),
    text: JSON.stringify([idOf(code, 100 + index), code, name]),
  }));

const piece = (mode: ImportedPiece['mode'], ...rows: [string, CellValue][]): ImportedPiece => ({
  jobId: 3,
  mode,
  schemaRevision: 4,
  keyFieldIds: [KEY],
  fieldIds: [KEY, NAME],
  rows: staged(...rows),
});

/** Existing rows, with sequence numbers starting at 1. */
const existingRows = (...rows: [code: string, name: string][]): InstanceEvent => ({
  type: 'InstancesAdded',
  data: {
    schemaRevision: 4,
    keyFieldIds: [KEY],
    rows: rows.map(([code, name], index) => ({ id: idOf(code, 1 + index), values: { [KEY]: code, [NAME]: name } })),
  },
});

const idsAndCells = (...rows: [string, CellValue][]) =>
  staged(...rows).map((row): [number, ...CellValue[]] => [row.id, ...cellsOf(row)]);

const importedRows = (...rows: [string, CellValue][]): InstanceEvent => importedData(idsAndCells(...rows));

const importedData = (rows: [number, ...CellValue[]][]): InstanceEvent => {
  const data = { jobId: 3, schemaRevision: 4, keyFieldIds: [KEY], fieldIds: [KEY, NAME], rows };
  return { type: 'InstancesImported', data, json: Buffer.from(JSON.stringify(data)) };
};

describe('inserting', () => {
  const { given } = specify(bucketKeys);
  it('adds rows with unused keys', () => {
    const inserting = given().when((state) => insertRows(state, piece('insert', ['DE', 'Germany'], ['FR', null])));
    inserting.then(importedRows(['DE', 'Germany'], ['FR', null]));
    expect(inserting.result().counts).toEqual({ ...noCounts(), total: 2, created: 2 });
  });
  describe('the rows of a whole piece', () => {
    const rows: [string, CellValue][] = [
      ['DE', 'Germany'],
      ['FR', null],
    ];
    const wholePiece = (): ImportedPiece => {
      const [one, other] = staged(...rows) as [StagedRow, StagedRow];
      const eventRows = [Buffer.from(`[${one.text}]`), Buffer.from(`[${other.text}]`)];
      return { ...piece('insert'), rows: Object.assign([one, other], { eventRows }) };
    };
    it('become one event per entry of `eventRows` in an empty bucket', () => {
      const inserting = given().when((state) => insertRows(state, wholePiece()));
      inserting.then(...idsAndCells(...rows).map((row) => importedData([row])));
      expect(inserting.result().counts).toEqual({ ...noCounts(), total: 2, created: 2 });
    });
    it('are compared with the keys of a bucket that has rows', () => {
      const inserting = given(existingRows(['DE', 'Germany'])).when((state) => insertRows(state, wholePiece()));
      expect(inserting.result().refused).toEqual([{ line: 2, code: 'DUPLICATE_KEY' }]);
    });
  });
  it('refuses a row whose key exists', () => {
    const inserting = given(existingRows(['DE', 'Germany'])).when((state) =>
      insertRows(state, piece('insert', ['DE', 'Deutschland'], ['FR', 'France'])),
    );
    expect(inserting.result().refused).toEqual([{ line: 2, code: 'DUPLICATE_KEY' }]);
    expect(inserting.result().counts).toEqual({ ...noCounts(), total: 2, created: 1, failed: 1 });
  });
  it('does nothing for a repeated piece, and returns the same counts', () => {
    const again = given(importedRows(['DE', 'Germany'])).when((state) =>
      insertRows(state, piece('insert', ['DE', 'Germany'])),
    );
    again.thenNothing();
    expect(again.result().counts).toEqual({ ...noCounts(), total: 1, created: 1 });
  });
  it('reuses the key of a removed row', () => {
    given(existingRows(['DE', 'Germany']), { type: 'InstancesRemoved', data: { ids: [idOf('DE', 1)] } })
      .when((state) => insertRows(state, piece('insert', ['DE', 'Germany'])))
      .then(importedRows(['DE', 'Germany']));
  });
  it('adds no row with the key of a restored row', () => {
    const past: InstanceEvent[] = [
      existingRows(['DE', 'Germany']),
      { type: 'InstancesRemoved', data: { ids: [idOf('DE', 1)] } },
      { type: 'InstancesRestored', data: { ids: [idOf('DE', 1)] } },
      { type: 'InstancesChanged', data: { schemaRevision: 4, rows: [{ id: idOf('DE', 1), values: { [NAME]: 'x' } }] } },
    ];
    given(...past)
      .when((state) => insertRows(state, piece('insert', ['DE', 'Germany'])))
      .thenNothing();
  });
});

describe('merging', () => {
  const { given } = specify(kinds.instances);
  const threeRows = existingRows(['DE', 'Germany'], ['FR', 'France'], ['IT', 'Italy']);
  const dataOfImport = { jobId: 3, schemaRevision: 4, keyFieldIds: [KEY], fieldIds: [KEY, NAME] };
  it('changes rows that differ, counts unchanged rows and adds rows with new keys', () => {
    const merging = given(threeRows).when((bucket) =>
      mergeRows(bucket, piece('upsert', ['DE', 'Deutschland'], ['FR', 'France'], ['ES', 'Spain'])),
    );
    merging.then(
      {
        type: 'InstancesImported',
        data: { ...dataOfImport, rows: [[idOf('ES', 102), 'ES', 'Spain']] },
        json: Buffer.from(JSON.stringify({ ...dataOfImport, rows: [[idOf('ES', 102), 'ES', 'Spain']] })),
      },
      {
        type: 'InstancesChanged',
        data: { schemaRevision: 4, jobId: 3, rows: [{ id: idOf('DE', 1), values: { [NAME]: 'Deutschland' } }] },
      },
    );
    expect(merging.result().counts).toEqual({ ...noCounts(), total: 3, created: 1, changed: 1, unchanged: 1 });
  });
  it('clears cells that are empty in the file', () => {
    given(threeRows)
      .when((bucket) => mergeRows(bucket, piece('update', ['DE', null])))
      .then({
        type: 'InstancesChanged',
        data: { schemaRevision: 4, jobId: 3, rows: [{ id: idOf('DE', 1), values: { [NAME]: null } }] },
      });
  });
  it('refuses rows with unknown keys in the mode update', () => {
    const updating = given(threeRows).when((bucket) => mergeRows(bucket, piece('update', ['ES', 'Spain'])));
    updating.thenNothing();
    expect(updating.result().refused).toEqual([{ line: 2, code: 'NOT_FOUND' }]);
    expect(updating.result().counts).toEqual({ ...noCounts(), total: 1, failed: 1 });
  });
});

describe('replacing', () => {
  const { given } = specify(kinds.instances);
  const keyOf = (code: string) => JSON.stringify([code]);
  const threeRows = existingRows(['DE', 'Germany'], ['FR', 'France'], ['IT', 'Italy']);
  const replaceOptions = (isReferenced = false) => ({
    ...{ keys: new Set([keyOf('DE')]), jobId: 3 },
    isReferenced: ({ id }: { id: number }) => isReferenced && id === idOf('FR', 2),
  });

  it('removes rows whose key is not in the file', () => {
    const removing = given(threeRows).when((bucket) => removeMissing(bucket, replaceOptions()));
    removing.then({ type: 'InstancesRemoved', data: { ids: [idOf('FR', 2), idOf('IT', 3)], jobId: 3 } });
    expect(removing.result().counts).toEqual({ ...noCounts(), removed: 2 });
  });
  it('keeps rows that other data refers to', () => {
    const removing = given(threeRows).when((bucket) => removeMissing(bucket, replaceOptions(true)));
    removing.then({ type: 'InstancesRemoved', data: { ids: [idOf('IT', 3)], jobId: 3 } });
    expect(removing.result().kept.map(({ id }) => id)).toEqual([idOf('FR', 2)]);
  });
  it('restores the removed rows when the import is undone', () => {
    const removed: InstanceEvent = {
      type: 'InstancesRemoved',
      data: { ids: [idOf('FR', 2), idOf('IT', 3)], jobId: 3 },
    };
    const undo = { added: [], changed: [], removed: [idOf('FR', 2), idOf('IT', 3)] };
    given(threeRows, removed)
      .when((bucket) => undoRows(bucket, undo, { jobId: 3, schemaRevision: 4 }))
      .then({ type: 'InstancesRestored', data: { ids: [idOf('FR', 2), idOf('IT', 3)], jobId: 3 } });
  });
});

describe('undoing', () => {
  const { given } = specify(kinds.instances);
  const job = { jobId: 3, schemaRevision: 4 };
  const before = existingRows(['DE', 'Germany']);
  const changed: InstanceEvent = {
    type: 'InstancesChanged',
    data: { schemaRevision: 4, jobId: 3, rows: [{ id: idOf('DE', 1), values: { [NAME]: 'Deutschland' } }] },
  };
  const { undo } = given(before)
    .when((bucket) => mergeRows(bucket, piece('upsert', ['DE', 'Deutschland'], ['FR', 'France'])))
    .result();
  const added: InstanceEvent = {
    type: 'InstancesImported',
    data: {
      jobId: 3,
      schemaRevision: 4,
      keyFieldIds: [KEY],
      fieldIds: [KEY, NAME],
      rows: [[idOf('FR', 101), 'FR', 'France']],
    },
  };
  const removed: InstanceEvent = { type: 'InstancesRemoved', data: { ids: [idOf('FR', 101)], jobId: 3 } };
  const changeUndone: InstanceEvent = {
    type: 'InstancesChanged',
    data: { schemaRevision: 4, jobId: 3, rows: [{ id: idOf('DE', 1), values: { [NAME]: 'Germany' } }] },
  };
  it('removes added rows and restores changed values', () => {
    given(before, added, changed)
      .when((bucket) => undoRows(bucket, undo, job))
      .then(removed, changeUndone);
  });
  it('does nothing if the rows are already undone', () => {
    given(before, added, changed, removed, changeUndone)
      .when((bucket) => undoRows(bucket, undo, job))
      .thenNothing();
  });
  it('does nothing for a piece that was not appended', () => {
    given(before)
      .when((bucket) => undoRows(bucket, undo, job))
      .thenNothing();
  });
});

describe('counts', () => {
  it('are added field by field', () => {
    const one = { total: 1, created: 2, changed: 3, unchanged: 4, failed: 5, skipped: 6 };
    expect(addCounts(one, one)).toEqual({ total: 2, created: 4, changed: 6, unchanged: 8, failed: 10, skipped: 12 });
  });
});
