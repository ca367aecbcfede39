/** Checks which values exist in the source or target data set of a crosswalk. */
import {
  BUCKETS,
  bucketOfKey,
  bucketOfRow,
  type Crosswalk,
  canonicalKey,
  keyFromText,
  normaliseText,
  streams,
} from '@rdm/contracts';
import { requireType } from '../invariants/dependants.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';

/** Returns the deleted target values of mappings, see `findDeletedTargets`. */
export async function findDeletedTargetsOfMappings(
  x: Execution,
  crosswalk: Crosswalk,
  rows: readonly { id: number }[],
): Promise<Set<string>> {
  const texts = new Set<string>();
  for (const bucket of new Set(rows.map((row) => bucketOfRow(row.id)))) {
    const { state } = await x.load(kinds.mappings, streams.mappings(crosswalk.id, bucket));
    for (const row of rows) {
      const mapping = state.rows.get(row.id);
      if (mapping) texts.add(mapping.value.targetValue);
    }
  }
  return findDeletedTargets(x, crosswalk, texts);
}

/**
 * Returns the target values whose row was deleted. Returns none if the target field is not the whole key: a mapping to
 * a deleted value can then be submitted, and lists show this mapping as broken.
 */
export async function findDeletedTargets(
  x: Execution,
  { value }: Crosswalk,
  texts: Iterable<string>,
): Promise<Set<string>> {
  const deleted = new Set<string>();
  const { state: target } = await x.load(kinds.dataSet, streams.dataSet(value.targetSystemId));
  const [keyFieldId, ...others] = target?.keyFieldIds ?? [];
  if (!target || target.deleted || others.length > 0 || keyFieldId !== value.targetFieldId) return deleted;
  const { fields } = requireType((await x.load(kinds.referenceType, streams.referenceType(target.typeId))).state);
  const dataType = fields.find(({ fieldId }) => fieldId === keyFieldId)?.dataType ?? 'string';

  /** The texts by canonical key; several texts can have one canonical key. */
  const textsByKey = new Map<string, Set<string>>();
  for (const text of texts) {
    const parsed = keyFromText(text, [dataType]);
    if ('reason' in parsed) continue;
    const key = canonicalKey(parsed.cells);
    textsByKey.set(key, (textsByKey.get(key) ?? new Set()).add(text));
  }
  const byBucket = new Map<number, string[]>();
  for (const key of textsByKey.keys()) {
    const bucketKeys = byBucket.get(bucketOfKey(key));
    if (bucketKeys) bucketKeys.push(key);
    else byBucket.set(bucketOfKey(key), [key]);
  }
  for (const [bucket, keys] of byBucket) {
    const { state } = await x.load(kinds.instances, streams.instances(value.targetSystemId, bucket), { keys });
    const missing = new Set(keys.filter((key) => !state.ids.has(key)));
    if (missing.size === 0) continue;
    for (const { key } of state.rows.values()) {
      if (missing.has(key)) for (const text of textsByKey.get(key) ?? []) deleted.add(text);
    }
  }
  return deleted;
}

/**
 * Returns the normalised texts that occur in a field of a data set. Reads buckets until all texts are found, because
 * only the key determines the bucket of a row.
 */
export async function existingValues(
  x: Execution,
  { dataSetId, fieldId }: { dataSetId: number; fieldId: number },
  texts: ReadonlySet<string>,
): Promise<Set<string>> {
  const existing = new Set<string>();
  if (texts.size === 0) return existing;
  for (let bucket = 0; bucket < BUCKETS && existing.size < texts.size; bucket++) {
    const { state } = await x.load(kinds.instances, streams.instances(dataSetId, bucket));
    for (const { values, removed } of state.rows.values()) {
      const cell = values[fieldId];
      if (removed || cell === undefined || cell === null) continue;
      const text = normaliseText(String(cell));
      if (texts.has(text)) existing.add(text);
    }
  }
  return existing;
}
