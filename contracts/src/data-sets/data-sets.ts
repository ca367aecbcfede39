/** Reference data sets: events, state and payloads. */
import { z } from 'zod';
import { LEVELS } from '../access/permissions.ts';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { ListQuery } from '../lists/filter.ts';
import { WORDS } from '../refusal.ts';
import { Description, Id, Name } from '../text/fields.ts';
import { KEY_FIELDS_MAX } from '../text/rows.ts';

const Dependant = z.object({ id: Id });

export const dataSetEvents = {
  DataSetCreated: event(
    z.object({
      id: Id,
      name: z.string(),
      description: z.string(),
      typeId: Id,
      /** The key fields of the type, or the key fields chosen for the data set, in the order of the type's fields. */
      keyFieldIds: z.array(Id),
      labelFieldId: Id.optional(),
    }),
  ),
  DataSetDetailsChanged: event(
    z.object({
      name: z.string().optional(),
      description: z.string().optional(),
      /** Null if the label field is derived from the names of the fields. */
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
  /** Closes the stream of a data set whose creation was not completed, so that a delayed command cannot create it. */
  DataSetAbandoned: event(z.object({ id: Id, typeId: Id })),
};
export type DataSetEvent = EventsOf<typeof dataSetEvents>;

export interface DataSet {
  id: number;
  name: string;
  description: string;
  typeId: number;
  keyFieldIds: number[];
  /** The label field that a steward chose. */
  labelFieldId: number | null;
  /** The user who created the data set, and who owns it while it is in no collection. */
  createdBy: number | null;
  isPublic: boolean;
  deleted: boolean;
  revision: number;
  exclusiveJobId: number | null;
  relationshipIds: number[];
  crosswalkIds: number[];
}

/** Folds one event into a data set. */
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

const COLLECTIONS_MAX = 50;

/** GET /api/reference-data: lists the data sets on which the caller has READ, or the requested level. */
export const DataSetsQuery = ListQuery.extend({
  minLevel: z.enum(LEVELS).optional().describe('Lists only data sets on which the caller has at least this level.'),
});

/** POST /api/reference-data. */
export const CreateDataSet = z.object({
  name: Name(WORDS.nameRequired),
  description: Description.default(''),
  typeId: Id,
  /** A collection to which the data set is added; `collectionIds` names several. */
  collectionId: Id.optional(),
  collectionIds: z.array(Id).max(COLLECTIONS_MAX).default([]),
  isPublic: z.boolean().default(false),
  /** The label field; if null or left out, it is derived from the names of the fields. */
  labelField: Name(WORDS.nameRequired).nullable().optional(),
  /** The names of the key fields, several for a composite key; if left out, the key of the type. */
  keyFields: z
    .array(Name(WORDS.nameRequired))
    .min(1, 'Choose at least one key field, or leave keyFields out to use the key of the type')
    .max(KEY_FIELDS_MAX)
    .refine((names) => new Set(names).size === names.length, { error: 'A key field is named twice' })
    .optional(),
});
export type CreateDataSet = z.infer<typeof CreateDataSet>;
/** The body of the request, in which fields with defaults are optional. */
export type CreateDataSetBody = z.input<typeof CreateDataSet>;

/** PATCH /api/reference-data/{id}. */
export const ChangeDataSet = z.object({
  name: Name(WORDS.nameRequired).optional(),
  description: Description.optional(),
  isPublic: z.boolean().optional(),
  /** Null to derive the label field from the names of the fields. */
  labelField: Name(WORDS.nameRequired).nullable().optional(),
});
export type ChangeDataSet = z.infer<typeof ChangeDataSet>;

/** One row of GET /api/reference-data. */
export const DataSetView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.string(),
    typeId: z.number(),
    typeName: z.string(),
    primaryKeyField: z.string().nullable().describe('The name of the key field; null if the key is composite.'),
    primaryKeyFields: z.array(z.string()),
    labelField: z.string().nullable().describe('The label field, whose value labels a row; null if there is none.'),
    chosenLabelField: z.string().nullable().describe('The label field if a steward chose it; null if it is derived.'),
    collections: z.array(z.object({ id: z.number(), name: z.string() })),
    instanceCount: z.number(),
    pendingCount: z.number(),
    crosswalkCount: z.number(),
    isPublic: z.boolean(),
    level: z.enum(['READ', 'WRITE', 'APPROVER', 'ADMIN']).describe("The viewer's level."),
    exclusiveJobId: z
      .number()
      .nullable()
      .describe('The job of the exclusive import in progress; null if there is none.'),
    revision: z.number(),
    createdAt: z.string(),
    createdBy: z.number().nullable(),
    updatedAt: z.string(),
    updatedBy: z.number().nullable(),
  }),
);
export type DataSetView = z.infer<typeof DataSetView>;

/**
 * One row of GET /api/collections/{id}/items: a data set, with the user who added it to the collection, and the time.
 */
export const CollectionItemView = defineView(() =>
  DataSetView.extend({
    itemId: z.string().describe('`<collectionId>-<referenceDataSetId>`; `id` is the id of the data set.'),
    collectionId: z.number(),
    referenceDataSetId: z.number(),
    addedAt: z
      .string()
      .describe('When the data set was added. An item never changes, so this is also the time of its last update.'),
    addedById: z.number().nullable(),
  }),
);
export type CollectionItemView = z.infer<typeof CollectionItemView>;
