/** Commands that request, ignore and reopen missing mappings, and record values that translate could not map. */
import { BULK_ANSWER_ROWS, Refusal, type RowOutcome, streams } from '@rdm/contracts';
import { bulkAnswer, decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { selectedRows } from '../review/selections.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { governingDataSets, requireCrosswalk } from './crosswalk-access.ts';
import { countRequests } from './missing-mapping-counters.ts';
import {
  decideMissing,
  ignoreMissing,
  type MissingVerb,
  refusedMissing,
  reopenMissing,
  requestMissing,
  requireRecorded,
} from './missing-mappings.ts';

export const requestMapping = command<{ crosswalkId: number; sourceValue: string; context: string | undefined }>(
  'RequestMissingMapping',
  async (x, { crosswalkId, sourceValue, context = x.meta.sourceType }) => {
    const { governedBy } = await requireCrosswalk(x, crosswalkId);
    const id = await x.allocateOne('missing_mapping_ids');
    await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
      requestMissing(state, [{ id, sourceValue }]),
    );
    const { state } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    const recordedId = requireRecorded(state, sourceValue);
    await countRequests(x.pool, crosswalkId, [sourceValue], { userId: x.actorId, apiKeyId: x.meta.apiKeyId, context });
    return { status: 201, body: { id: recordedId, crosswalkId, sourceValue } };
  },
);

export const ignore = command<{ crosswalkId: number; id: number; comment: string }>(
  'IgnoreMissingMapping',
  async (x, { crosswalkId, id, comment }) => {
    const { governedBy } = await requireCrosswalk(x, crosswalkId);
    await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
      ignoreMissing(state, [id], comment),
    );
    return { body: { id } };
  },
);

export const reopen = command<{ crosswalkId: number; id: number }>(
  'ReopenMissingMapping',
  async (x, { crosswalkId, id }) => {
    const { governedBy } = await requireCrosswalk(x, crosswalkId);
    await x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
      reopenMissing(state, [id]),
    );
    return { body: { id } };
  },
);

interface MissingMappingRef {
  id: number;
  /** Undefined if the missing mapping does not exist. */
  crosswalkId: number | undefined;
}

/** Ignores or reopens missing mappings, with an outcome per missing mapping. A selection needs a call per page. */
export const decideMany = command<{
  verb: MissingVerb;
  /** The reason for ignoring. Without a comment, the previous reason of each missing mapping applies. */
  comment?: string;
  chosen: MissingMappingRef[] | { selectionId: string; from: number };
}>('DecideMissingMappings', async (x, { verb, comment, chosen }) => {
  const rows = Array.isArray(chosen) ? chosen : await selectedPage(x, chosen);
  const byCrosswalk = new Map<number | undefined, Set<number>>();
  for (const { id, crosswalkId } of rows) {
    const ids = byCrosswalk.get(crosswalkId);
    if (ids) ids.add(id);
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

async function selectedPage(
  x: Execution,
  { selectionId, from }: { selectionId: string; from: number },
): Promise<MissingMappingRef[]> {
  const rows = await selectedRows(x, selectionId, 'missing-mappings');
  return rows.slice(from, from + BULK_ANSWER_ROWS).map(({ id, parentId }) => ({ id, crosswalkId: parentId }));
}

/** Decides the missing mappings of one crosswalk. Returns refusals as outcomes, so that the command continues. */
async function decideIn(
  x: Execution,
  crosswalkId: number,
  verb: MissingVerb,
  ids: readonly number[],
  comment: string | undefined,
): Promise<RowOutcome[]> {
  try {
    const { governedBy } = await requireCrosswalk(x, crosswalkId);
    const { state: current } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    // Without a comment, the event contains the previous reason of each missing mapping.
    const bytes = (id: number) => 16 + (comment === undefined ? jsonBytes(current.reasons.get(id) ?? '') : 0);
    return await decideChunks(
      x,
      toChunks(ids, () => 0, bytes),
      (_bucket, chunk) =>
        x.change(kinds.missingMappings, streams.missingMappings(crosswalkId), governedBy, (state) =>
          decideMissing(state, verb, chunk, comment),
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

/**
 * Counts requests for values that translate could not map. Records new values as missing mappings if the crosswalk is
 * served. query-api sends the values on behalf of the user who translated.
 */
export const recordUnknownValues = command<{ crosswalkId: number; values: string[]; context?: string | undefined }>(
  'SightMissing',
  async (x, { crosswalkId, values, context }) => {
    await countRequests(x.pool, crosswalkId, values, { userId: x.meta.actorId, apiKeyId: x.meta.apiKeyId, context });
    const distinct = [...new Set(values)];
    const { state: crosswalk } = await x.load(kinds.crosswalk, streams.crosswalk(crosswalkId));
    if (!crosswalk || crosswalk.deleted || crosswalk.served === null) return { body: { reported: 0 } };
    const { state: current } = await x.load(kinds.missingMappings, streams.missingMappings(crosswalkId));
    const newValues = distinct.filter((value) => !current.ids.has(value));
    if (newValues.length === 0) return { body: { reported: 0 } };
    const ids = await x.allocate('missing_mapping_ids', newValues.length);
    const requests = newValues.map((sourceValue, index) => ({ id: ids[index] as number, sourceValue }));
    await decideChunks(
      x,
      toChunks(requests, () => 0, jsonBytes),
      async (_bucket, chunk) => {
        await x.change(
          kinds.missingMappings,
          streams.missingMappings(crosswalkId),
          governingDataSets(crosswalk.value),
          (state) => requestMissing(state, chunk),
        );
        return [];
      },
    );
    return { body: { reported: newValues.length } };
  },
);
