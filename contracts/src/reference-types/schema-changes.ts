/**
 * Compares an edited schema with the stored schema, for commands and previews, and finds changes that are not allowed.
 */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { CellValue } from '../text/rows.ts';
import { type ChangeSchema, isActiveField, type TypeField } from './reference-types.ts';

type RequestedField = ChangeSchema['schemas'][number];

export type SchemaStep =
  | { kind: 'retired'; field: TypeField }
  | { kind: 'added'; name: string; dataType: RequestedField['dataType']; isPrimaryKey: boolean }
  | { kind: 'renamed'; field: TypeField; name: string }
  | { kind: 'changed'; field: TypeField; dataType?: RequestedField['dataType']; isPrimaryKey?: boolean };

/** Why an edited schema cannot be stored. */
export const SchemaProblem = defineView(() =>
  z.object({
    code: z.enum(['FIELD_LOCKED', 'INVALID']),
    field: z
      .string()
      .describe('The stored name of an existing field, or the requested name of a new, unknown or repeated field.'),
    message: z.string(),
  }),
);
export type SchemaProblem = z.infer<typeof SchemaProblem>;

export interface SchemaPlan {
  /** The changes: first of the retired fields, then of the requested fields, in their order. */
  steps: SchemaStep[];
  problems: SchemaProblem[];
}

const KEY_IN_USE = 'the key of a type cannot be changed while data sets use it';

/** Compares the stored fields with an edited list: a field without `fieldId` is new, a missing field is retired. */
export function planSchema(
  stored: { fields: readonly TypeField[]; dataSetIds: readonly number[] },
  requestedFields: readonly RequestedField[],
): SchemaPlan {
  const steps: SchemaStep[] = [];
  const problems: SchemaProblem[] = repeatedNames(requestedFields);
  const addLock = (field: string, reason: string) =>
    problems.push({ code: 'FIELD_LOCKED', field, message: `The field "${field}" is locked: ${reason}` });
  const activeFields = stored.fields.filter(isActiveField);
  const keptFieldIds = new Set(requestedFields.map((field) => field.fieldId));
  const hasDataSets = stored.dataSetIds.length > 0;

  for (const field of activeFields) {
    if (keptFieldIds.has(field.fieldId)) continue;
    if (field.referencedBy.length > 0) addLock(field.name, 'a crosswalk or relationship uses it');
    else if (isKeyOfDataSets(field)) addLock(field.name, 'it is part of the key of data sets of this type');
    steps.push({ kind: 'retired', field });
  }
  for (const { fieldId, name, dataType, isPrimaryKey } of requestedFields) {
    if (fieldId === undefined) {
      if (isPrimaryKey && hasDataSets) addLock(name, KEY_IN_USE);
      steps.push({ kind: 'added', name, dataType, isPrimaryKey });
      continue;
    }
    const field = activeFields.find((each) => each.fieldId === fieldId);
    if (!field) {
      problems.push({ code: 'INVALID', field: name, message: `This type has no field ${fieldId}` });
      continue;
    }
    if (field.name !== name) steps.push({ kind: 'renamed', field, name });
    const changesType = field.dataType !== dataType;
    const changesKey = field.isPrimaryKey !== isPrimaryKey;
    if (!changesType && !changesKey) continue;
    if (field.isPrimaryKey && field.referencedBy.length > 0) {
      addLock(field.name, 'it is a primary key that a crosswalk or relationship uses');
    } else if (isKeyOfDataSets(field)) {
      addLock(field.name, 'it is part of the key of data sets of this type');
    } else if (changesKey && hasDataSets) addLock(field.name, KEY_IN_USE);
    steps.push({ kind: 'changed', field, ...(changesType && { dataType }), ...(changesKey && { isPrimaryKey }) });
  }
  return { steps, problems };
}

export const isKeyOfDataSets = (field: TypeField): boolean => (field.keyOf?.length ?? 0) > 0;

export function repeatedNames(fields: readonly { name: string }[]): SchemaProblem[] {
  const names = new Set<string>();
  return fields.flatMap(({ name }) => {
    const folded = name.toLowerCase();
    if (names.has(folded)) return [{ code: 'INVALID', field: name, message: `Two fields are named "${name}"` }];
    names.add(folded);
    return [];
  });
}

/** An effect of a schema on rows: cells that are read as empty or no longer shown after the change. */
export const SchemaIssue = defineView(() =>
  z.object({
    field: z.string(),
    kind: z
      .enum(['TYPE', 'RETIRED'])
      .describe('TYPE: cells that do not have the new type. RETIRED: values that are no longer shown.'),
    rule: z.string(),
    count: z.number().describe('The number of affected rows.'),
    examples: z
      .array(z.object({ instanceId: z.number(), key: z.string(), value: CellValue }))
      .describe('The first affected rows.'),
  }),
);
export type SchemaIssue = z.infer<typeof SchemaIssue>;

/** POST …/schema-preview: the effect of storing a schema. */
export const SchemaPreview = defineView(() =>
  z.object({
    problems: z
      .array(
        SchemaProblem.extend({
          usedBy: z.array(z.object({ kind: z.enum(['relationship', 'crosswalk']), id: z.number(), name: z.string() })),
          hidden: z.number(),
        }),
      )
      .describe('Reasons why the schema cannot be stored; if there are any, no part of it can be stored.'),
    steps: z.array(
      z.object({
        kind: z.enum(['retired', 'added', 'renamed', 'changed']),
        field: z.string(),
        from: z.string().exactOptional(),
        to: z.string().exactOptional(),
      }),
    ),
    datasets: z
      .array(z.object({ id: z.number(), name: z.string(), instanceCount: z.number(), issues: z.array(SchemaIssue) }))
      .describe('Data sets with affected rows that the viewer may read, the most affected first.'),
    others: z
      .object({ untouched: z.number(), more: z.number(), hidden: z.number(), hiddenCells: z.number() })
      .describe(
        'The numbers of data sets of the type that are not listed, by reason: nothing changes in them (untouched), they exceed the length of the list (more), or the viewer may not read them (hidden). hiddenCells is the number of affected cells in hidden data sets.',
      ),
    savedFilters: z
      .array(
        z.object({
          id: z.number(),
          name: z.string(),
          dataSet: z.object({ id: z.number(), name: z.string() }),
          fields: z.array(z.string()),
        }),
      )
      .describe('Saved filters that the viewer can use and that contain a field to be removed.'),
    broken: z.number().describe('The number of cells that would be read as empty, also in hidden data sets.'),
    retired: z.number().describe('The number of values that would no longer be shown, also in hidden data sets.'),
  }),
);
export type SchemaPreview = z.infer<typeof SchemaPreview>;

/** The maximum number of listed data sets. Further data sets are only counted. */
export const PREVIEWED_DATA_SETS = 50;
export const PREVIEWED_FILTERS = 50;
/** The maximum number of rows that are shown for each issue. */
export const PREVIEWED_ROWS = 5;
