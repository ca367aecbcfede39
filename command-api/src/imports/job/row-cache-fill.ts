/** Keeps the rows of data sets once they were imported, so that whoever writes into a large one next need not wait for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKETS, streams } from '@rdm/contracts';
import { Mutex } from '../../runtime/mutex.ts';
import { projectedPositionReader } from '../../runtime/pace.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import type { ImportContext } from './run.ts';

const LOOK_EVERY_MS = 500;

export interface RowKeeper {
  /** Begins once everything that is in the log now can be read, and goes on by itself; what fails is left to decisions. */
  keep(dataSetId: number): void;
  stop(): Promise<void>;
}

export function startKeepingRows({ pool, store, streams: states, log }: ImportContext): RowKeeper {
  const projected = projectedPositionReader(pool);
  const turns = new Mutex();
  const works = new Set<Promise<void>>();
  let stopping = false;

  async function keepRows(dataSetId: number): Promise<void> {
    const end = await turns.acquire();
    try {
      const head = await store.head();
      while (!stopping && head && (await projected()) < head.commit) await sleep(LOOK_EVERY_MS);
      for (let bucket = 0; bucket < BUCKETS && !stopping; bucket++) {
        const isLong = await states.cacheRows(kinds.instances, streams.instances(dataSetId, bucket));
        // Keys are spread evenly: where the first bucket is short, the others are.
        if (bucket === 0 && !isLong) break;
      }
    } finally {
      end();
    }
  }

  return {
    keep(dataSetId) {
      const work = keepRows(dataSetId)
        .catch((error: unknown) => log.warn({ err: error, dataSetId }, 'Rows could not be kept after an import'))
        .finally(() => works.delete(work));
      works.add(work);
    },
    async stop() {
      stopping = true;
      await Promise.all(works);
    },
  };
}
