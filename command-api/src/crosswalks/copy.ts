/** Copies of crosswalks: as they are under another name, or turned round; their mappings begin anew as drafts. */
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
import { registerEnds } from '../invariants/dependants.ts';
import { dataSetFor } from '../runtime/authorise.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { endsOf, free } from './commands.ts';
import { governs, open, openFor } from './crosswalk-access.ts';
import { defineCrosswalk, startValues } from './decider.ts';
import { draftMappings, type NewPair } from './mappings.ts';

const TOLD = 100;

export interface CopiedPair {
  id: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
}

type LeftBehind = CrosswalkCopied['leftBehind'][number];

/**
 * What of these mappings is taken along: what serves, or else what is asked for, in the order of their ids. What was
 * rejected and never served was found wrong: it stays behind. Turned round, no two pairs become one.
 */
export function copyablePairs(
  mappings: Iterable<Mapping>,
  turned: boolean,
): { copied: CopiedPair[]; leftBehind: LeftBehind[] } {
  const copied: CopiedPair[] = [];
  const leftBehind: LeftBehind[] = [];
  for (const { id, sourceValue, value, served, approvalStatus, deleted } of mappings) {
    if (deleted) continue;
    const { targetValue, confidence } = served ?? value;
    if (served === null && approvalStatus === 'REJECTED') {
      leftBehind.push({ id, sourceValue, targetValue, message: 'It was rejected' });
    } else if (turned) copied.push({ id, sourceValue: targetValue, targetValue: sourceValue, confidence });
    else copied.push({ id, sourceValue, targetValue, confidence });
  }
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  return { copied: copied.sort(byId), leftBehind: leftBehind.sort(byId) };
}

/** How many source values have several targets. */
export function ambiguousSources(pairs: readonly CopiedPair[]): number {
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

interface Copying {
  /** Of the new crosswalk. */
  definition: Omit<CrosswalkDefinition, 'id'>;
  turned: boolean;
}

async function copy(x: Execution, id: number, body: DuplicateCrosswalk, { definition, turned }: Copying) {
  const mappings = body.mappings ? await mappingsOf(x, id) : [];
  const { copied, leftBehind } = copyablePairs(mappings, turned);
  if (copied.length > COPIED_MAPPINGS_MAX) {
    const most = COPIED_MAPPINGS_MAX.toLocaleString('en');
    throw new Refusal(
      'TOO_LARGE',
      `At most ${most} mappings are copied at once: copy the crosswalk without them, then export and import them in parts`,
    );
  }
  const answer = {
    copied: copied.length,
    ambiguous: ambiguousSources(copied),
    left: leftBehind.length,
    leftBehind: leftBehind.slice(0, TOLD),
  };
  if (body.preview) return { body: { id: null, revision: null, ...answer } satisfies CrosswalkCopied };
  const made = await x.allocateOne('crosswalk_ids');
  await defineCopy(x, made, definition);
  if (copied.length > 0) await draftCopies(x, made, definition, copied);
  const revision = x.after(kinds.crosswalk, streams.crosswalk(made))?.revision ?? 0;
  return { status: 201, body: { id: made, revision, ...answer } satisfies CrosswalkCopied };
}

async function defineCopy(x: Execution, id: number, definition: Copying['definition']): Promise<void> {
  const ends = await endsOf(x, definition);
  try {
    await registerEnds(x, { kind: 'crosswalk', id }, ends);
    await x.change(kinds.crosswalk, streams.crosswalk(id), governs(definition), (crosswalk) =>
      defineCrosswalk(crosswalk, { ...definition, id }),
    );
  } catch (error) {
    if (error instanceof Refusal) await free(x, id, { definition, ends });
    throw error;
  }
}

async function draftCopies(
  x: Execution,
  id: number,
  definition: Copying['definition'],
  copied: readonly CopiedPair[],
): Promise<void> {
  const governedBy = governs(definition);
  await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, startValues);
  const sequences = await x.allocate('mapping_ids', copied.length);
  // A run that is taken up again has the numbers it took: what the original gained meanwhile is not its to copy.
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

const TURNED: Record<CrosswalkCardinality, CrosswalkCardinality> = {
  ONE_TO_ONE: 'ONE_TO_ONE',
  MANY_TO_ONE: 'ONE_TO_MANY',
  ONE_TO_MANY: 'MANY_TO_ONE',
  MANY_TO_MANY: 'MANY_TO_MANY',
};

/** A value that stands in for targets stands in for none of what was the source. */
const turnedUnmapped = (unmapped: Unmapped): Unmapped =>
  unmapped.yields === 'FIXED' ? { yields: 'NOTHING' } : unmapped;

export const duplicate = command<{ id: number; body: DuplicateCrosswalk }>(
  'DuplicateCrosswalk',
  async (x, { id, body }) => {
    const { crosswalk } = await openFor(x, id);
    const { id: _, ...definition } = crosswalk.value;
    return copy(x, id, body, { definition: { ...definition, name: body.name }, turned: false });
  },
);

export const reverse = command<{ id: number; body: DuplicateCrosswalk }>(
  'ReverseCrosswalk',
  async (x, { id, body }) => {
    const { crosswalk } = await open(x, id);
    const { id: _, ...value } = crosswalk.value;
    // As for any crosswalk that is created: the declared level on what becomes the source.
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
      cardinality: TURNED[value.cardinality],
      unmapped: turnedUnmapped(value.unmapped),
    };
    return copy(x, id, body, { definition, turned: true });
  },
);
