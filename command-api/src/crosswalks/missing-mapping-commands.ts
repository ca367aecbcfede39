/** Commands on missing mappings: requested, ignored with a reason, listed again, told by translate. */
import { BULK_ANSWER_ROWS, Refusal, type RowOutcome, streams } from '@rdm/contracts';
import { bulkAnswer, decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { selectedRows } from '../review/selections.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { governs, openFor } from './crosswalk-access.ts';
import { countSightings } from './missing-mapping-counters.ts';
import {
  decideMissing,
  ignoreMissing,
  type MissingVerb,
  refusedMissing,
  reopenMissing,
  requestMissing,
} from './missing-mappings.ts';

export const requestMappings = command<{ crosswalkId: number; sourceValue: string; context: string | undefined }>(
  'RequestMissingMapping',
  async (x, { crosswalkId, sourceValue, context = x.meta.sourceType }) => {
    const { governedBy } = await openFor(x, crosswalkId);
    const id = await x.allocateOne('missing_mapping_ids');
    await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
      requestMissing(state, [{ id, sourceValue }]),
    );
    const { state } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    await countSightings(x.pool, crosswalkId, [sourceValue], { userId: x.actorId, apiKeyId: x.meta.apiKeyId, context });
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

interface Chosen {
  id: number;
  /** Undefined where there is no such missing mapping. */
  crosswalkId: number | undefined;
}

/** What many missing mappings of any crosswalks are: each is answered for itself, so many of a selection at a time. */
export const decideMany = command<{
  verb: MissingVerb;
  /** Left out to ignore each for the reason it was last. */
  comment?: string;
  chosen: Chosen[] | { selectionId: string; from: number };
}>('DecideMissingMappings', async (x, { verb, comment, chosen }) => {
  const rows = Array.isArray(chosen) ? chosen : await selectedFrom(x, chosen);
  const byCrosswalk = new Map<number | undefined, Set<number>>();
  for (const { id, crosswalkId } of rows) {
    const own = byCrosswalk.get(crosswalkId);
    if (own) own.add(id);
    else byCrosswalk.set(crosswalkId, new Set([id]));
  }
  const results: RowOutcome[] = [];
  for (const [crosswalkId, ids] of byCrosswalk) {
    results.push(
      ...(crosswalkId === undefined
        ? [...ids].map((id) => refusedMissing(id, 'NOT_FOUND'))
        : await decideIn(x, crosswalkId, verb, [...ids], comment)),
    );
  }
  return bulkAnswer(x, results);
});

async function selectedFrom(
  x: Execution,
  { selectionId, from }: { selectionId: string; from: number },
): Promise<Chosen[]> {
  const rows = await selectedRows(x, selectionId, 'missing-mappings');
  return rows.slice(from, from + BULK_ANSWER_ROWS).map(({ id, parentId }) => ({ id, crosswalkId: parentId }));
}

/** A crosswalk that is gone, hidden or another's to map refuses its own alone; what is hidden is not there. */
async function decideIn(
  x: Execution,
  crosswalkId: number,
  verb: MissingVerb,
  ids: readonly number[],
  comment: string | undefined,
): Promise<RowOutcome[]> {
  try {
    const { governedBy } = await openFor(x, crosswalkId);
    const { state: known } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    // Each may have a reason of its own, which its event tells.
    const bytes = (id: number) => 16 + (comment === undefined ? jsonBytes(known.reasons.get(id) ?? '') : 0);
    return await decideChunks(
      x,
      toChunks(ids, () => 0, bytes),
      (_bucket, some) =>
        x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
          decideMissing(state, verb, some, comment),
        ),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    return ids.map((id) =>
      code === 'NOT_FOUND' ? refusedMissing(id, code) : { id, outcome: 'refused', code, message },
    );
  }
}

/** Values that translate did not know, told by query-api on behalf of whoever asked. */
export const sight = command<{ crosswalkId: number; values: string[]; context?: string | undefined }>(
  'SightMissing',
  async (x, { crosswalkId, values, context }) => {
    await countSightings(x.pool, crosswalkId, values, { userId: x.meta.actorId, apiKeyId: x.meta.apiKeyId, context });
    const asked = [...new Set(values)];
    const { state: crosswalk } = await x.load(kinds.crosswalk, streams.crosswalk(crosswalkId));
    if (!crosswalk || crosswalk.deleted || crosswalk.served === null) return { body: { told: 0 } };
    const { state: known } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    const fresh = asked.filter((value) => !known.ids.has(value));
    if (fresh.length === 0) return { body: { told: 0 } };
    const ids = await x.allocate('missing_mapping_ids', fresh.length);
    const told = fresh.map((sourceValue, index) => ({ id: ids[index] as number, sourceValue }));
    await decideChunks(
      x,
      toChunks(told, () => 0, jsonBytes),
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
