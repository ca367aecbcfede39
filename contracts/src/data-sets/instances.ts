/** Instances, the rows of data sets: events, states, payloads and views. */
import { z } from 'zod';
import { ActingKey } from '../access/acting-key.ts';
import { CELL_CHARACTERS_MAX, INSTANCES_PER_COMMAND } from '../constants.ts';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { Cell, Id, requireEachRowOnce } from '../text/fields.ts';
import { CellValue, canonicalKey } from '../text/rows.ts';

/** Cells by field id; these ids never change. A field that a new row omits is null. */
const Values = z.record(z.string(), Cell);

export type Values = z.infer<typeof Values>;

type ImportedRow = [id: number, ...cells: CellValue[]];

/** Checks ids and cells like the schemas `Id` and `Cell`, but faster, because it runs for every cell of an import. */
function areImportedRows(rows: unknown): boolean {
  return Array.isArray(rows) && rows.every(isImportedRow);
}

function isImportedRow(row: unknown): boolean {
  if (!Array.isArray(row) || !Number.isSafeInteger(row[0]) || row[0] <= 0) return false;
  for (let index = 1; index < row.length; index++) if (!isCell(row[index])) return false;
  return true;
}

function isCell(cell: unknown): boolean {
  switch (typeof cell) {
    case 'string':
      return cell.length <= CELL_CHARACTERS_MAX;
    case 'number':
      return Number.isFinite(cell);
    case 'boolean':
      return true;
    default:
      return cell === null;
  }
}

export const instanceEvents = {
  /** New rows of an import. Each row is an array of its id and one cell per entry of `fieldIds`. */
  InstancesImported: event(
    z.object({
      jobId: Id,
      schemaRevision: z.number().int(),
      keyFieldIds: z.array(Id),
      fieldIds: z.array(Id),
      rows: z.custom<ImportedRow[]>(areImportedRows, 'Rows are arrays of an id and cells'),
    }),
  ),
  /** `replaces` is for a later command that changes the key of a row (decision 27): no command writes it yet. */
  InstancesAdded: event(
    z.object({
      schemaRevision: z.number().int(),
      keyFieldIds: z.array(Id),
      rows: z.array(z.object({ id: Id, values: Values, replaces: Id.optional() })),
    }),
  ),
  /** Contains only the changed cells. `jobId` is the job of the import or undo that changed these cells. */
  InstancesChanged: event(
    z.object({
      schemaRevision: z.number().int(),
      jobId: Id.optional(),
      rows: z.array(z.object({ id: Id, values: Values })),
    }),
  ),
  InstancesRemoved: event(z.object({ ids: z.array(Id), jobId: Id.optional() })),
  InstancesRestored: event(z.object({ ids: z.array(Id), jobId: Id.optional() })),
};

export type InstanceEvent = EventsOf<typeof instanceEvents>;

export interface InstanceRow {
  id: number;
  revision: number;
  /** The canonical key (rows.ts). */
  key: string;
  values: Values;
  removed: boolean;
}

/**
 * One bucket of a data set's rows. The bucket is folded in place, because it has 16,000 rows if the data set has a
 * million.
 */
export interface InstanceBucket {
  rows: Map<number, InstanceRow>;
  /** The ids of the rows that are not removed, by canonical key. */
  ids: Map<string, number>;
  keyFieldIds: number[];
}

export const emptyInstanceBucket = (): InstanceBucket => ({ rows: new Map(), ids: new Map(), keyFieldIds: [] });

export const keyOfValues = (values: Values, keyFieldIds: readonly number[]): string =>
  canonicalKey(keyFieldIds.map((fieldId) => values[fieldId] ?? null));

