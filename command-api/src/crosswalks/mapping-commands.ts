/** Commands that draft, edit and review mappings, with an outcome per row. */
import { bucketOfKey, bucketOfRow, type DraftMappings, type EditMappings, mappingKey, streams } from '@rdm/contracts';
import { bulkAnswer, decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { draftAnswer } from '../review/row-drafts.ts';
import { withRowTexts } from '../review/row-labels.ts';
import { rowReview } from '../review/row-review-command.ts';
import { command } from '../runtime/commands.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { type CrosswalkAccess, loadCrosswalk, requireCrosswalk } from './crosswalk-access.ts';
import { lockAttributes, submitWithValues } from './decider.ts';
import { draftMappings, editMappings, mappingText, mappingTextIn, type NewPair, reviewMappings } from './mappings.ts';
import { findDeletedTargetsOfMappings } from './targets.ts';

export const draft = command<{ id: number; body: DraftMappings }>('DraftMappings', async (x, { id, body }) => {
  const { governedBy } = await requireCrosswalk(x, id);
  const sequences = await x.allocate('mapping_ids', body.rows.length);
  await x.change(kinds.crosswalk, streams.crosswalk(id), governedBy, lockAttributes);
  const pairs: NewPair[] = body.rows.map((row, index) => ({ ...row, index, sequence: sequences[index] as number }));
  const chunks = toChunks(pairs, (pair) => bucketOfKey(mappingKey(pair.sourceValue)), jsonBytes);
  const decided = await decideChunks(x, chunks, (bucket, rows) =>
    x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => draftMappings(state, rows)),
  );
  return draftAnswer(x, body.rows.length, decided, (index) => {
    const { sourceValue = '', targetValue = '' } = body.rows[index] ?? {};
    return mappingText(sourceValue, targetValue);
  });
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

export const mappingReview = rowReview<CrosswalkAccess>({
  command: 'ReviewMappings',
  kind: 'mappings',
  describe: ({ crosswalk }) => `mappings of ${crosswalk.value.name}`,
  requireParent: requireCrosswalk,
  loadParent: loadCrosswalk,
  stream: streams.mappings,

  async prepare(x, { crosswalk }, verb, rows, comment) {
    const deletedTargets = verb === 'submit' ? await findDeletedTargetsOfMappings(x, crosswalk, rows) : undefined;
    return async (stream, chunk, { by, governedBy }) => {
      const outcomes = await x.change(kinds.mappings, stream, governedBy, (state) =>
        reviewMappings(state, verb, chunk, by, comment, deletedTargets),
      );
      return withRowTexts(x, kinds.mappings, stream, outcomes, mappingTextIn);
    };
  },

  async finish(x, { crosswalk, by, governedBy }, verb, outcomes) {
    // The crosswalk is submitted with its mappings. A job does not know the outcomes of earlier runs, so a job always
    // tries to submit the crosswalk.
    if (verb === 'submit' && (x.jobId !== undefined || outcomes.some(({ outcome }) => outcome === 'done'))) {
      await x.change(kinds.crosswalk, streams.crosswalk(crosswalk.id), governedBy, (state) =>
        submitWithValues(state, by),
      );
    }
    return outcomes;
  },
});
