/** Commands of crosswalks and their mapping values: who may, in which order the streams change, what is answered. */
import {
  BUCKETS,
  bucketOfKey,
  bucketOfRow,
  type ChangeCrosswalk,
  type Crosswalk,
  type CrosswalkDefinition,
  type DataSet,
  type DefineCrosswalk,
  type DraftMappings,
  type EditMappings,
  mappingKey,
  REVIEW_REFUSALS,
  Refusal,
  type ReviewRows,
  type RowOutcome,
  streams,
} from '@rdm/contracts';
import { dataSetFor } from '../authorise.ts';
import { becomesJob, startJob } from '../bulk-decisions/start.ts';
import { command } from '../commands.ts';
import {
  type End,
  endsOn,
  existing,
  fieldNamed,
  registerEnds,
  unreferenceField,
  unregisterEnds,
} from '../dependants.ts';
import type { Execution } from '../execution.ts';
import { type Governed, openBetween, requireGoverning } from '../governed.ts';
import { kinds } from '../kinds.ts';
import type { ReviewRows as Review } from '../reviewing.ts';
import type { RowVerb } from '../row-review.ts';
import { decidedPerRow, refusalOf, VERB_WORDS } from '../row-review.ts';
import { bulkAnswer, inChunks, jsonBytes, perBucket } from '../rows.ts';
import { selectedRows } from '../selections.ts';
import {
  abandonCrosswalk,
  changeCrosswalk,
  defineCrosswalk,
  existingCrosswalk,
  type HeaderVerb,
  reviewHeader,
  startValues,
  submitWithValues,
} from './decider.ts';
import { draftMappings, editMappings, type NewPair, reviewMappings } from './mappings.ts';
import { ignoreMissing, reopenMissing, requestMissing } from './missing.ts';
import { targetsGone } from './targets.ts';

