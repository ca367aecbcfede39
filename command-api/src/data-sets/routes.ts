/** Routes of data sets and their instances. */

import {
  AddInstances,
  bucketOfKey,
  bucketOfRow,
  ChangeDataSet,
  ChangeInstances,
  CreateDataSet,
  type DataSet,
  keyOfValues,
  type Level,
  type ReferenceType,
  Refusal,
  type RowOutcome,
  SelectedInstances,
  streams,
} from '@rdm/contracts';
import type { Route } from '@rdm/platform';
import { bulkAnswer, decideChunks, jsonBytes, ROW_OVERHEAD_BYTES, toChunks } from '../bulk/row-chunks.ts';
import { needsJob, startJob } from '../bulk/start.ts';
import { addToCollection } from '../invariants/collection-items.ts';
import { registerDataSet, requireType, unregisterDataSet } from '../invariants/dependants.ts';
import { requireNoExclusiveImport } from '../invariants/exclusive-import.ts';
import { withRowTexts } from '../review/row-labels.ts';
import { selectedRows } from '../review/selections.ts';
import { BULK_ANSWERS, CREATE_ROWS_ANSWERS } from '../runtime/answer-schemas.ts';
import { dataSetFor, requireCollectionLevel } from '../runtime/authorise.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import type { RowLookup } from '../runtime/row-cache.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { abandonDataSet, changeDataSet, createDataSet, deleteDataSet } from './decider.ts';
import {
  addInstances,
  type CellChange,
  changeInstances,
  displayKeyIn,
  missingKeyField,
  type NewRow,
  readRow,
  removeInstances,
  restoreInstances,
} from './instances.ts';

/** The answer of a command on a data set: its id, name and revision after the command. */
function answer(x: Execution, id: number, status = 200) {
  const state = x.after(kinds.dataSet, streams.dataSet(id));
  return { status, body: { id, name: state?.name ?? '', revision: state?.revision ?? 0 } };
}

/** Creates a data set in its collections; returns its id. */
export async function createDataSetIn(x: Execution, body: CreateDataSet, collectionLevel?: Level): Promise<number> {
  const id = await x.allocateOne('data_set_ids');
  // Commands stored by an earlier version lack `collectionIds` and `isPublic`.
  const { collectionId, collectionIds = [], isPublic = false } = body;
  const collections = new Set([...(collectionId === undefined ? [] : [collectionId]), ...collectionIds]);
  try {
    for (const each of collections) await requireCollectionLevel(x, each, collectionLevel);
    await x.change(kinds.referenceType, streams.referenceType(body.typeId), [], (type) =>
      registerDataSet(type, id, body.keyFields),
    );
    const type = requireType((await x.load(kinds.referenceType, streams.referenceType(body.typeId))).state);
    await x.change(kinds.dataSet, streams.dataSet(id), [id], (dataSet) =>
      createDataSet(dataSet, { ...body, isPublic, id }, type),
    );
    for (const each of collections) await addToCollection(x, each, [id]);
  } catch (error) {
    if (error instanceof Refusal) await abandonCreation(x, id, body.typeId);
    throw error;
  }
  return id;
}

const create = command<{ body: CreateDataSet }>('CreateDataSet', async (x, { body }) =>
  answer(x, await createDataSetIn(x, body), 201),
);

/**
 * Unregisters the data set of a refused creation, unless the data set already exists. Marks the stream of the data set
 * first, so that a repeated command cannot create the data set.
 */
async function abandonCreation(x: Execution, id: number, typeId: number): Promise<void> {
  const { state: type } = await x.load(kinds.referenceType, streams.referenceType(typeId));
  if (!type?.dataSetIds.includes(id)) return;
  const { abandoned } = await x.change(kinds.dataSet, streams.dataSet(id), [id], (dataSet) =>
    abandonDataSet(dataSet, id, typeId),
  );
  if (!abandoned) return;
  await x.change(kinds.referenceType, streams.referenceType(typeId), [], (current) => unregisterDataSet(current, id));
}

// Stored commands call the expected revision `seen`.
const change = command<{ id: number; body: ChangeDataSet; seen?: number }>(
  'ChangeDataSet',
  async (x, { id, body, seen: expectedRevision }) => {
    const { typeId } = await dataSetFor(x, id);
    const type = requireType((await x.load(kinds.referenceType, streams.referenceType(typeId))).state);
    await x.change(kinds.dataSet, streams.dataSet(id), [id], (dataSet) =>
      changeDataSet(dataSet, body, expectedRevision, type),
    );
    return answer(x, id);
  },
);

