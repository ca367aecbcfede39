/** Compares an edited schema with the stored one, and names locked changes; used by commands to decide and by previews. */
import { type ChangeSchema, isInUse, type TypeField } from './reference-types.ts';

type Wanted = ChangeSchema['schemas'][number];

export type SchemaStep =
  | { kind: 'retired'; field: TypeField }
  | { kind: 'added'; name: string; dataType: Wanted['dataType']; isPrimaryKey: boolean }
  | { kind: 'renamed'; field: TypeField; name: string }
  | { kind: 'changed'; field: TypeField; dataType?: Wanted['dataType']; isPrimaryKey?: boolean };

/** Why an edited schema cannot be stored. */
export interface SchemaProblem {
  code: 'FIELD_LOCKED' | 'INVALID';
  /** The stored name of an existing field. */
  field: string;
  message: string;
}

export interface SchemaPlan {
  /** Retirements first, then the fields in the given order. */
  steps: SchemaStep[];
  problems: SchemaProblem[];
}

/** Compares the stored fields with an edited list: a field without `fieldId` is new, a field left out is retired. */
export function planSchema(
  stored: { fields: readonly TypeField[]; dataSetIds: readonly number[] },
  wanted: readonly Wanted[],
): SchemaPlan {
  const steps: SchemaStep[] = [];
  const problems: SchemaProblem[] = repeatedNames(wanted);
  const lock = (field: string, why: string) =>
    problems.push({ code: 'FIELD_LOCKED', field, message: `The field "${field}" is locked: ${why}` });
  const active = stored.fields.filter(isInUse);
  const kept = new Set(wanted.map((field) => field.fieldId));
  const inUse = stored.dataSetIds.length > 0;

  for (const field of active) {
    if (kept.has(field.fieldId)) continue;
    if (field.referencedBy.length > 0) lock(field.name, 'a crosswalk or relationship uses it');
    else if (isKeyOfDataSets(field)) lock(field.name, 'it is part of the key of data sets of this type');
    steps.push({ kind: 'retired', field });
  }
  for (const { fieldId, name, dataType, isPrimaryKey } of wanted) {
    if (fieldId === undefined) {
      if (isPrimaryKey && inUse) lock(name, 'data sets of this type have their key already');
      steps.push({ kind: 'added', name, dataType, isPrimaryKey });
      continue;
    }
    const field = active.find((each) => each.fieldId === fieldId);
    if (!field) {
      problems.push({ code: 'INVALID', field: name, message: `This type has no field ${fieldId}` });
      continue;
    }
    if (field.name !== name) steps.push({ kind: 'renamed', field, name });
    const retyped = field.dataType !== dataType;
    const rekeyed = field.isPrimaryKey !== isPrimaryKey;
    if (!retyped && !rekeyed) continue;
    if (field.isPrimaryKey && field.referencedBy.length > 0) {
      lock(field.name, 'it is a primary key that a crosswalk or relationship uses');
    } else if ((retyped && isKeyOfDataSets(field)) || (rekeyed && inUse)) {
      lock(field.name, 'it belongs to the key of data sets of this type, and their rows are found by it');
    }
    steps.push({ kind: 'changed', field, ...(retyped && { dataType }), ...(rekeyed && { isPrimaryKey }) });
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

/** The effect on rows: cells that read as empty, or are no longer shown. */
export interface SchemaIssue {
  field: string;
  /** TYPE: cells of another type than the new one. RETIRED: values that are no longer shown. */
  kind: 'TYPE' | 'RETIRED';
  rule: string;
  /** Affected rows. */
  count: number;
  /** The first of them. */
  examples: { instanceId: number; key: string; value: string | number | boolean | null }[];
}

/** POST …/schema-preview: the effect of storing a schema. */
export interface SchemaPreview {
  /** Reasons against storing it; with any, nothing of it can be stored. */
  problems: (SchemaProblem & {
    usedBy: { kind: 'relationship' | 'crosswalk'; id: number; name: string }[];
    hidden: number;
  })[];
  steps: { kind: SchemaStep['kind']; field: string; from?: string; to?: string }[];
  /** Data sets with affected rows that the viewer may read, the most affected first; at most PREVIEWED_DATA_SETS. */
  datasets: { id: number; name: string; instanceCount: number; issues: SchemaIssue[] }[];
  /** Data sets of the type that are not listed: nothing changes in them, they are too many, or the viewer may not read them. */
  others: { untouched: number; more: number; hidden: number; hiddenCells: number };
  /** Saved filters of the viewer that use a field to be removed; at most PREVIEWED_FILTERS. */
  savedFilters: { id: number; name: string; dataSet: { id: number; name: string }; fields: string[] }[];
  /** In all data sets: cells that would read as empty, and values that would no longer be shown. */
  broken: number;
  retired: number;
}

/** More data sets than this are counted, not listed. */
export const PREVIEWED_DATA_SETS = 50;
export const PREVIEWED_FILTERS = 50;
/** Rows shown of each issue. */
export const PREVIEWED_ROWS = 5;
