/** Reference data types, which define named and typed fields: events, state and payloads. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { WORDS } from '../refusal.ts';
import { Dates, Description, Id, Name } from '../text/fields.ts';
import { DATA_TYPES } from '../text/rows.ts';

const DataType = z.enum(DATA_TYPES, { error: WORDS.dataTypeRequired });
const Field = z.object({ fieldId: Id, name: z.string(), dataType: DataType, isPrimaryKey: z.boolean() });

/** A crosswalk or relationship that uses a field. */
const Referrer = z.object({ kind: z.enum(['relationship', 'crosswalk']), id: Id });

export const referenceTypeEvents = {
  ReferenceTypeDefined: event(z.object({ id: Id, name: z.string(), description: z.string(), fields: z.array(Field) })),
  ReferenceTypeDetailsChanged: event(z.object({ name: z.string().optional(), description: z.string().optional() })),
  FieldAdded: event(Field),
  FieldRenamed: event(z.object({ fieldId: Id, name: z.string() })),
  FieldChanged: event(z.object({ fieldId: Id, dataType: DataType.optional(), isPrimaryKey: z.boolean().optional() })),
  FieldRetired: event(z.object({ fieldId: Id })),
  ReferenceTypeDeleted: event(z.object({})),
  /** A data set of the type was registered. In version 1, its key fields were always those of the type. */
  DataSetRegistered: event(z.object({ dataSetId: Id, keyFieldIds: z.array(Id) }), 2, {
    1: (data) => ({ ...(data as object), keyFieldIds: [] }),
  }),
  DataSetUnregistered: event(z.object({ dataSetId: Id })),
  FieldReferenced: event(z.object({ fieldId: Id, by: Referrer })),
  FieldUnreferenced: event(z.object({ fieldId: Id, by: Referrer })),
};
export type ReferenceTypeEvent = EventsOf<typeof referenceTypeEvents>;

export interface TypeField {
  fieldId: number;
  name: string;
  dataType: (typeof DATA_TYPES)[number];
  isPrimaryKey: boolean;
  retired: boolean;
  /** The crosswalks and relationships that use the field, such as `crosswalk:3` and `relationship:7`. */
  referencedBy: string[];
  /** The data sets with the field in their key. Absent before the first data set, and in states of earlier versions. */
  keyOf?: number[];
}

export interface ReferenceType {
  id: number;
  name: string;
  description: string;
  deleted: boolean;
  /** Incremented by every event that changes details or fields, and by the deletion; the revision for `If-Match`. */
  revision: number;
  /** Incremented by every change of the fields. Events of rows have the schema revision at the time of the write. */
  schemaRevision: number;
  fields: TypeField[];
  dataSetIds: number[];
}

const referrer = (by: { kind: string; id: number }) => `${by.kind}:${by.id}`;

/** Folds one event into a type. Returns undefined before the event ReferenceTypeDefined. */
export function evolveReferenceType(
  state: ReferenceType | undefined,
  event: ReferenceTypeEvent,
): ReferenceType | undefined {
  if (event.type === 'ReferenceTypeDefined') {
    const { id, name, description, fields } = event.data;
    return {
      id,
      name,
      description,
      deleted: false,
      revision: 1,
      schemaRevision: 1,
      fields: fields.map((field) => ({ ...field, retired: false, referencedBy: [] })),
      dataSetIds: [],
    };
  }
  if (state === undefined) return undefined;
  const mapField = (fieldId: number, change: (field: TypeField) => TypeField) =>
    state.fields.map((field) => (field.fieldId === fieldId ? change(field) : field));
  const revised = { ...state, revision: state.revision + 1 };
  const reshaped = { ...revised, schemaRevision: state.schemaRevision + 1 };
  switch (event.type) {
    case 'ReferenceTypeDetailsChanged':
      return {
        ...revised,
        name: event.data.name ?? state.name,
        description: event.data.description ?? state.description,
      };
    case 'FieldAdded':
      return { ...reshaped, fields: [...state.fields, { ...event.data, retired: false, referencedBy: [] }] };
    case 'FieldRenamed':
      return { ...reshaped, fields: mapField(event.data.fieldId, (field) => ({ ...field, name: event.data.name })) };
    case 'FieldChanged':
      return {
        ...reshaped,
        fields: mapField(event.data.fieldId, (field) => ({
          ...field,
          dataType: event.data.dataType ?? field.dataType,
          isPrimaryKey: event.data.isPrimaryKey ?? field.isPrimaryKey,
        })),
      };
    case 'FieldRetired':
      return { ...reshaped, fields: mapField(event.data.fieldId, (field) => ({ ...field, retired: true })) };
    case 'ReferenceTypeDeleted':
      return { ...revised, deleted: true };
    case 'DataSetRegistered': {
      const { dataSetId, keyFieldIds } = event.data;
      const isKey = (field: TypeField) =>
        keyFieldIds.length === 0 ? isDefaultKey(field) : keyFieldIds.includes(field.fieldId);
      return {
        ...state,
        dataSetIds: [...state.dataSetIds, dataSetId],
        fields: state.fields.map((field) =>
          isKey(field) ? { ...field, keyOf: [...(field.keyOf ?? []), dataSetId] } : field,
        ),
      };
    }
    case 'DataSetUnregistered': {
      const { dataSetId } = event.data;
      return {
        ...state,
        dataSetIds: state.dataSetIds.filter((id) => id !== dataSetId),
        fields: state.fields.map((field) =>
          field.keyOf ? { ...field, keyOf: field.keyOf.filter((id) => id !== dataSetId) } : field,
        ),
      };
    }
    case 'FieldReferenced':
      return {
        ...state,
        fields: mapField(event.data.fieldId, (field) => ({
          ...field,
          referencedBy: [...field.referencedBy, referrer(event.data.by)],
        })),
      };
    case 'FieldUnreferenced':
      return {
        ...state,
        fields: mapField(event.data.fieldId, (field) => ({
          ...field,
          referencedBy: field.referencedBy.filter((by) => by !== referrer(event.data.by)),
        })),
      };
  }
}

