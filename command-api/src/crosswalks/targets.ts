/** The ends of mappings: which values a side has, and whether the rows that mappings lead to are still there. */
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

/** Of what these mappings lead to, what was deleted. */
export async function targetsGone(
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
  return textsGone(x, crosswalk, texts);
}

/**
 * Of these targets those that were deleted: where targets are named by their key. A soft check: whatever else leads
 * nowhere shows as broken where it is listed, and so does a target that is removed right after it.
 */
export async function textsGone(x: Execution, { value }: Crosswalk, texts: Iterable<string>): Promise<Set<string>> {
  const gone = new Set<string>();
  const { state: target } = await x.load(kinds.dataSet, streams.dataSet(value.targetSystemId));
  const [keyFieldId, ...others] = target?.keyFieldIds ?? [];
  if (!target || target.deleted || others.length > 0 || keyFieldId !== value.targetFieldId) return gone;
  const { fields } = requireType((await x.load(kinds.referenceType, streams.referenceType(target.typeId))).state);
  const dataType = fields.find(({ fieldId }) => fieldId === keyFieldId)?.dataType ?? 'string';

  /** What is led to, by the key that it names: several texts may name one. */
  const asked = new Map<string, Set<string>>();
  for (const text of texts) {
    const read = keyFromText(text, [dataType]);
    if ('reason' in read) continue;
    const key = canonicalKey(read.cells);
    asked.set(key, (asked.get(key) ?? new Set()).add(text));
  }
  const byBucket = new Map<number, string[]>();
  for (const key of asked.keys()) {
    const ofBucket = byBucket.get(bucketOfKey(key));
    if (ofBucket) ofBucket.push(key);
    else byBucket.set(bucketOfKey(key), [key]);
  }
  for (const [bucket, keys] of byBucket) {
    const { state } = await x.load(kinds.instances, streams.instances(value.targetSystemId, bucket), { keys });
    const missing = new Set(keys.filter((key) => !state.ids.has(key)));
    if (missing.size === 0) continue;
    for (const { key } of state.rows.values()) {
      if (missing.has(key)) for (const text of asked.get(key) ?? []) gone.add(text);
    }
  }
  return gone;
}

/** Which of these texts one attribute of a data set has. Looked for row by row: any attribute may be a crosswalk's. */
export async function valuesHeld(
  x: Execution,
  { dataSetId, fieldId }: { dataSetId: number; fieldId: number },
  wanted: ReadonlySet<string>,
): Promise<Set<string>> {
  const held = new Set<string>();
  if (wanted.size === 0) return held;
  for (let bucket = 0; bucket < BUCKETS && held.size < wanted.size; bucket++) {
    const { state } = await x.load(kinds.instances, streams.instances(dataSetId, bucket));
    for (const { values, removed } of state.rows.values()) {
      const cell = values[fieldId];
      if (removed || cell === undefined || cell === null) continue;
      const text = normaliseText(String(cell));
      if (wanted.has(text)) held.add(text);
    }
  }
  return held;
}
