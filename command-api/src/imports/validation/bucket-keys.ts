/** Folds a bucket to the keys of its rows, for inserts: about a fifth of the size of the full state. */
import { canonicalKey, type InstanceEvent, keyOfValues } from '@rdm/contracts';
import type { StreamKind } from '../../runtime/fold.ts';
import type { KnownKeys } from '../decider.ts';

export interface BucketKeys extends KnownKeys {
  ids: Map<string, number>;
  /** Id → canonical key, removed rows included. */
  rows: Map<number, string>;
}

/**
 * Folds the keys of an instance bucket. A cache must use only this kind or only `kinds.instances`, because a cache
 * stores one state per stream.
 */
export const bucketKeys: StreamKind<BucketKeys, InstanceEvent> = {
  initial: () => ({ ids: new Map(), rows: new Map() }),
  estimateBytes: (state) => 512 + state.rows.size * 150,
  evolve(state, event) {
    const add = (id: number, key: string) => {
      state.rows.set(id, key);
      state.ids.set(key, id);
    };
    switch (event.type) {
      case 'InstancesImported': {
        const { rows, fieldIds, keyFieldIds } = event.data;
        const places = keyFieldIds.map((fieldId) => fieldIds.indexOf(fieldId) + 1);
        for (const row of rows)
          add(row[0], canonicalKey(places.map((place) => (place === 0 ? null : (row[place] ?? null)))));
        break;
      }
      case 'InstancesAdded':
        for (const { id, values } of event.data.rows) add(id, keyOfValues(values, event.data.keyFieldIds));
        break;
      case 'InstancesRemoved':
        for (const id of event.data.ids) {
          const key = state.rows.get(id);
          if (key !== undefined && state.ids.get(key) === id) state.ids.delete(key);
        }
        break;
      case 'InstancesRestored':
        for (const id of event.data.ids) {
          const key = state.rows.get(id);
          if (key !== undefined) state.ids.set(key, id);
        }
        break;
      case 'InstancesChanged':
        break;
    }
    return state;
  },
};

/**
 * Folds the keys of a bucket except the keys that the job added, which need no check because keys are unique in a file.
 * This state stays small while a job fills an empty data set.
 */
export const keysExceptOf = (jobId: number): StreamKind<BucketKeys, InstanceEvent> => ({
  ...bucketKeys,
  evolve: (state, event) =>
    event.type === 'InstancesImported' && event.data.jobId === jobId ? state : bucketKeys.evolve(state, event),
});
