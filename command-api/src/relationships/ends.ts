/** Looks up the rows that relationship values join, by id or key, and their display keys. */
import {
  bucketOfKey,
  bucketOfRow,
  type Cardinality,
  canonicalKey,
  type DataSet,
  displayKey,
  keyFromText,
  type Pair,
  type ReferenceType,
  Refusal,
  streams,
} from '@rdm/contracts';
import { inSlices } from '../file-imports/row-import.ts';
import { requireType } from '../invariants/dependants.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { cardinalityWords } from './values.ts';

/** One side of a relationship: its data set and type. */
export interface Side {
  dataSet: DataSet;
  type: ReferenceType;
}

export async function sideOf(x: Execution, dataSetId: number): Promise<Side> {
  const { state: dataSet } = await x.load(kinds.dataSet, streams.dataSet(dataSetId));
  if (!dataSet || dataSet.deleted) throw new Refusal('NOT_FOUND', 'This data set does not exist');
  return {
    dataSet,
    type: requireType((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state),
  };
}

/** A row by its id or its display key. */
export type RowReference = { id: number } | { key: string };
export type RowLookupResult = { id: number } | { reason: string };

/**
 * Looks up rows of a data set, in the order of the references. If a row is removed right after this check, lists show
 * the relationship value with a broken end.
 */
export async function findRows(
  x: Execution,
  side: Side,
  references: readonly RowReference[],
): Promise<RowLookupResult[]> {
  const { dataSet } = side;
  const parsedReferences = references.map((each) => ('id' in each ? { id: each.id } : parseKey(side, each.key)));
  const results = new Array<RowLookupResult>(references.length);
  const byBucket = new Map<number, number[]>();
  parsedReferences.forEach((each, index) => {
    if ('reason' in each) results[index] = each;
    else {
      const bucket = 'id' in each ? bucketOfRow(each.id) : bucketOfKey(each.key);
      const bucketIndexes = byBucket.get(bucket);
      if (bucketIndexes) bucketIndexes.push(index);
      else byBucket.set(bucket, [index]);
    }
  });
  for (const [bucket, indexes] of byBucket) {
    const lookups = indexes.map((index) => parsedReferences[index] as { id: number } | { key: string });
    const { state } = await x.load(kinds.instances, streams.instances(dataSet.id, bucket), {
      ids: lookups.flatMap((each) => ('id' in each ? [each.id] : [])),
      keys: lookups.flatMap((each) => ('key' in each ? [each.key] : [])),
    });
    for (const index of indexes) {
      const each = parsedReferences[index] as { id: number } | { key: string };
      const id = 'id' in each ? each.id : state.ids.get(each.key);
      const row = id === undefined ? undefined : state.rows.get(id);
      results[index] =
        row && !row.removed ? { id: row.id } : { reason: missingRowText(dataSet, references[index] as RowReference) };
    }
  }
  return results;
}

/** Returns the ids of the rows with these keys, in the order of the keys; null for a key without a row. */
export async function idsOfKeys(x: Execution, side: Side, keys: readonly string[]): Promise<(number | null)[]> {
  const ids = new Array<number | null>(keys.length).fill(null);
  const byBucket = new Map<number, { index: number; key: string }[]>();
  let index = -1;
  for await (const text of inSlices(keys)) {
    index += 1;
    const parsed = parseKey(side, text);
    if ('reason' in parsed) continue;
    const bucketKeys = byBucket.get(bucketOfKey(parsed.key));
    if (bucketKeys) bucketKeys.push({ index, key: parsed.key });
    else byBucket.set(bucketOfKey(parsed.key), [{ index, key: parsed.key }]);
  }
  for (const [bucket, bucketKeys] of byBucket) {
    const keys = bucketKeys.map(({ key }) => key);
    const { state } = await x.load(kinds.instances, streams.instances(side.dataSet.id, bucket), { keys });
    for (const { index: at, key } of bucketKeys) {
      const row = state.rows.get(state.ids.get(key) ?? 0);
      if (row && !row.removed) ids[at] = row.id;
    }
  }
  return ids;
}

/** Returns why a key matches no row. */
export function unknownKeyMessage(side: Side, text: string): string {
  const parsed = parseKey(side, text);
  return 'reason' in parsed ? parsed.reason : missingRowText(side.dataSet, { key: text });
}

const missingRowText = (dataSet: DataSet, reference: RowReference): string =>
  `“${dataSet.name}” has no row ${'id' in reference ? `with the id ${reference.id}` : `“${reference.key}”`}`;

function parseKey({ dataSet, type }: Side, text: string): { key: string } | { reason: string } {
  const types = dataSet.keyFieldIds.map(
    (fieldId) => type.fields.find((field) => field.fieldId === fieldId)?.dataType ?? 'string',
  );
  const parts = keyFromText(text, types);
  return 'reason' in parts ? parts : { key: canonicalKey(parts.cells) };
}

/** Groups row ids by bucket, so that each stream is read once. */
function groupByBucket(ids: readonly number[]): Map<number, Set<number>> {
  const buckets = new Map<number, Set<number>>();
  for (const id of ids) {
    const bucket = bucketOfRow(id);
    buckets.set(bucket, (buckets.get(bucket) ?? new Set()).add(id));
  }
  return buckets;
}

/** Returns the ids of rows that were deleted from the data set or never belonged to it. */
export async function findDeletedRows(x: Execution, dataSetId: number, ids: readonly number[]): Promise<Set<number>> {
  const deleted = new Set<number>();
  for (const [bucket, bucketIds] of groupByBucket(ids)) {
    const { state } = await x.load(kinds.instances, streams.instances(dataSetId, bucket), { ids: [...bucketIds] });
    for (const id of bucketIds) if (state.rows.get(id)?.removed ?? true) deleted.add(id);
  }
  return deleted;
}

/** The display keys of rows; for a row that never existed, the id as text. */
async function keysOf(x: Execution, dataSetId: number, ids: readonly number[]): Promise<Map<number, string>> {
  const keys = new Map<number, string>();
  for (const [bucket, bucketIds] of groupByBucket(ids)) {
    const { state } = await x.load(kinds.instances, streams.instances(dataSetId, bucket), { ids: [...bucketIds] });
    for (const id of bucketIds) {
      const key = state.rows.get(id)?.key;
      keys.set(id, key === undefined ? String(id) : displayKey(JSON.parse(key)));
    }
  }
  return keys;
}

/** The display keys of a pair's ends. */
export interface PairKeys {
  source: string;
  target: string;
}

export async function loadPairKeys(
  x: Execution,
  ends: { sourceDataSetId: number; targetDataSetId: number },
  pairs: readonly Pair[],
): Promise<(pair: Pair) => PairKeys> {
  const idsOf = (end: keyof Pair) => pairs.map((pair) => pair[end]);
  const sources = await keysOf(x, ends.sourceDataSetId, idsOf('sourceInstanceId'));
  const targets = await keysOf(x, ends.targetDataSetId, idsOf('targetInstanceId'));
  return ({ sourceInstanceId, targetInstanceId }) => ({
    source: sources.get(sourceInstanceId) ?? String(sourceInstanceId),
    target: targets.get(targetInstanceId) ?? String(targetInstanceId),
  });
}

/** Returns a message that quotes both pairs. Pages show such messages unchanged (specification §8). */
export function cardinalityMessage(cardinality: Cardinality, requested: PairKeys, held: PairKeys): string {
  const [one, other] = [requested, held].map(({ source, target }) => `“${source} → ${target}”`);
  return `Cardinality violation: ${one} conflicts with ${other} in a ${cardinalityWords(cardinality)} relationship`;
}
