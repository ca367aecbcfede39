/** Connection pools: for reads, for regular expressions of callers, for the search, and for downloads. */
import { availableParallelism } from 'node:os';
import { createPool, type Pool, type Settings } from '@rdm/platform';
import { DOWNLOAD_CONNECTIONS } from '../http/download-slots.ts';

const STATEMENT_TIMEOUT_MS = 10_000;
/** Idle connections stay open this long, because a new one plans all statements again (up to 100 ms in an import). */
const IDLE_TIMEOUT_MS = 5 * 60_000;
/** A query with a regular expression of a caller is cancelled after this time. */
export const REGEX_TIMEOUT_MS = 2_000;
/** Each connection can use one core. One core remains for other work, unless the machine has only one. */
const REGEX_CONNECTIONS = availableParallelism() > 2 ? 2 : 1;

/** Searches run while a user types and use much CPU time: more connections would only slow down other reads. */
const SEARCH_CONNECTIONS = 4;

export type DatabaseSettings = Pick<Settings, 'DATABASE_URL' | 'DATABASE_EMBEDDED'>;

export interface Pools {
  pool: Pool;
  regexPool: Pool;
  searchPool: Pool;
  downloadPool: Pool;
  end(): Promise<void>;
}

/**
 * Opens the pool for the search. Its connections plan each statement once and start no parallel workers, because both
 * take longer than most searches. Sequential scans are off: they would read entries of data sets that the viewer may
 * not read.
 */
export const openSearchPool = (url: string): Pool =>
  createPool(url, {
    max: SEARCH_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    name: 'query-api-search',
    settings: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c max_parallel_workers_per_gather=0',
  });

/** Opens all pools. In an embedded PostgreSQL, regular expressions and downloads have a lower priority. */
export function openPools({ DATABASE_URL: url, DATABASE_EMBEDDED }: DatabaseSettings): Pools {
  const pool = createPool(url, {
    max: 16,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    name: 'query-api',
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
  const regexPool = createPool(url, {
    max: REGEX_CONNECTIONS,
    statementTimeoutMs: REGEX_TIMEOUT_MS,
    name: 'query-api-regex',
    // A parallel worker would use another core.
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
    regexPool,
    searchPool,
    downloadPool,
    end: async () => {
      await Promise.all([pool, regexPool, searchPool, downloadPool].map((each) => each.end()));
    },
  };
}