const typeOf = async (x: Execution, dataSet: DataSet) =>
  existing((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);

const UNKNOWN = 'This crosswalk does not exist';

interface Opened extends Governed {
  crosswalk: Crosswalk;
}

/** Opens a crosswalk whose source and target the actor may read; others do not know it exists. */
export async function open(x: Execution, id: number): Promise<Opened> {
  const opened = await openEver(x, id);
  existingCrosswalk(opened.crosswalk);
  return opened;
}

/** The same, also where it was deleted: by this very command, perhaps, whose answer was lost. */
export async function openEver(x: Execution, id: number): Promise<Opened> {
  const { state: crosswalk } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  if (!crosswalk) throw new Refusal('NOT_FOUND', UNKNOWN);
  const { sourceSystemId, targetSystemId } = crosswalk.value;
  return { crosswalk, ...(await openBetween(x, sourceSystemId, targetSystemId, UNKNOWN)) };
}

/** Opens a crosswalk for somebody with the declared level on its source. */
export const openFor = async (x: Execution, id: number): Promise<Opened> => requireGoverning(x, await open(x, id));

/** What the commands on a header answer: its status and the revision the command led to. */
function answer(x: Execution, id: number, status = 200) {
  const state = x.after(kinds.crosswalk, streams.crosswalk(id));
  return {
    status,
    body: {
      id,
      name: state?.value.name ?? '',
      approvalStatus: state?.approvalStatus ?? 'DRAFT',
      revision: state?.revision ?? 0,
    },
  };
}

/** A definition and the two ends it leans on. */
interface Drawn {
  definition: Omit<CrosswalkDefinition, 'id'>;
  ends: End[];
}

export const define = command<{ body: DefineCrosswalk }>('DefineCrosswalk', async (x, { body }) => {
  const id = await x.allocateOne('crosswalk_ids');
  const by = { kind: 'crosswalk', id } as const;
  let drawn: Drawn | undefined;
  try {
    drawn = await draw(x, body);
    const { definition, ends } = drawn;
    await registerEnds(x, by, ends);
    await x.change(kinds.crosswalk, streams.crosswalk(id), governs(definition), (crosswalk) =>
      defineCrosswalk(crosswalk, { ...definition, id }),
    );
  } catch (error) {
    if (error instanceof Refusal && drawn) await free(x, id, drawn);
    throw error;
  }
  return answer(x, id, 201);
});

async function draw(x: Execution, body: DefineCrosswalk): Promise<Drawn> {
  const source = await dataSetFor(x, body.sourceSystemId);
  const target = await dataSetFor(x, body.targetSystemId, 'READ');
  if (source.id === target.id) {
    throw new Refusal('INVALID', 'A crosswalk maps between two data sets: choose another target');
  }
  const sourceFieldId = fieldNamed(await typeOf(x, source), body.sourceAttribute).fieldId;
  const targetFieldId = fieldNamed(await typeOf(x, target), body.targetAttribute).fieldId;
  const { name, description, similarityThreshold, cardinality, unmapped } = body;
  return {
    definition: {
      name,
      description,
      similarityThreshold,
      cardinality,
      unmapped,
      sourceSystemId: source.id,
      targetSystemId: target.id,
      sourceFieldId,
      targetFieldId,
    },
    ends: [
      { dataSetId: source.id, typeId: source.typeId, fieldId: sourceFieldId },
      { dataSetId: target.id, typeId: target.typeId, fieldId: targetFieldId },
    ],
  };
}

export const governs = (definition: Pick<CrosswalkDefinition, 'sourceSystemId' | 'targetSystemId'>) => [
  definition.sourceSystemId,
  definition.targetSystemId,
];

/** Gives back what a refused creation registered, after closing the crosswalk's stream to a late creator. */
export async function free(x: Execution, id: number, { definition, ends }: Drawn): Promise<void> {
  const { sourceSystemId, targetSystemId } = definition;
  const { abandoned } = await x.change(kinds.crosswalk, streams.crosswalk(id), governs(definition), (crosswalk) =>
    abandonCrosswalk(crosswalk, { id, sourceSystemId, targetSystemId }),
  );
  if (abandoned) await unregisterEnds(x, { kind: 'crosswalk', id }, ends);
}

export const endsOf = (x: Execution, definition: Omit<CrosswalkDefinition, 'id'>): Promise<End[]> =>
  endsOn(x, [
    [definition.sourceSystemId, definition.sourceFieldId],
    [definition.targetSystemId, definition.targetFieldId],
  ]);

export const change = command<{ id: number; body: ChangeCrosswalk; seen?: number }>(
  'ChangeCrosswalk',
  async (x, { id, body, seen }) => {
    const { crosswalk, governedBy } = await openFor(x, id);
    const { sourceAttribute, targetAttribute, ...details } = body;
    const ends = await endsOf(x, crosswalk.value);
    const fields = await attributes(x, ends, sourceAttribute, targetAttribute);
    const wanted = fields ? withFields(ends, fields) : [];
    await registerEnds(x, { kind: 'crosswalk', id }, wanted);
    try {
      const { before } = await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (state) =>
        changeCrosswalk(state, details, fields, seen),
      );
      await releaseFields(x, id, fields ? withFields(ends, before) : []);
    } catch (error) {
      if (error instanceof Refusal) await releaseFields(x, id, wanted);
      throw error;
    }
    return answer(x, id);
  },
);

type Fields = Pick<CrosswalkDefinition, 'sourceFieldId' | 'targetFieldId'>;

async function attributes(
  x: Execution,
  ends: readonly End[],
  source: string | undefined,
  target: string | undefined,
): Promise<Fields | undefined> {
  if (source === undefined && target === undefined) return undefined;
  const [from, to] = ends as [End, End];
  const named = async (end: End, name: string | undefined) => {
    if (name === undefined) return end.fieldId;
    const { state } = await x.load(kinds.referenceType, streams.referenceType(end.typeId));
    return fieldNamed(existing(state), name).fieldId;
  };
  return { sourceFieldId: await named(from, source), targetFieldId: await named(to, target) };
}

const withFields = ([from, to]: readonly End[], fields: Fields): End[] => [
  { ...(from as End), fieldId: fields.sourceFieldId },
  { ...(to as End), fieldId: fields.targetFieldId },
];