const remove = command<{ id: number; seen?: number }>('DeleteDataSet', async (x, { id, seen: expectedRevision }) => {
  const { state } = await x.load(kinds.dataSet, streams.dataSet(id));
  // dataSetFor refuses deleted data sets. If a crash interrupted the command after the deletion, recovery still has to
  // unregister the data set.
  if (!state?.deleted) await dataSetFor(x, id);
  const { typeId } = await x.change(kinds.dataSet, streams.dataSet(id), [id], (dataSet) =>
    deleteDataSet(dataSet, expectedRevision),
  );
  await x.change(kinds.referenceType, streams.referenceType(typeId), [], (type) => unregisterDataSet(type, id));
  return answer(x, id);
});

/** Loads the data set and its type for a change of rows; refuses the change during an exclusive import. */
async function loadForRows(x: Execution, id: number): Promise<{ dataSet: DataSet; type: ReferenceType }> {
  const dataSet = await dataSetFor(x, id);
  requireNoExclusiveImport(dataSet);
  const type = requireType((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);
  return { dataSet, type };
}

const add = command<{ id: number; body: AddInstances }>('AddInstances', async (x, { id, body }) => {
  const { dataSet, type } = await loadForRows(x, id);
  const sequences = await x.allocate('instance_ids', body.rows.length);
  const refused: RowOutcome[] = [];
  const ready: NewRow[] = [];
  body.rows.forEach(({ data }, index) => {
    const row = readRow(type, data);
    const missing = row.ok ? missingKeyField(type, dataSet.keyFieldIds, row.values) : null;
    if (row.ok && missing === null) ready.push({ index, sequence: sequences[index] as number, values: row.values });
    else {
      const message = row.ok ? `The key field "${missing}" is empty` : `${row.field}: ${row.reason}`;
      // A row that was not created has no id: clients find it by its index.
      refused.push({ id: index, index, outcome: 'refused', code: 'INVALID', message });
    }
  });
  const schema = { schemaRevision: type.schemaRevision, keyFieldIds: dataSet.keyFieldIds };
  const chunks = toChunks(
    ready,
    (row) => bucketOfKey(keyOfValues(row.values, dataSet.keyFieldIds)),
    (row) => jsonBytes(row.values) + ROW_OVERHEAD_BYTES,
  );
  const outcomes = await decideChunks(x, chunks, (bucket, rows) =>
    x.change(kinds.instances, streams.instances(id, bucket), [id], (state) => addInstances(state, rows, schema), {
      keys: rows.map(({ values }) => keyOfValues(values, dataSet.keyFieldIds)),
    }),
  );
  const results = [...outcomes, ...refused].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const answered = bulkAnswer(x, results, 201);
  // A request for one row is answered like the creation of an entity: with its id or an error.
  const only = answered.body.results[0];
  if (body.rows.length === 1 && only?.outcome === 'refused') {
    throw new Refusal(only.code === 'DUPLICATE_KEY' ? 'DUPLICATE_KEY' : 'INVALID', only.message ?? 'Refused');
  }
  return { ...answered, body: { ...answered.body, ...(body.rows.length === 1 ? { id: only?.id, revision: 1 } : {}) } };
});

const edit = command<{ id: number; body: ChangeInstances }>('ChangeInstances', async (x, { id, body }) => {
  const { dataSet, type } = await loadForRows(x, id);
  const refused: RowOutcome[] = [];
  const ready: CellChange[] = [];
  for (const { id: row, revision, data, fieldIds } of body) {
    const read = readRow(type, data, fieldIds);
    if (read.ok) ready.push({ id: row, revision, values: read.values });
    else refused.push({ id: row, outcome: 'refused', code: 'INVALID', message: `${read.field}: ${read.reason}` });
  }
  const schema = { schemaRevision: type.schemaRevision, keyFieldIds: dataSet.keyFieldIds };
  const chunks = toChunks(
    ready,
    (row) => bucketOfRow(row.id),
    (row) => jsonBytes(row.values) + ROW_OVERHEAD_BYTES,
  );
  const outcomes = await decideChunks(x, chunks, (bucket, rows) =>
    x.change(
      kinds.instances,
      streams.instances(id, bucket),
      [id],
      (state) => changeInstances(state, rows, schema),
      lookupOf(rows),
    ),
  );
  return bulkAnswer(x, [...outcomes, ...refused]);
});

const lookupOf = (rows: readonly { id: number }[]): RowLookup => ({ ids: rows.map((row) => row.id) });

type DecideOnRows = typeof removeInstances;

/** Decides on selected rows: in the request, or as a job if they are too many. */
async function decideSelectedRows(
  x: Execution,
  { id, body }: { id: number; body: SelectedInstances },
  verbText: 'Delete' | 'Restore',
  decide: DecideOnRows,
) {
  const { dataSet } = await loadForRows(x, id);
  const selected = 'rows' in body ? body.rows : await selectedRows(x, body.selectionId, 'instances', id);
  if ('selectionId' in body && needsJob(x, selected)) {
    return startJob(x, {
      input: { selectionId: body.selectionId },
      verbText: verbText,
      total: selected.length,
      description: `${verbText} ${selected.length.toLocaleString('en')} rows of ${dataSet.name}`,
      // The levels on this one data set control who can cancel the job (dataSetIds) and who can see it (governedBy).
      dataSetIds: [id],
      governedBy: [id],
    });
  }
  const chunks = toChunks(selected, (row) => bucketOfRow(row.id));
  const outcomes = await decideChunks(x, chunks, (bucket, rows) => {
    const stream = streams.instances(id, bucket);
    return x.piece(stream, async () => {
      // A job takes long: check permissions and exclusive imports again for each piece.
      if (x.jobId !== undefined) await loadForRows(x, id);
      const decided = await x.change(kinds.instances, stream, [id], (state) => decide(state, rows), lookupOf(rows));
      return withRowTexts(x, kinds.instances, stream, decided, displayKeyIn);
    });
  });
  return bulkAnswer(x, outcomes);
}

const removeRows = command<{ id: number; body: SelectedInstances }>('RemoveInstances', (x, input) =>
  decideSelectedRows(x, input, 'Delete', removeInstances),
);

const restoreRows = command<{ id: number; body: SelectedInstances }>('RestoreInstances', (x, input) =>
  decideSelectedRows(x, input, 'Restore', restoreInstances),
);

const ROWS_BYTES = 16 * 1024 * 1024;
export function dataSetRoutes(commands: Commands): Route[] {
  commands.register([create, change, remove, add, edit, removeRows, restoreRows]);
  const writeAccess = { level: 'WRITE' } as const;
  const admin = { level: 'ADMIN' } as const;
  const rows = '/api/reference-data/:id/instances';
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/reference-data', { ability: 'dataSets.create', level: 'ADMIN' }, CreateDataSet, create, {
      summary: 'Create a data set',
      example: { body: { name: 'Countries of the supply chain', typeId: 1, collectionId: 1 } },
      errors: ['NAME_TAKEN', 'DELETED'],
    }),
    routes.change('patch', '/api/reference-data/:id', admin, ChangeDataSet, change, {
      summary: 'Change a data set',
      example: { body: { description: 'Checked every year' } },
      errors: ['KEY_IMMUTABLE'],
    }),
    routes.remove('/api/reference-data/:id', admin, remove, {
      summary: 'Delete a data set',
      errors: ['IN_USE', 'EXCLUSIVE_IMPORT'],
    }),
    routes.changeAnyRevision('post', rows, writeAccess, AddInstances, add, {
      summary: 'Add rows',
      example: { body: { rows: [{ data: { code: 'QO', name: 'Outlying Oceania' } }] } },
      answers: CREATE_ROWS_ANSWERS,
      errors: ['DUPLICATE_KEY', 'EXCLUSIVE_IMPORT'],
      limit: ROWS_BYTES,
    }),
    routes.changeAnyRevision('patch', rows, writeAccess, ChangeInstances, edit, {
      summary: 'Change rows',
      example: { body: [{ id: 5166, revision: 1, data: { name: 'Germany (Federal Republic)' } }] },
      answers: BULK_ANSWERS,
      errors: ['EXCLUSIVE_IMPORT'],
      limit: ROWS_BYTES,
    }),
    routes.changeAnyRevision('delete', rows, writeAccess, SelectedInstances, removeRows, {
      summary: 'Delete rows',
      example: { body: { rows: [{ id: 5166, revision: 1 }] } },
      answers: BULK_ANSWERS,
      errors: ['EXCLUSIVE_IMPORT'],
      limit: ROWS_BYTES,
    }),
    routes.changeAnyRevision('post', `${rows}/restore`, writeAccess, SelectedInstances, restoreRows, {
      summary: 'Restore deleted rows',
      example: { body: { rows: [{ id: 5166, revision: 1 }] } },
      answers: BULK_ANSWERS,
      errors: ['EXCLUSIVE_IMPORT'],
      limit: ROWS_BYTES,
    }),
  ];
}
