/** Commands on missing mappings: requested, ignored with a reason, listed again, told by translate. */
import { streams } from '@rdm/contracts';
import { command } from '../commands.ts';
import { kinds } from '../kinds.ts';
import { inChunks, jsonBytes, perBucket } from '../rows.ts';
import { ignoreMissing, reopenMissing, requestMissing } from './missing.ts';
import { governs, openFor } from './opening.ts';
import { countSightings } from './sightings.ts';

export const request = command<{ crosswalkId: number; sourceValue: string; context: string | undefined }>(
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
    await perBucket(
      x,
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