export const isActiveField = (field: TypeField): boolean => !field.retired;
const isDefaultKey = (field: TypeField): boolean => field.isPrimaryKey && isActiveField(field);

export const activeFields = (type: ReferenceType): TypeField[] => type.fields.filter(isActiveField);

/** The name of a field. `__proto__` is refused, because rows are objects and cannot have a property with this name. */
const FieldName = Name(WORDS.nameRequired).refine((name) => name !== '__proto__', {
  error: 'A field cannot be named __proto__',
});

/** POST /api/reference-types: the form of "Add New Type" (specification §2, §5, §7). */
export const DefineReferenceType = z.object({
  name: Name(WORDS.nameRequired),
  description: Description.default(''),
  schemas: z
    .array(
      z.object({
        name: FieldName,
        dataType: DataType,
        isPrimaryKey: z.boolean().default(false),
      }),
    )
    .min(1, 'Add at least one schema field')
    .max(1_000)
    .refine((fields) => fields.some((field) => field.isPrimaryKey), { error: WORDS.needsPrimaryKey }),
});
export type DefineReferenceType = z.infer<typeof DefineReferenceType>;

/** PATCH /api/reference-types/{id}. */
export const ChangeReferenceType = z.object({
  name: Name(WORDS.nameRequired).optional(),
  description: Description.optional(),
});
export type ChangeReferenceType = z.infer<typeof ChangeReferenceType>;

/**
 * PUT /api/reference-types/{id}/schemas: replaces the list of fields. A field without `fieldId` is new; a field that is
 * left out is retired.
 */
export const ChangeSchema = z.object({
  schemas: z
    .array(
      z.object({
        fieldId: Id.optional(),
        name: FieldName,
        dataType: DataType,
        isPrimaryKey: z.boolean().default(false),
      }),
    )
    .min(1, 'Add at least one schema field')
    .max(1_000)
    .refine((fields) => fields.some((field) => field.isPrimaryKey), { error: WORDS.needsPrimaryKey }),
});
export type ChangeSchema = z.infer<typeof ChangeSchema>;

/** One row of GET /api/reference-types. */
export const ReferenceTypeView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.string(),
    revision: z.number(),
    schemaCount: z.number().describe('The number of fields that are not retired.'),
    dataSetCount: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type ReferenceTypeView = z.infer<typeof ReferenceTypeView>;

/** One row of GET /api/reference-types/{id}/schemas. */
export const SchemaFieldView = defineView(() =>
  Dates.extend({
    id: z.number(),
    fieldId: z.number(),
    referenceDataTypeId: z.number(),
    name: z.string(),
    dataType: z.enum(DATA_TYPES),
    isPrimaryKey: z.boolean(),
    isReferenced: z.boolean(),
    isKeyOfDataSets: z
      .boolean()
      .describe('Whether the field is in the key of data sets of this type. If so, only its name can be changed.'),
  }),
);
export type SchemaFieldView = z.infer<typeof SchemaFieldView>;

/** Returns the fields of a type with the key of a data set, which may differ from the key of the type. */
export const keyedBy = (fields: readonly SchemaFieldView[], keyFields: readonly string[]): SchemaFieldView[] =>
  fields.map((field) => ({ ...field, isPrimaryKey: keyFields.includes(field.name) }));

/** GET …/dependencies: the content of the impact dialog (specification §3). */
export const DependencyAnalysis = defineView(() =>
  z.object({
    datasets: z.array(
      z.object({ id: z.number(), name: z.string(), collection: z.string().nullable(), instanceCount: z.number() }),
    ),
    relationships: z.array(z.object({ id: z.number(), name: z.string(), source: z.string(), target: z.string() })),
    crosswalkMappings: z.array(
      z.object({ id: z.number(), name: z.string(), source: z.string(), target: z.string(), mappingCount: z.number() }),
    ),
    primaryKeyFields: z.array(z.object({ name: z.string(), isReferenced: z.boolean() })),
    totalAffectedInstances: z.number(),
    hidden: z
      .object({ datasets: z.number(), relationships: z.number(), crosswalkMappings: z.number() })
      .describe('The number of dependants that the viewer may not read.'),
  }),
);
export type DependencyAnalysis = z.infer<typeof DependencyAnalysis>;
