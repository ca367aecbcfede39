/** Fills the row cache of a data set after an import, so that the next change of a large data set is fast. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKETS, streams } from '@rdm/contracts';
import { Mutex } from '../../runtime/mutex.ts';
import { projectedPositionReader } from '../../runtime/pace.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import type { ImportContext } from './run.ts';

const POLL_MS = 500;

export interface RowCacheFill {
  /**
   * Fills the cache in the background, after the events that the log contains now are projected. An error is logged and
   * not thrown, because later decisions also fill the cache.
   */
  fill(dataSetId: number): void;
  stop(): Promise<void>;
}

export function startRowCacheFill({ pool, store, streams: states, log }: ImportContext): RowCacheFill {
  const projected = projectedPositionReader(pool);
  const mutex = new Mutex();
  const running = new Set<Promise<void>>();
  let isStopping = false;

  async function fillCache(dataSetId: number): Promise<void> {
    const release = await mutex.acquire();
    try {
      const head = await store.head();
      while (!isStopping && head && (await projected()) < head.commit) await sleep(POLL_MS);
      for (let bucket = 0; bucket < BUCKETS && !isStopping; bucket++) {
        const isCached = await states.cacheRows(kinds.instances, streams.instances(dataSetId, bucket));
        // Rows are spread evenly: if the first bucket is too short for the cache, all buckets are.
        if (bucket === 0 && !isCached) break;
      }
    } finally {
      release();
    }
  }

  return {
    fill(dataSetId) {
      const work = fillCache(dataSetId)
        .catch((error: unknown) => log.warn({ err: error, dataSetId }, 'Could not cache rows after an import'))
        .finally(() => running.delete(work));
      running.add(work);
    },
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}
