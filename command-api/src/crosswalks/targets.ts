/** The targets that mappings lead to: whether their rows are still there. */
import { bucketOfKey, bucketOfRow, type Crosswalk, canonicalKey, keyFromText, streams } from '@rdm/contracts';
import { existing } from '../dependants.ts';
import type { Execution } from '../execution.ts';
import { kinds } from '../kinds.ts';

/**
 * Of what these mappings lead to, what was deleted: where targets are named by their key. A soft check: whatever else
 * leads nowhere shows as broken where it is listed, and so does a target that is removed right after it.
 */
export async function targetsGone(
  x: Execution,
  { id, value }: Crosswalk,
  rows: readonly { id: number }[],
): Promise<Set<string>> {
  const gone = new Set<string>();
  const { state: target } = await x.load(kinds.dataSet, streams.dataSet(value.targetSystemId));
  const [keyFieldId, ...others] = target?.keyFieldIds ?? [];
  if (!target || target.deleted || others.length > 0 || keyFieldId !== value.targetFieldId) return gone;
  const { fields } = existing((await x.load(kinds.referenceType, streams.referenceType(target.typeId))).state);
  const dataType = fields.find(({ fieldId }) => fieldId === keyFieldId)?.dataType ?? 'string';

  /** What is led to, by the key that it names: several texts may name one. */
  const asked = new Map<string, Set<string>>();
  for (const bucket of new Set(rows.map((row) => bucketOfRow(row.id)))) {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    for (const row of rows) {
      const mapping = state.rows.get(row.id);
      const read = mapping && keyFromText(mapping.value.targetValue, [dataType]);
      if (!read || 'reason' in read) continue;
      const key = canonicalKey(read.cells);
      asked.set(key, (asked.get(key) ?? new Set()).add(mapping.value.targetValue));
    }
  }
  const keys = [...asked.keys()];
  for (const bucket of new Set(keys.map(bucketOfKey))) {
    const { state } = await x.load(kinds.instances, streams.instances(value.targetSystemId, bucket));
    const missing = new Set(keys.filter((key) => bucketOfKey(key) === bucket && !state.ids.has(key)));
    if (missing.size === 0) continue;
    for (const { key } of state.rows.values()) {
      if (missing.has(key)) for (const text of asked.get(key) ?? []) gone.add(text);
    }
  }
  return gone;
}