/** Frees those of these fields that the crosswalk does not lean on now: left behind by an edit, or never taken. */
async function releaseFields(x: Execution, id: number, ends: readonly End[]): Promise<void> {
  if (ends.length === 0) return;
  const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  const held = state && !state.deleted ? await endsOf(x, state.value) : [];
  // A field's id is a number within its type.
  const isHeld = (end: End) => held.some(({ typeId, fieldId }) => typeId === end.typeId && fieldId === end.fieldId);
  for (const end of ends) {
    if (isHeld(end)) continue;
    await x.change(kinds.referenceType, streams.referenceType(end.typeId), [], (type) =>
      unreferenceField(type, end.fieldId, { kind: 'crosswalk', id }),
    );
  }
}

export const reviewCrosswalk = command<{ id: number; verb: HeaderVerb; comment?: string; seen?: number }>(
  'ReviewCrosswalk',
  async (x, { id, verb, comment, seen }) => {
    const results = await reviewHeaderRow(x, verb, id, seen, comment);
    const only = results[0];
    if (only?.outcome === 'refused') throw refusalOf(only);
    return answer(x, id);
  },
);

async function reviewHeaderRow(
  x: Execution,
  verb: HeaderVerb,
  id: number,
  revision: number | undefined,
  comment: string | undefined,
): Promise<RowOutcome[]> {
  const { by, governedBy } = await openEver(x, id);
  const hasServedValues = verb === 'delete' && (await anyServed(x, id));
  const results = await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (crosswalk) =>
    reviewHeader(crosswalk, verb, by, { revision, comment, hasServedValues }),
  );
  const { state } = await x.load(kinds.crosswalk, streams.crosswalk(id));
  if (state?.deleted) await unregisterEnds(x, { kind: 'crosswalk', id }, await endsOf(x, state.value));
  return results;
}

async function anyServed(x: Execution, id: number): Promise<boolean> {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const { state } = await x.load(kinds.mappings, streams.mappings(id, bucket));
    for (const row of state.rows.values()) if (row.served !== null) return true;
  }
  return false;
}

export const draft = command<{ id: number; body: DraftMappings }>('DraftMappings', async (x, { id, body }) => {
  const { governedBy } = await openFor(x, id);
  const sequences = await x.allocate('mapping_ids', body.rows.length);
  await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, startValues);
  const pairs: NewPair[] = body.rows.map((row, index) => ({ ...row, index, sequence: sequences[index] as number }));
  const chunks = inChunks(pairs, (pair) => bucketOfKey(mappingKey(pair.sourceValue)), jsonBytes);
  const results = await perBucket(chunks, (bucket, rows) =>
    x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => draftMappings(state, rows)),
  );
  results.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const answered = bulkAnswer(x, results, 201);
  const only = results[0];
  if (body.rows.length > 1 || !only) return answered;
  if (only.outcome === 'refused') throw new Refusal('CONFLICT', only.message ?? 'Refused', { code: only.code });
  return { ...answered, body: { ...answered.body, id: only.id, revision: 1 } };
});

export const edit = command<{ id: number; body: EditMappings }>('EditMappings', async (x, { id, body }) => {
  const { by, governedBy } = await openFor(x, id);
  const chunks = inChunks(body.rows, (row) => bucketOfRow(row.id), jsonBytes);
  return bulkAnswer(
    x,
    await perBucket(chunks, (bucket, rows) =>
      x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => editMappings(state, rows, by)),
    ),
  );
});

export const review = command<{ id: number; verb: RowVerb; body: ReviewRows }>(
  'ReviewMappings',
  async (x, { id, verb, body }) => {
    const opened = await openFor(x, id);
    const rows = 'rows' in body ? body.rows : await selectedRows(x, body.selectionId, 'mappings', id);
    if ('selectionId' in body && becomesJob(x, rows)) {
      const { crosswalk, governedBy } = opened;
      return startJob(x, {
        selectionId: body.selectionId,
        total: rows.length,
        description: `${VERB_WORDS[verb]} ${rows.length.toLocaleString('en')} mappings of ${crosswalk.value.name}`,
        dataSetIds: [crosswalk.value.sourceSystemId],
        governedBy,
      });
    }
    return bulkAnswer(x, await reviewRows(x, opened, verb, rows, body.comment, openFor));
  },
);

