/** Commands that draft, edit and review mapping values, with an outcome per row. */
import {
  bucketOfKey,
  bucketOfRow,
  type DraftMappings,
  type EditMappings,
  mappingKey,
  Refusal,
  type ReviewRows,
  type RowOutcome,
  streams,
} from '@rdm/contracts';
import { bulkAnswer, decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import type { ReviewRows as Review } from '../review/reviewers.ts';
import { withRowLabels } from '../review/row-labels.ts';
import { decideRows, type RowVerb } from '../review/row-review.ts';
import { type RowsTarget, reviewRequestedRows } from '../review/row-review-command.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { type CrosswalkAccess, loadCrosswalk, requireCrosswalk } from './crosswalk-access.ts';
import { startValues, submitWithValues } from './decider.ts';
import { draftMappings, editMappings, mappingKeyIn, mappingLabel, type NewPair, reviewMappings } from './mappings.ts';
import { deletedTargetsOf } from './targets.ts';

export const draft = command<{ id: number; body: DraftMappings }>('DraftMappings', async (x, { id, body }) => {
  const { governedBy } = await requireCrosswalk(x, id);
  const sequences = await x.allocate('mapping_ids', body.rows.length);
  await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, startValues);
  const pairs: NewPair[] = body.rows.map((row, index) => ({ ...row, index, sequence: sequences[index] as number }));
  const chunks = toChunks(pairs, (pair) => bucketOfKey(mappingKey(pair.sourceValue)), jsonBytes);
  const decided = await decideChunks(x, chunks, (bucket, rows) =>
    x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => draftMappings(state, rows)),
  );
  decided.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const results = decided.map((outcome) => {
    const pair = outcome.outcome === 'refused' ? body.rows[outcome.index ?? -1] : undefined;
    return pair ? { ...outcome, key: mappingLabel(pair.sourceValue, pair.targetValue) } : outcome;
  });
  const answered = bulkAnswer(x, results, 201);
  const only = results[0];
  if (body.rows.length > 1 || !only) return answered;
  if (only.outcome === 'refused') throw new Refusal('CONFLICT', only.message ?? 'Refused', { code: only.code });
  return { ...answered, body: { ...answered.body, id: only.id, revision: 1 } };
});

export const edit = command<{ id: number; body: EditMappings }>('EditMappings', async (x, { id, body }) => {
  const { by, governedBy } = await requireCrosswalk(x, id);
  const chunks = toChunks(body.rows, (row) => bucketOfRow(row.id), jsonBytes);
  return bulkAnswer(
    x,
    await decideChunks(x, chunks, (bucket, rows) =>
      x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => editMappings(state, rows, by)),
    ),
  );
});

export const review = command<{ id: number; verb: RowVerb; body: ReviewRows }>(
  'ReviewMappings',
  async (x, { id, verb, body }) => {
    const access = await requireCrosswalk(x, id);
    const { crosswalk, governedBy } = access;
    const target: RowsTarget = {
      kind: 'mappings',
      parentId: id,
      what: `mappings of ${crosswalk.value.name}`,
      sourceId: crosswalk.value.sourceSystemId,
      governedBy,
    };
    return reviewRequestedRows(x, verb, body, target, (rows) =>
      reviewRows(x, access, verb, rows, body.comment, requireCrosswalk),
    );
  },
);

async function reviewRows(
  x: Execution,
  access: CrosswalkAccess,
  verb: RowVerb,
  rows: readonly { id: number; revision: number }[],
  comment: string | undefined,
  reload: typeof requireCrosswalk,
): Promise<RowOutcome[]> {
  const { crosswalk, by, governedBy } = access;
  const { id } = crosswalk;
  const deletedTargets = verb === 'submit' ? await deletedTargetsOf(x, crosswalk, rows) : undefined;
  const outcomes = await decideRows(
    x,
    rows,
    (row) => bucketOfRow(row.id),
    (bucket, chunk) => {
      const stream = streams.mappings(id, bucket);
      return x.piece(stream, async () => {
        // A job takes long: check the permissions again for each piece.
        const now = x.jobId === undefined ? access : await reload(x, id);
        const decided = await x.change(kinds.mappings, stream, now.governedBy, (state) =>
          reviewMappings(state, verb, chunk, now.by, comment, deletedTargets),
        );
        return withRowLabels(x, kinds.mappings, stream, decided, mappingKeyIn);
      });
    },
  );
  // The crosswalk is submitted with its first values, unless none was submitted. A job knows only the outcomes of this
  // run.
  if (verb === 'submit' && (x.jobId !== undefined || outcomes.some(({ outcome }) => outcome === 'done'))) {
    await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, (state) => submitWithValues(state, by));
  }
  return outcomes;
}

/** Reviews mapping values for the approvals module. */
export const reviewMappingItems: Review = async (x, verb, parentId, rows, comment) =>
  reviewRows(x, await loadCrosswalk(x, parentId), verb, rows, comment, loadCrosswalk);
