/** Duplicates or reverses a crosswalk, optionally with its mappings as drafts. */
import {
  BUCKETS,
  bucketOfKey,
  COPIED_MAPPINGS_MAX,
  type CrosswalkCardinality,
  type CrosswalkCopied,
  type CrosswalkDefinition,
  type DuplicateCrosswalk,
  type Mapping,
  mappingKey,
  Refusal,
  streams,
  type Unmapped,
} from '@rdm/contracts';
import { decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { endsOf } from '../invariants/definition-ends.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { createCrosswalk } from './commands.ts';
import { crosswalkKind, governingDataSets, loadCrosswalk, requireCrosswalk } from './crosswalk-access.ts';
import { lockAttributes } from './decider.ts';
import { draftMappings, type NewPair } from './mappings.ts';

const LISTED_MAX = 100;

export interface CopiedPair {
  id: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
}

type SkippedMapping = CrosswalkCopied['leftBehind'][number];

/**
 * Returns the pairs to copy, ordered by id: the served value of each mapping, else its working value. Lists rejected
 * mappings without a served value as `skipped`. Deleted mappings are in neither list.
 */
export function copyablePairs(
  mappings: Iterable<Mapping>,
  isReversed: boolean,
): { copied: CopiedPair[]; skipped: SkippedMapping[] } {
  const copied: CopiedPair[] = [];
  const skipped: SkippedMapping[] = [];
  for (const { id, sourceValue, value, served, approvalStatus, deleted } of mappings) {
    if (deleted) continue;
    const { targetValue, confidence } = served ?? value;
    if (served === null && approvalStatus === 'REJECTED') {
      skipped.push({ id, sourceValue, targetValue, message: 'It was rejected' });
    } else if (isReversed) copied.push({ id, sourceValue: targetValue, targetValue: sourceValue, confidence });
    else copied.push({ id, sourceValue, targetValue, confidence });
  }
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  return { copied: copied.sort(byId), skipped: skipped.sort(byId) };
}

/** The number of source values with several targets. */
export function countAmbiguousSources(pairs: readonly CopiedPair[]): number {
  const targets = new Map<string, number>();
  for (const { sourceValue } of pairs) targets.set(sourceValue, (targets.get(sourceValue) ?? 0) + 1);
  return [...targets.values()].filter((count) => count > 1).length;
}

async function mappingsOf(x: Execution, id: number): Promise<Mapping[]> {
  const mappings: Mapping[] = [];
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    mappings.push(...state.rows.values());
  }
  return mappings;
}

interface CopyPlan {
  /** The definition of the new crosswalk. */
  definition: Omit<CrosswalkDefinition, 'id'>;
  isReversed: boolean;
}

async function copy(x: Execution, id: number, body: DuplicateCrosswalk, { definition, isReversed }: CopyPlan) {
  const mappings = body.mappings ? await mappingsOf(x, id) : [];
  const { copied, skipped } = copyablePairs(mappings, isReversed);
  if (copied.length > COPIED_MAPPINGS_MAX) {
    const maximum = COPIED_MAPPINGS_MAX.toLocaleString('en');
    throw new Refusal(
      'TOO_LARGE',
      `At most ${maximum} mappings are copied at once: copy the crosswalk without mappings, then export and import the mappings in parts`,
    );
  }
  const answer = {
    copied: copied.length,
    ambiguous: countAmbiguousSources(copied),
    left: skipped.length,
    leftBehind: skipped.slice(0, LISTED_MAX),
  };
  if (body.preview) return { body: { id: null, revision: null, ...answer } satisfies CrosswalkCopied };
  const newId = await x.allocateOne('crosswalk_ids');
  const newDefinition = { ...definition, id: newId };
  await createCrosswalk(x, newDefinition, await endsOf(x, crosswalkKind, newDefinition));
  if (copied.length > 0) await draftCopies(x, newId, definition, copied);
  const revision = x.after(kinds.crosswalk, streams.crosswalk(newId))?.revision ?? 0;
  return { status: 201, body: { id: newId, revision, ...answer } satisfies CrosswalkCopied };
}

async function draftCopies(
  x: Execution,
  id: number,
  definition: CopyPlan['definition'],
  copied: readonly CopiedPair[],
): Promise<void> {
  const governedBy = governingDataSets(definition);
  await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, lockAttributes);
  const sequences = await x.allocate('mapping_ids', copied.length);
  // After a crash, the command gets the sequence numbers of its first run again. Mappings that were added since then
  // get no number and are not copied.
  const pairs = sequences.flatMap((sequence, index): NewPair[] => {
    const pair = copied[index];
    if (!pair) return [];
    const { sourceValue, targetValue, confidence } = pair;
    return [{ index, sequence, sourceValue, targetValue, confidence, origin: 'IMPORT' }];
  });
  const chunks = toChunks(pairs, (pair) => bucketOfKey(mappingKey(pair.sourceValue)), jsonBytes);
  await decideChunks(x, chunks, (bucket, rows) =>
    x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => draftMappings(state, rows)),
  );
}

const REVERSED: Record<CrosswalkCardinality, CrosswalkCardinality> = {
  ONE_TO_ONE: 'ONE_TO_ONE',
  MANY_TO_ONE: 'ONE_TO_MANY',
  ONE_TO_MANY: 'MANY_TO_ONE',
  MANY_TO_MANY: 'MANY_TO_MANY',
};

/** A fixed default for unmapped values is a target value, so the reversed crosswalk cannot use it. */
const reversedUnmapped = (unmapped: Unmapped): Unmapped =>
  unmapped.yields === 'FIXED' ? { yields: 'NOTHING' } : unmapped;

export const duplicate = command<{ id: number; body: DuplicateCrosswalk }>(
  'DuplicateCrosswalk',
  async (x, { id, body }) => {
    const { crosswalk } = await requireCrosswalk(x, id);
    const { id: _, ...definition } = crosswalk.value;
    return copy(x, id, body, { definition: { ...definition, name: body.name }, isReversed: false });
  },
);

export const reverse = command<{ id: number; body: DuplicateCrosswalk }>(
  'ReverseCrosswalk',
  async (x, { id, body }) => {
    const { crosswalk } = await loadCrosswalk(x, id);
    const { id: _, ...value } = crosswalk.value;
    // The user needs the route's level on the source of the new crosswalk, which is the target of this one.
    const source = await dataSetFor(x, value.targetSystemId);
    const target = await dataSetFor(x, value.sourceSystemId, 'READ');
    const definition = {
      ...value,
      name: body.name,
      sourceSystemId: source.id,
      targetSystemId: target.id,
      sourceFieldId: value.targetFieldId,
      targetFieldId: value.sourceFieldId,
      sourceLabelFieldId: value.targetLabelFieldId,
      targetLabelFieldId: value.sourceLabelFieldId,
      cardinality: REVERSED[value.cardinality],
      unmapped: reversedUnmapped(value.unmapped),
    };
    return copy(x, id, body, { definition, isReversed: true });
  },
);
