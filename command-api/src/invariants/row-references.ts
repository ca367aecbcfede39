/** Finds the rows of a data set that mappings or relationship values use, in working or served values. */
import {
  BUCKETS,
  type Crosswalk,
  type DataSet,
  heldPairs,
  type InstanceRow,
  normaliseText,
  type Relationship,
  streams,
} from '@rdm/contracts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import type { Streams } from '../runtime/streams.ts';

/** Loads the states of streams; implemented by `Execution` and by `Streams`. */
type Loader = Pick<Streams, 'load'>;

/** The maximum number of streams that are folded at the same time: each may have many rows. */
const STREAMS_AT_ONCE = 8;

interface References {
  /** Ids of rows that relationship values name. */
  ids: Set<number>;
  /** The texts that mappings name, by the id of the field that contains them. */
  textsByField: Map<number, Set<string>>;
}

/** Returns a function that checks whether a row is in use. It does not detect references that are added later. */
export async function loadRowReferences(x: Loader, dataSet: DataSet): Promise<(row: InstanceRow) => boolean> {
  const references: References = { ids: new Set(), textsByField: new Map() };
  for (const id of dataSet.relationshipIds) {
    const { state } = await x.load(kinds.relationship, streams.relationship(id));
    if (canUseRows(state)) await addRelated(x, dataSet.id, state, references);
  }
  for (const id of dataSet.crosswalkIds) {
    const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
    if (canUseRows(state)) await addMapped(x, dataSet.id, state, references);
  }
  const fields = [...references.textsByField];
  return ({ id, values }) =>
    references.ids.has(id) ||
    fields.some(([fieldId, texts]) => {
      const cell = values[fieldId] ?? null;
      return cell !== null && texts.has(normaliseText(String(cell)));
    });
}

/** A deleted definition uses no rows. The buckets of a definition without values are empty. */
const canUseRows = <Definition extends Crosswalk | Relationship>(state: Definition | undefined): state is Definition =>
  state !== undefined && !state.deleted && state.hasValues;

const eachBucket = (work: (bucket: number) => Promise<void>): Promise<void> =>
  forEachConcurrently(Array(BUCKETS).keys(), STREAMS_AT_ONCE, work);

async function addRelated(
  x: Loader,
  dataSetId: number,
  { id, value }: Relationship,
  { ids }: References,
): Promise<void> {
  await eachBucket(async (bucket) => {
    const { state } = await x.load(kinds.relationshipValues, streams.relationshipValues(id, bucket));
    for (const row of state.rows.values()) {
      for (const { sourceInstanceId, targetInstanceId } of heldPairs(row)) {
        if (value.sourceDataSetId === dataSetId) ids.add(sourceInstanceId);
        if (value.targetDataSetId === dataSetId) ids.add(targetInstanceId);
      }
    }
  });
}

async function addMapped(
  x: Loader,
  dataSetId: number,
  { id, value }: Crosswalk,
  { textsByField }: References,
): Promise<void> {
  const textsOf = (systemId: number, fieldId: number): Set<string> | undefined => {
    if (systemId !== dataSetId) return undefined;
    const texts = textsByField.get(fieldId) ?? new Set();
    textsByField.set(fieldId, texts);
    return texts;
  };
  const sources = textsOf(value.sourceSystemId, value.sourceFieldId);
  const targets = textsOf(value.targetSystemId, value.targetFieldId);
  await eachBucket(async (bucket) => {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    for (const { deleted, sourceValue, value: working, served } of state.rows.values()) {
      if (deleted) continue;
      sources?.add(sourceValue);
      targets?.add(working.targetValue);
      if (served) targets?.add(served.targetValue);
    }
  });
}
