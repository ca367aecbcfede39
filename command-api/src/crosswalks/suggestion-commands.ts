/** Commands that dismiss suggestions and restore dismissed ones, with an outcome per pair. */
import {
  bucketOfKey,
  bucketOfRow,
  type DismissSuggestions,
  mappingKey,
  type RestoreSuggestions,
  streams,
} from '@rdm/contracts';
import { bulkAnswer, decideChunks, jsonBytes, toChunks } from '../bulk/row-chunks.ts';
import { command } from '../runtime/commands.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { requireCrosswalk } from './crosswalk-access.ts';
import { dismissSuggestions, type PairToDismiss, restoreSuggestions } from './suggestions.ts';

export const dismiss = command<{ id: number; body: DismissSuggestions }>(
  'DismissSuggestions',
  async (x, { id, body }) => {
    const { governedBy } = await requireCrosswalk(x, id);
    // Mappings and dismissals share a sequence, so that ids are unique within a bucket.
    const sequences = await x.allocate('mapping_ids', body.rows.length);
    const pairs: PairToDismiss[] = body.rows.map((row, index) => ({
      ...row,
      index,
      sequence: sequences[index] as number,
    }));
    const chunks = toChunks(pairs, (pair) => bucketOfKey(mappingKey(pair.sourceValue)), jsonBytes);
    const results = await decideChunks(x, chunks, (bucket, rows) =>
      x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => dismissSuggestions(state, rows)),
    );
    return bulkAnswer(
      x,
      results.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)),
    );
  },
);

export const restore = command<{ id: number; body: RestoreSuggestions }>(
  'RestoreSuggestions',
  async (x, { id, body }) => {
    const { governedBy } = await requireCrosswalk(x, id);
    const results = await decideChunks(x, toChunks(body.ids, bucketOfRow), (bucket, ids) =>
      x.change(kinds.mappings, streams.mappings(id, bucket), governedBy, (state) => restoreSuggestions(state, ids)),
    );
    return bulkAnswer(x, results);
  },
);
