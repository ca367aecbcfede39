/** The rows that a relationship's values join: found by id or by key, and called by their keys. */
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

/** One side of a relationship: where its rows are looked for. */
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

/** A row by its id, or by its key as people read it. */
export type Named = { id: number } | { key: string };
export type FoundRow = { id: number } | { reason: string };

/**
 * The rows of a data set that these name, in their order. A soft check: a row may be removed right after it, which shows
 * as a broken end.
 */
export async function rowsNamed(x: Execution, side: Side, named: readonly Named[]): Promise<FoundRow[]> {
  const { dataSet } = side;
  const wanted = named.map((name) => ('id' in name ? { id: name.id } : keyNamed(side, name.key)));
  const found = new Array<FoundRow>(named.length);
  const byBucket = new Map<number, number[]>();
  wanted.forEach((each, index) => {
    if ('reason' in each) found[index] = each;
    else {
      const bucket = 'id' in each ? bucketOfRow(each.id) : bucketOfKey(each.key);
      const ofBucket = byBucket.get(bucket);
      if (ofBucket) ofBucket.push(index);
      else byBucket.set(bucket, [index]);
    }
  });
  for (const [bucket, indexes] of byBucket) {
    const asked = indexes.map((index) => wanted[index] as { id: number } | { key: string });
    const { state } = await x.load(kinds.instances, streams.instances(dataSet.id, bucket), {
      ids: asked.flatMap((each) => ('id' in each ? [each.id] : [])),
      keys: asked.flatMap((each) => ('key' in each ? [each.key] : [])),
    });
    for (const index of indexes) {
      const each = wanted[index] as { id: number } | { key: string };
      const id = 'id' in each ? each.id : state.ids.get(each.key);
      const row = id === undefined ? undefined : state.rows.get(id);
      found[index] = row && !row.removed ? { id: row.id } : { reason: missing(dataSet, named[index] as Named) };
    }
  }
  return found;
}

/** The ids of the rows with these keys, in their order; null where no row has one. */
export async function idsOfKeys(x: Execution, side: Side, keys: readonly string[]): Promise<(number | null)[]> {
  const ids = new Array<number | null>(keys.length).fill(null);
  const byBucket = new Map<number, { index: number; key: string }[]>();
  let index = -1;
  for await (const text of inSlices(keys)) {
    index += 1;
    const named = keyNamed(side, text);
    if ('reason' in named) continue;
    const ofBucket = byBucket.get(bucketOfKey(named.key));
    if (ofBucket) ofBucket.push({ index, key: named.key });
    else byBucket.set(bucketOfKey(named.key), [{ index, key: named.key }]);
  }
  for (const [bucket, named] of byBucket) {
    const keys = named.map(({ key }) => key);
    const { state } = await x.load(kinds.instances, streams.instances(side.dataSet.id, bucket), { keys });
    for (const { index: at, key } of named) {
      const row = state.rows.get(state.ids.get(key) ?? 0);
      if (row && !row.removed) ids[at] = row.id;
    }
  }
  return ids;
}

/** Why a key leads to no row. */
export function unknownKey(side: Side, text: string): string {
  const named = keyNamed(side, text);
  return 'reason' in named ? named.reason : missing(side.dataSet, { key: text });
}

const missing = (dataSet: DataSet, named: Named): string =>
  `“${dataSet.name}” has no row ${'id' in named ? `with the id ${named.id}` : `“${named.key}”`}`;

function keyNamed({ dataSet, type }: Side, text: string): { key: string } | { reason: string } {
  const types = dataSet.keyFieldIds.map(
    (fieldId) => type.fields.find((field) => field.fieldId === fieldId)?.dataType ?? 'string',
  );
  const parts = keyFromText(text, types);
  return 'reason' in parts ? parts : { key: canonicalKey(parts.cells) };
}

/** Rows by the stream that holds them: each is read once. */
function byBucket(ids: readonly number[]): Map<number, Set<number>> {
  const buckets = new Map<number, Set<number>>();
  for (const id of ids) {
    const bucket = bucketOfRow(id);
    buckets.set(bucket, (buckets.get(bucket) ?? new Set()).add(id));
  }
  return buckets;
}

/** Which of these rows are no longer, or never were, in the data set. */
export async function rowsGone(x: Execution, dataSetId: number, ids: readonly number[]): Promise<Set<number>> {
  const gone = new Set<number>();
  for (const [bucket, some] of byBucket(ids)) {
    const { state } = await x.load(kinds.instances, streams.instances(dataSetId, bucket), { ids: [...some] });
    for (const id of some) if (state.rows.get(id)?.removed ?? true) gone.add(id);
  }
  return gone;
}

/** What rows are called: their keys as people read them; of one that never was, its id. */
async function keysOf(x: Execution, dataSetId: number, ids: readonly number[]): Promise<Map<number, string>> {
  const called = new Map<number, string>();
  for (const [bucket, some] of byBucket(ids)) {
    const { state } = await x.load(kinds.instances, streams.instances(dataSetId, bucket), { ids: [...some] });
    for (const id of some) {
      const key = state.rows.get(id)?.key;
      called.set(id, key === undefined ? String(id) : displayKey(JSON.parse(key)));
    }
  }
  return called;
}

/** What the ends of pairs are called. */
export interface CalledPair {
  source: string;
  target: string;
}

export async function pairsCalled(
  x: Execution,
  ends: { sourceDataSetId: number; targetDataSetId: number },
  pairs: readonly Pair[],
): Promise<(pair: Pair) => CalledPair> {
  const idsOf = (end: keyof Pair) => pairs.map((pair) => pair[end]);
  const sources = await keysOf(x, ends.sourceDataSetId, idsOf('sourceInstanceId'));
  const targets = await keysOf(x, ends.targetDataSetId, idsOf('targetInstanceId'));
  return ({ sourceInstanceId, targetInstanceId }) => ({
    source: sources.get(sourceInstanceId) ?? String(sourceInstanceId),
    target: targets.get(targetInstanceId) ?? String(targetInstanceId),
  });
}

/** Quotes both values (specification §8: such words are shown as sent). */
export function cardinalityViolation(cardinality: Cardinality, asked: CalledPair, held: CalledPair): string {
  const [one, other] = [asked, held].map(({ source, target }) => `“${source} → ${target}”`);
  return `Cardinality violation: ${one} cannot stand beside ${other} in a ${cardinalityWords(cardinality)} relationship`;
}
