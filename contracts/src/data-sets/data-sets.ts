/** Reference data sets and their instances: events, states and payloads. */
import { z } from 'zod';
import { LEVELS } from '../access/permissions.ts';
import { CELL_CHARACTERS_MAX, INSTANCES_PER_COMMAND } from '../constants.ts';
import { type EventsOf, event } from '../events/event.ts';
import { ListQuery } from '../lists/filter.ts';
import { WORDS } from '../refusal.ts';
import { Cell, Description, Id, Name, namedOnce } from '../text/fields.ts';
import { type CellValue, canonicalKey } from '../text/rows.ts';

const Dependant = z.object({ id: Id });

export const dataSetEvents = {
  DataSetCreated: event(
    z.object({
      id: Id,
      name: z.string(),
      description: z.string(),
      typeId: Id,
      /** The key definition, copied from the type unless others were chosen; in the order of the type's fields. */
      keyFieldIds: z.array(Id),
      labelFieldId: Id.optional(),
    }),
  ),
  DataSetDetailsChanged: event(
    z.object({
      name: z.string().optional(),
      description: z.string().optional(),
      /** Null: the names of the fields decide again. */
      labelFieldId: Id.nullable().optional(),
    }),
  ),
  DataSetPublished: event(z.object({})),
  DataSetUnpublished: event(z.object({})),
  ExclusiveImportStarted: event(z.object({ jobId: Id })),
  ExclusiveImportEnded: event(z.object({ jobId: Id })),
  RelationshipRegistered: event(Dependant),
  RelationshipUnregistered: event(Dependant),
  CrosswalkRegistered: event(Dependant),
  CrosswalkUnregistered: event(Dependant),
  DataSetDeleted: event(z.object({})),
  /** Closes the stream of a data set that was registered and never created, so that a slow creator loses. */
  DataSetAbandoned: event(z.object({ id: Id, typeId: Id })),
};
export type DataSetEvent = EventsOf<typeof dataSetEvents>;

export interface DataSet {
  id: number;
  name: string;
  description: string;
  typeId: number;
  keyFieldIds: number[];
  /** The label field, where a steward chose it. */
  labelFieldId: number | null;
  createdBy: number | null;
  isPublic: boolean;
  deleted: boolean;
  revision: number;
  exclusiveJobId: number | null;
  relationshipIds: number[];
  crosswalkIds: number[];
}

/** Folds one event into a data set; the actor of its creation owns it while it is in no collection. */
export function evolveDataSet(
  state: DataSet | undefined,
  event: DataSetEvent & { metadata?: { actorId: number | null } },
): DataSet | undefined {
  if (event.type === 'DataSetCreated') {
    return {
      ...event.data,
      labelFieldId: event.data.labelFieldId ?? null,
      createdBy: event.metadata?.actorId ?? null,
      isPublic: false,
      deleted: false,
      revision: 1,
      exclusiveJobId: null,
      relationshipIds: [],
      crosswalkIds: [],
    };
  }
  if (event.type === 'DataSetAbandoned') {
    return {
      ...event.data,
      name: '',
      description: '',
      keyFieldIds: [],
      labelFieldId: null,
      createdBy: null,
      isPublic: false,
      deleted: true,
      revision: 1,
      exclusiveJobId: null,
      relationshipIds: [],
      crosswalkIds: [],
    };
  }
  if (state === undefined) return undefined;
  const revised = { ...state, revision: state.revision + 1 };
  switch (event.type) {
    case 'DataSetDetailsChanged':
      return {
        ...revised,
        name: event.data.name ?? state.name,
        description: event.data.description ?? state.description,
        labelFieldId: event.data.labelFieldId === undefined ? state.labelFieldId : event.data.labelFieldId,
      };
    case 'DataSetPublished':
      return { ...revised, isPublic: true };
    case 'DataSetUnpublished':
      return { ...revised, isPublic: false };
    case 'DataSetDeleted':
      return { ...revised, deleted: true };
    case 'ExclusiveImportStarted':
      return { ...state, exclusiveJobId: event.data.jobId };
    case 'ExclusiveImportEnded':
      return { ...state, exclusiveJobId: null };
    case 'RelationshipRegistered':
      return { ...state, relationshipIds: [...state.relationshipIds, event.data.id] };
    case 'RelationshipUnregistered':
      return { ...state, relationshipIds: state.relationshipIds.filter((id) => id !== event.data.id) };
    case 'CrosswalkRegistered':
      return { ...state, crosswalkIds: [...state.crosswalkIds, event.data.id] };
    case 'CrosswalkUnregistered':
      return { ...state, crosswalkIds: state.crosswalkIds.filter((id) => id !== event.data.id) };
  }
}

/** Values by immutable field id; a field left out is null. */
const Values = z.record(z.string(), Cell);
export type Values = z.infer<typeof Values>;

type ImportedRow = [id: number, ...cells: CellValue[]];

/** Ids and cells as `Id` and `Cell` have them, in straight code: it is asked of every cell of an import. */
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
  /** New rows of an import, columnar: `rows` hold the id, then a cell per entry of `fieldIds`. */
  InstancesImported: event(
    z.object({
      jobId: Id,
      schemaRevision: z.number().int(),
      keyFieldIds: z.array(Id),
      fieldIds: z.array(Id),
      rows: z.custom<ImportedRow[]>(areImportedRows, 'Rows are arrays of an id and cells'),
    }),
  ),
  InstancesAdded: event(
    z.object({
      schemaRevision: z.number().int(),
      keyFieldIds: z.array(Id),
      rows: z.array(z.object({ id: Id, values: Values, replaces: Id.optional() })),
    }),
  ),
  /** Changed cells only; an import that updates says its job. */
  InstancesChanged: event(
    z.object({
      schemaRevision: z.number().int(),
      jobId: Id.optional(),
      rows: z.array(z.object({ id: Id, values: Values })),
    }),
  ),
  InstancesRemoved: event(z.object({ ids: z.array(Id), jobId: Id.optional() })),
  InstancesRestored: event(z.object({ ids: z.array(Id) })),
};
export type InstanceEvent = EventsOf<typeof instanceEvents>;