async function reviewRows(
  x: Execution,
  opened: Opened,
  verb: RowVerb,
  rows: readonly { id: number; revision: number }[],
  comment: string | undefined,
  openAgain: typeof openFor,
): Promise<RowOutcome[]> {
  const { crosswalk, by, governedBy } = opened;
  const { id } = crosswalk;
  const gone = verb === 'submit' ? await targetsGone(x, crosswalk, rows) : undefined;
  if (verb === 'submit') {
    await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (state) => submitWithValues(state, by));
  }
  return decidedPerRow(
    rows,
    (row) => bucketOfRow(row.id),
    (bucket, chunk) => {
      const stream = streams.mappings(id, bucket);
      return x.piece(stream, async () => {
        // A job takes its time: who may decide is asked anew for each of its pieces.
        const now = x.jobId === undefined ? opened : await openAgain(x, id);
        return x.change(kinds.mappings, stream, now.governedBy, (state) =>
          reviewMappings(state, verb, chunk, now.by, comment, gone),
        );
      });
    },
  );
}

/** How the approvals dashboard reviews this room's items. */
export const reviewHeaderItems: Review = async (x, verb, parentId, rows, comment) => {
  const results: RowOutcome[] = [];
  for (const { id, revision } of rows) {
    // A header is its own parent: under another's name nothing is decided.
    if (id !== parentId)
      results.push({ id, outcome: 'refused', code: 'NOT_FOUND', message: REVIEW_REFUSALS.NOT_FOUND });
    else {
      const decide = () => reviewHeaderRow(x, verb, id, revision, comment);
      results.push(...(await x.piece(streams.crosswalk(id), decide)));
    }
  }
  return results;
};
export const reviewMappingItems: Review = async (x, verb, parentId, rows, comment) =>
  reviewRows(x, await open(x, parentId), verb, rows, comment, open);

export const request = command<{ crosswalkId: number; sourceValue: string }>(
  'RequestMissingMapping',
  async (x, { crosswalkId, sourceValue }) => {
    const { governedBy } = await openFor(x, crosswalkId);
    const id = await x.allocateOne('missing_mapping_ids');
    await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
      requestMissing(state, [{ id, sourceValue }]),
    );
    const { state } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    return { status: 201, body: { id: state.ids.get(sourceValue), crosswalkId, sourceValue } };
  },
);

export const ignore = command<{ crosswalkId: number; id: number; comment: string }>(
  'IgnoreMissingMapping',
  async (x, { crosswalkId, id, comment }) => {
    const { governedBy } = await openFor(x, crosswalkId);
    await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
      ignoreMissing(state, [id], comment),
    );
    return { body: { id } };
  },
);

export const reopen = command<{ crosswalkId: number; id: number }>(
  'ReopenMissingMapping',
  async (x, { crosswalkId, id }) => {
    const { governedBy } = await openFor(x, crosswalkId);
    await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
      reopenMissing(state, [id]),
    );
    return { body: { id } };
  },
);

/** Values that translate did not know, told by query-api on behalf of whoever asked. */
export const sight = command<{ crosswalkId: number; values: string[] }>(
  'SightMissing',
  async (x, { crosswalkId, values: asked }) => {
    const { state: crosswalk } = await x.load(kinds.crosswalk, streams.crosswalk(crosswalkId));
    if (!crosswalk || crosswalk.deleted || crosswalk.served === null) return { body: { told: 0 } };
    const { state: known } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    const fresh = asked.filter((value) => !known.ids.has(value));
    if (fresh.length === 0) return { body: { told: 0 } };
    const ids = await x.allocate('missing_mapping_ids', fresh.length);
    const told = fresh.map((sourceValue, index) => ({ id: ids[index] as number, sourceValue }));
    await perBucket(
      inChunks(told, () => 0, jsonBytes),
      async (_bucket, values) => {
        await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governs(crosswalk.value), (state) =>
          requestMissing(state, values),
        );
        return [];
      },
    );
    return { body: { told: fresh.length } };
  },
);
