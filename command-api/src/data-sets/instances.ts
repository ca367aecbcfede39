/** Rules of instances: rows of a bucket are added, changed, removed and restored, with an outcome per row. */
import {
  activeFields,
  type CellValue,
  checkCell,
  displayKey,
  type InstanceBucket,
  type InstanceEvent,
  keyOfValues,
  REVIEW_REFUSALS,
  type ReferenceType,
  type RowOutcome,
  rowId,
  type TypeField,
  type Values,
} from '@rdm/contracts';
import type { RowsDecision } from '../runtime/decision.ts';

/** Cells by field id, or the reason why a row is invalid. */
export type ReadRow = { ok: true; values: Values } | { ok: false; field: string; reason: string };

/**
 * Reads the cells of a row by field name, and checks but never converts the values. `knownFieldIds` maps field names to
 * the field ids at the time of the user's input; a name whose field id differs now is refused.
 */
export function readRow(
  type: ReferenceType,
  data: Record<string, CellValue>,
  knownFieldIds: Readonly<Record<string, number>> = {},
): ReadRow {
  const byName = new Map(activeFields(type).map((field) => [field.name, field]));
  const values: Values = {};
  for (const [name, value] of Object.entries(data)) {
    const field: TypeField | undefined = byName.get(name);
    if (Object.hasOwn(knownFieldIds, name) && knownFieldIds[name] !== field?.fieldId)
      return { ok: false, field: name, reason: 'this field was renamed or removed meanwhile' };
    if (!field) return { ok: false, field: name, reason: `"${type.name}" has no field "${name}"` };
    const cell = checkCell(value, field.dataType);
    if (!cell.ok) return { ok: false, field: name, reason: cell.reason };
    values[field.fieldId] = cell.value;
  }
  return { ok: true, values };
}

/** Returns the name of the first empty key field; null if all key fields have a value. */
export function missingKeyField(type: ReferenceType, keyFieldIds: readonly number[], values: Values): string | null {
  const empty = keyFieldIds.find((fieldId) => (values[fieldId] ?? null) === null);
  if (empty === undefined) return null;
  return type.fields.find((field) => field.fieldId === empty)?.name ?? String(empty);
}

export function displayKeyIn({ rows }: InstanceBucket, id: number): string | undefined {
  const row = rows.get(id);
  return row && displayKey(JSON.parse(row.key));
}

/** A row to add, with the sequence number of its id. */
export interface NewRow {
  /** Index in the request, for the answer. */
  index: number;
  sequence: number;
  values: Values;
}

interface Schema {
  schemaRevision: number;
  keyFieldIds: readonly number[];
}

/** Adds rows whose keys are unused. If two rows have the same key, adds the first one. */
export function addInstances(
  bucket: InstanceBucket,
  rows: readonly NewRow[],
  schema: Schema,
): RowsDecision<InstanceEvent> {
  const usedKeys = new Set<string>();
  const outcomes: RowOutcome[] = [];
  const added: { id: number; values: Values }[] = [];
  for (const { index, sequence, values } of rows) {
    const key = keyOfValues(values, schema.keyFieldIds);
    const holder = bucket.ids.get(key);
    if (holder !== undefined || usedKeys.has(key)) {
      const keyText = displayKey(JSON.parse(key));
      outcomes.push({
        id: index,
        index,
        outcome: 'refused',
        code: 'DUPLICATE_KEY',
        message: `The key "${keyText}" exists already`,
        key: keyText,
      });
      continue;
    }
    usedKeys.add(key);
    const id = rowId(sequence, key);
    added.push({ id, values: withoutNulls(values) });
    outcomes.push({ id, index, outcome: 'done', revision: 1 });
  }
  const data = { schemaRevision: schema.schemaRevision, keyFieldIds: [...schema.keyFieldIds], rows: added };
  return { events: added.length === 0 ? [] : [{ type: 'InstancesAdded', data }], result: outcomes };
}

export interface CellChange {
  id: number;
  revision: number;
  values: Values;
}