export interface InstanceRow {
  id: number;
  revision: number;
  /** Canonical key (rows.ts). */
  key: string;
  values: Values;
  removed: boolean;
}

/** One bucket of a data set's rows. Folded in place: a bucket of a million-row data set holds 16,000 of them. */
export interface InstanceBucket {
  rows: Map<number, InstanceRow>;
  /** Canonical key → id, of rows that are not removed. */
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

/** A key of more parts than this is no key any more. */
const KEY_FIELDS_MAX = 20;
const COLLECTIONS_MAX = 50;

/** GET /api/reference-data: those on which the caller has READ, or the level named. */
export const DataSetsQuery = ListQuery.extend({ minLevel: z.enum(LEVELS).optional() });

/** POST /api/reference-data. */
export const CreateDataSet = z.object({
  name: Name(WORDS.nameRequired),
  description: Description.default(''),
  typeId: Id,
  /** The collections that hold it from the beginning; `collectionId` is the short form of one. */
  collectionId: Id.optional(),
  collectionIds: z.array(Id).max(COLLECTIONS_MAX).default([]),
  isPublic: z.boolean().default(false),
  /** The label field; where left out, the names of the fields decide. */
  labelField: Name(WORDS.nameRequired).optional(),
  /** Names of the fields that are the key, several for a composite one; the type's where left out. */
  keyFields: z
    .array(Name(WORDS.nameRequired))
    .min(1, 'Choose at least one key field, or leave keyFields out for those of the type')
    .max(KEY_FIELDS_MAX)
    .refine((names) => new Set(names).size === names.length, { error: 'A key field is named twice' })
    .optional(),
});
export type CreateDataSet = z.infer<typeof CreateDataSet>;
/** The body of the request, where what has a default may be left out. */
export type CreateDataSetBody = z.input<typeof CreateDataSet>;

/** PATCH /api/reference-data/{id}. */
export const ChangeDataSet = z.object({
  name: Name(WORDS.nameRequired).optional(),
  description: Description.optional(),
  isPublic: z.boolean().optional(),
  /** Null: the names of the fields decide again. */
  labelField: Name(WORDS.nameRequired).nullable().optional(),
});
export type ChangeDataSet = z.infer<typeof ChangeDataSet>;

/** Cells by field name, as the API speaks of them. */
export const InstanceData = z.record(z.string(), Cell);

/** POST /api/reference-data/{id}/instances: one `{ data }` or many `{ rows: [{ data }] }`. */
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
 * PATCH /api/reference-data/{id}/instances: changed cells of many rows, each with the revision that was seen. `fieldIds`
 * says which fields the names in `data` meant: a cell whose name another field took meanwhile is refused.
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
  .superRefine(namedOnce);
export type ChangeInstances = z.infer<typeof ChangeInstances>;

const InstanceIds = z.object({
  rows: z
    .array(z.object({ id: Id, revision: z.number().int().positive() }))
    .min(1)
    .max(INSTANCES_PER_COMMAND),
});
/** DELETE and …/restore: rows with the revisions seen, or a frozen selection of at most as many. */
export const ChosenInstances = z.union([InstanceIds, z.object({ selectionId: z.uuid() })]);
export type ChosenInstances = z.infer<typeof ChosenInstances>;

/** One row of GET /api/reference-data. */
export interface DataSetView {
  id: number;
  name: string;
  description: string;
  typeId: number;
  typeName: string;
  /** The single key field's name, or null when the key is composite. */
  primaryKeyField: string | null;
  primaryKeyFields: string[];
  /** The label field: its value names a row beside the key; null where there is none. */
  labelField: string | null;
  /** The same where a steward chose it; null where the names of the fields decide. */
  chosenLabelField: string | null;
  collections: { id: number; name: string }[];
  instanceCount: number;
  pendingCount: number;
  crosswalkCount: number;
  isPublic: boolean;
  /** The viewer's level. */
  level: 'READ' | 'WRITE' | 'APPROVER' | 'ADMIN';
  /** The exclusive import under way, if any. */
  exclusiveJobId: number | null;
  revision: number;
  createdAt: string;
  createdBy: number | null;
  updatedAt: string;
  updatedBy: number | null;
}

/** One entry of GET /api/reference-data/{id}/instances/{instanceId}/history. */
export interface InstanceHistoryView {
  seq: number;
  revision: number;
  at: string;
  userId: number | null;
  /** The import that made it. */
  jobId: number | null;
  deleted: boolean;
  data: Record<string, CellValue>;
  /** What it changed, by field name; a first version changed nothing. */
  changes: Record<string, { from: CellValue; to: CellValue }>;
}

/** One row of GET /api/reference-data/{id}/instances. */
export interface InstanceView {
  id: number;
  revision: number;
  /** The key's parts, joined for people. */
  key: string;
  data: Record<string, CellValue>;
  createdAt: string;
  updatedAt: string;
  updatedBy: number | null;
}

/** One row of GET /api/collections/{id}/items: a data set, with how it came into the collection. */
export interface CollectionItemView extends DataSetView {
  /** `<collectionId>-<referenceDataSetId>`; `id` is that of the data set. */
  itemId: string;
  collectionId: number;
  referenceDataSetId: number;
  /** An item never changes: this is when it was created and updated. */
  addedAt: string;
  addedById: number | null;
}
