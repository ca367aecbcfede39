/** Connection pools: for reads, for regular expressions of callers, for searches, and for downloads. */
import { availableParallelism } from 'node:os';
import { createPool, type Pool, type Settings } from '@rdm/platform';
import { DOWNLOAD_CONNECTIONS } from '../http/download-slots.ts';

const STATEMENT_TIMEOUT_MS = 10_000;
/** A catastrophic regular expression is cancelled after this. */
export const EXPENSIVE_TIMEOUT_MS = 2_000;
/** The number of cores that regular expressions may keep busy. */
const EXPENSIVE_CONNECTIONS = availableParallelism() > 2 ? 2 : 1;

/** Searches keep cores busy while the user types: more connections would only slow the other reads down. */
const SEARCH_CONNECTIONS = 4;

export type DatabaseSettings = Pick<Settings, 'DATABASE_URL' | 'DATABASE_EMBEDDED'>;

export interface Pools {
  pool: Pool;
  poolForExpensiveQueries: Pool;
  searchPool: Pool;
  downloadPool: Pool;
  end(): Promise<void>;
}

/**
 * Planning a search takes longer than running it: every statement is planned once per connection. A worker process takes longer
 * to start than most searches take. A sequential scan would read entries of data sets that the viewer may not read.
 */
export const openSearchPool = (url: string): Pool =>
  createPool(url, {
    max: SEARCH_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    name: 'query-api-search',
    settings: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c max_parallel_workers_per_gather=0',
  });

/** Expressions and downloads have a lower priority than other reads, where PostgreSQL runs on this machine. */
export function openPools({ DATABASE_URL: url, DATABASE_EMBEDDED }: DatabaseSettings): Pools {
  const pool = createPool(url, { max: 16, statementTimeoutMs: STATEMENT_TIMEOUT_MS, name: 'query-api' });
  const poolForExpensiveQueries = createPool(url, {
    max: EXPENSIVE_CONNECTIONS,
    statementTimeoutMs: EXPENSIVE_TIMEOUT_MS,
    name: 'query-api-risky',
    // A parallel worker would keep another core busy.
    settings: '-c max_parallel_workers_per_gather=0',
    isLowPriority: DATABASE_EMBEDDED,
  });
  const searchPool = openSearchPool(url);
  const downloadPool = createPool(url, {
    max: DOWNLOAD_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    name: 'query-api-downloads',
    isLowPriority: DATABASE_EMBEDDED,
  });
  return {
    pool,
    poolForExpensiveQueries,
    searchPool,
    downloadPool,
    end: async () => {
      await Promise.all([pool, poolForExpensiveQueries, searchPool, downloadPool].map((each) => each.end()));
    },
  };
}