/** Folds one event into a bucket, in place. */
export function evolveInstances(state: InstanceBucket, event: InstanceEvent): InstanceBucket {
  const add = (id: number, values: Values) => {
    const key = keyOfValues(values, state.keyFieldIds);
    state.rows.set(id, { id, revision: 1, key, values, removed: false });
    state.ids.set(key, id);
  };
  switch (event.type) {
    case 'InstancesImported':
      state.keyFieldIds = event.data.keyFieldIds;
      for (const row of event.data.rows) add(row[0], importedValues(event.data.fieldIds, row));
      return state;
    case 'InstancesAdded':
      state.keyFieldIds = event.data.keyFieldIds;
      for (const row of event.data.rows) add(row.id, row.values);
      return state;
    case 'InstancesChanged':
      for (const { id, values } of event.data.rows) {
        const row = state.rows.get(id);
        if (row) state.rows.set(id, { ...row, revision: row.revision + 1, values: { ...row.values, ...values } });
      }
      return state;
    case 'InstancesRemoved':
      for (const id of event.data.ids) {
        const row = state.rows.get(id);
        if (!row) continue;
        state.rows.set(id, { ...row, revision: row.revision + 1, removed: true });
        if (state.ids.get(row.key) === id) state.ids.delete(row.key);
      }
      return state;
    case 'InstancesRestored':
      for (const id of event.data.ids) {
        const row = state.rows.get(id);
        if (!row) continue;
        state.rows.set(id, { ...row, revision: row.revision + 1, removed: false });
        state.ids.set(row.key, id);
      }
      return state;
  }
}

/** The values of one row of `InstancesImported`. */
function importedValues(fieldIds: readonly number[], row: readonly [id: number, ...cells: CellValue[]]): Values {
  const values: Values = {};
  for (let index = 0; index < fieldIds.length; index++) {
    const cell = row[index + 1] ?? null;
    if (cell !== null) values[fieldIds[index] as number] = cell;
  }
  return values;
}

/** Cells by field name, as in the API. */
export const InstanceData = z.record(z.string(), Cell);

/** POST /api/reference-data/{id}/instances: `{ data }` for one row, or `{ rows: [{ data }] }` for many. */
export const AddInstances = z.union([
  z.object({ data: InstanceData }).transform((one) => ({ rows: [one] })),
  z.object({
    rows: z
      .array(z.object({ data: InstanceData }))
      .min(1)
      .max(INSTANCES_PER_COMMAND),
  }),
]);

export type AddInstances = z.infer<typeof AddInstances>;

/**
 * PATCH /api/reference-data/{id}/instances: changed cells of rows, with the expected revisions of the rows. `fieldIds`
 * maps the names in `data` to field ids: a cell is refused if its name now belongs to another field.
 */
export const ChangeInstances = z
  .array(
    z.object({
      id: Id,
      revision: z.number().int().positive(),
      data: InstanceData,
      fieldIds: z.record(z.string(), Id).optional(),
    }),
  )
  .min(1)
  .max(INSTANCES_PER_COMMAND)
  .superRefine(requireEachRowOnce);

export type ChangeInstances = z.infer<typeof ChangeInstances>;

const InstanceIds = z.object({
  rows: z
    .array(z.object({ id: Id, revision: z.number().int().positive() }))
    .min(1)
    .max(INSTANCES_PER_COMMAND),
});

/** DELETE and …/restore: rows with their expected revisions, or a frozen selection. */
export const SelectedInstances = z.union([InstanceIds, z.object({ selectionId: z.uuid() })]);

export type SelectedInstances = z.infer<typeof SelectedInstances>;

/** One entry of GET /api/reference-data/{id}/instances/{instanceId}/history. */
export const InstanceHistoryView = defineView(() =>
  z.object({
    seq: z.number(),
    revision: z.number(),
    at: z.string(),
    userId: z.number().nullable(),
    ...ActingKey.shape,
    jobId: z
      .number()
      .nullable()
      .describe('The job of the import, or of its undo, that wrote this version; null for other changes.'),
    deleted: z.boolean(),
    data: z.record(z.string(), CellValue),
    changes: z
      .record(z.string(), z.object({ from: CellValue, to: CellValue }))
      .describe('The changes of this version, by field name; empty for the first version.'),
  }),
);
export type InstanceHistoryView = z.infer<typeof InstanceHistoryView>;

/** One row of GET /api/reference-data/{id}/instances. */
export const InstanceView = defineView(() =>
  z.object({
    id: z.number(),
    revision: z.number(),
    key: z.string().describe('The parts of the key, joined for display.'),
    data: z.record(z.string(), CellValue),
    createdAt: z.string(),
    updatedAt: z.string(),
    updatedBy: z.number().nullable(),
  }),
);
export type InstanceView = z.infer<typeof InstanceView>;