/** Changes cells of rows that have the expected revision; an unchanged row counts as done. */
export function changeInstances(
  bucket: InstanceBucket,
  changes: readonly CellChange[],
  schema: Schema,
): RowsDecision<InstanceEvent> {
  const outcomes: RowOutcome[] = [];
  const rows: { id: number; values: Values }[] = [];
  const changedIds = new Set<number>();
  for (const { id, revision, values } of changes) {
    const row = bucket.rows.get(id);
    const refused = changedIds.has(id) ? 'STALE' : rowRefusal(row, revision);
    if (refused || !row) {
      outcomes.push({
        id,
        outcome: 'refused',
        ...refusalOf(refused ?? 'NOT_FOUND'),
        ...(row && { revision: row.revision }),
      });
      continue;
    }
    const newValues = { ...row.values, ...values };
    if (keyOfValues(newValues, schema.keyFieldIds) !== row.key) {
      const message = 'The primary key of a row cannot be changed: add a new row and remove this one';
      outcomes.push({ id, outcome: 'refused', code: 'KEY_IMMUTABLE', message });
      continue;
    }
    const changed = Object.entries(values).filter(([fieldId, value]) => (row.values[fieldId] ?? null) !== value);
    if (changed.length === 0) {
      outcomes.push({ id, outcome: 'done', revision: row.revision });
      continue;
    }
    changedIds.add(id);
    rows.push({ id, values: Object.fromEntries(changed) });
    outcomes.push({ id, outcome: 'done', revision: row.revision + 1 });
  }
  const data = { schemaRevision: schema.schemaRevision, rows };
  return { events: rows.length === 0 ? [] : [{ type: 'InstancesChanged', data }], result: outcomes };
}

export function removeInstances(
  bucket: InstanceBucket,
  rows: readonly { id: number; revision: number }[],
): RowsDecision<InstanceEvent> {
  const outcomes: RowOutcome[] = [];
  const ids: number[] = [];
  const removedIds = new Set<number>();
  for (const { id, revision } of rows) {
    const row = bucket.rows.get(id);
    const refused = removedIds.has(id) ? 'STALE' : rowRefusal(row, revision);
    if (refused || !row) {
      outcomes.push({ id, outcome: 'refused', ...refusalOf(refused ?? 'NOT_FOUND') });
      continue;
    }
    removedIds.add(id);
    ids.push(id);
    outcomes.push({ id, outcome: 'done', revision: row.revision + 1 });
  }
  return { events: ids.length === 0 ? [] : [{ type: 'InstancesRemoved', data: { ids } }], result: outcomes };
}

/** Restores removed rows; refuses a row whose key another row has taken meanwhile. */
export function restoreInstances(
  bucket: InstanceBucket,
  rows: readonly { id: number; revision: number }[],
): RowsDecision<InstanceEvent> {
  const outcomes: RowOutcome[] = [];
  const ids: number[] = [];
  const restoredKeys = new Set<string>();
  for (const { id, revision } of rows) {
    const row = bucket.rows.get(id);
    if (!row?.removed) {
      outcomes.push({ id, outcome: 'refused', ...refusalOf(row ? 'NOT_DELETED' : 'NOT_FOUND') });
    } else if (row.revision !== revision) {
      outcomes.push({ id, outcome: 'refused', ...refusalOf('STALE'), revision: row.revision });
    } else if (bucket.ids.has(row.key) || restoredKeys.has(row.key)) {
      const key = displayKey(JSON.parse(row.key));
      const message = `The key ${key} was taken by another row meanwhile`;
      outcomes.push({ id, outcome: 'refused', code: 'DUPLICATE_KEY', message });
    } else {
      ids.push(id);
      restoredKeys.add(row.key);
      outcomes.push({ id, outcome: 'done', revision: row.revision + 1 });
    }
  }
  return { events: ids.length === 0 ? [] : [{ type: 'InstancesRestored', data: { ids } }], result: outcomes };
}

function rowRefusal(row: { removed: boolean; revision: number } | undefined, expectedRevision: number) {
  if (!row) return 'NOT_FOUND' as const;
  if (row.removed) return 'DELETED' as const;
  return row.revision === expectedRevision ? null : ('STALE' as const);
}

const refusalOf = (code: 'NOT_FOUND' | 'DELETED' | 'STALE' | 'NOT_DELETED') => ({
  code,
  message: REVIEW_REFUSALS[code],
});

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
