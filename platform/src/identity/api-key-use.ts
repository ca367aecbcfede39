/** Limits the rate of each API key over all instances, and counts its requests per day. */

import type { Queryable } from '../postgres/postgres.ts';
import type { Log } from '../service/log.ts';

/** The state of a key's rate limit after a request. */
export interface Allowance {
  limit: number;
  remaining: number;
  /** The seconds until the key may send one more request than `remaining`. */
  resetSeconds: number;
  /** 0 if the request is allowed; otherwise the seconds until the key may send the request again. */
  retryAfter: number;
}

export interface ApiKeyUse {
  /** Counts a request with a valid secret, also if its response is an error. Returns the allowance of the key. */
  take(apiKeyId: number): Promise<Allowance>;
  /** Writes the counts. If writing fails, the next flush writes these counts too. */
  flush(): Promise<void>;
  /** Flushes for the last time and stops the timer; counts that cannot be written are lost. */
  close(): Promise<void>;
}

export interface ApiKeyUseOptions {
  db: Queryable;
  log: Log;
  requestsPerMinute: number;
  now?: () => Date;
}

/** The interval between flushes. A crash loses the counts since the last flush; that is acceptable for telemetry. */
const FLUSH_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;

interface KeyUse {
  apiKeyId: number;
  day: string;
  calls: number;
  lastUsedAt: Date;
}

export function openApiKeyUse({ db, log, requestsPerMinute, now = () => new Date() }: ApiKeyUseOptions): ApiKeyUse {
  const allow = sharedBuckets(db, log, requestsPerMinute, () => now().getTime());
  let unwritten = new Map<string, KeyUse>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const count = (apiKeyId: number, calls: number, at: Date) => {
    const day = at.toISOString().slice(0, 10);
    const name = `${apiKeyId} ${day}`;
    const previous = unwritten.get(name);
    const lastUsedAt = previous && previous.lastUsedAt > at ? previous.lastUsedAt : at;
    unwritten.set(name, { apiKeyId, day, calls: (previous?.calls ?? 0) + calls, lastUsedAt });
    timer ??= setTimeout(() => void flush(), FLUSH_EVERY_MS).unref();
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running = running.then(async () => {
      const uses = [...unwritten.values()];
      if (uses.length === 0) return;
      unwritten = new Map();
      try {
        await write(db, uses);
      } catch (error) {
        log.warn({ err: error }, 'Could not store the use of API keys; trying again');
        for (const { apiKeyId, calls, lastUsedAt } of uses) count(apiKeyId, calls, lastUsedAt);
      }
    });
    return running;
  };

  return {
    take(apiKeyId) {
      count(apiKeyId, 1, now());
      return allow(apiKeyId);
    },
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}

/** Writes the counts, always in the same order, so that two instances never deadlock. */
async function write(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  const rows = uses.toSorted((a, b) => a.apiKeyId - b.apiKeyId || a.day.localeCompare(b.day));
  await db.query(
    `INSERT INTO telemetry.api_key_usage AS kept (api_key_id, day, calls, last_used_at)
     SELECT * FROM unnest($1::bigint[], $2::date[], $3::bigint[], $4::timestamptz[])
     ON CONFLICT (api_key_id, day) DO UPDATE SET calls = kept.calls + excluded.calls,
       last_used_at = greatest(kept.last_used_at, excluded.last_used_at)`,
    [
      rows.map(({ apiKeyId }) => apiKeyId),
      rows.map(({ day }) => day),
      rows.map(({ calls }) => calls),
      rows.map(({ lastUsedAt }) => lastUsedAt.toISOString()),
    ],
  );
}

/** The state of the bucket of a key, as far as this instance knows it. */
interface Bucket {
  /** Tokens leased from the bucket and not used yet. */
  leased: number;
  /** The tokens that were left for all instances at the time `at`. */
  tokens: number;
  /** In milliseconds since 1970. */
  at: number;
  leasing?: Promise<void> | undefined;
}

/** Leases tokens. A clock that is set back neither fills nor empties the bucket. */
const LEASE = {
  name: 'lease-api-key-requests',
  text: `
    INSERT INTO telemetry.api_key_buckets AS kept (api_key_id, tokens, leased, at)
    VALUES ($1, $2::float8 - $3::float8, $3::float8, clock_timestamp())
    ON CONFLICT (api_key_id) DO UPDATE SET (tokens, leased, at) = (
      SELECT filled - least(floor(filled), $3), least(floor(filled), $3), greatest(kept.at, clock_timestamp())
        FROM (SELECT least($2, kept.tokens + $2 / 60 *
                greatest(0, extract(epoch FROM clock_timestamp() - kept.at)::float8)) AS filled) now)
    RETURNING tokens, leased`,
};

/**
 * Token buckets in PostgreSQL, which all instances share. A bucket holds the requests of one minute and is refilled
 * evenly. Instances lease the tokens of one second at a time, to save a statement per request. Unused leases let a key
 * exceed its limit by one second's requests per instance.
 */
function sharedBuckets(db: Queryable, log: Log, limit: number, now: () => number) {
  const buckets = new Map<number, Bucket>();
  const millisecondsPerToken = MINUTE_MS / limit;
  const leaseSize = Math.ceil(limit / 60);
  const secondsFor = (tokens: number) => Math.ceil((tokens * millisecondsPerToken) / 1_000);
  const tokensLeft = ({ tokens, at }: Bucket) =>
    Math.min(limit, tokens + Math.max(0, now() - at) / millisecondsPerToken);

  async function lease(apiKeyId: number, bucket: Bucket): Promise<void> {
    try {
      const { rows } = await db.query({ ...LEASE, values: [apiKeyId, limit, leaseSize] });
      const { tokens, leased } = rows[0] as { tokens: number; leased: number };
      Object.assign(bucket, { leased: bucket.leased + leased, tokens, at: now() });
    } catch (error) {
      // With a full disk, the database refuses writes, but keys can still read: each instance limits rates alone.
      log.warn({ err: error, apiKeyId }, 'Requests of an API key could not be counted for all instances');
      const tokens = tokensLeft(bucket);
      const leased = Math.min(Math.floor(tokens), leaseSize);
      Object.assign(bucket, { leased: bucket.leased + leased, tokens: tokens - leased, at: now() });
    }
  }

  return async (apiKeyId: number): Promise<Allowance> => {
    const bucket = buckets.get(apiKeyId) ?? { leased: 0, tokens: limit, at: now() };
    buckets.set(apiKeyId, bucket);
    while (bucket.leased < 1 && tokensLeft(bucket) >= 1) {
      bucket.leasing ??= lease(apiKeyId, bucket).finally(() => {
        bucket.leasing = undefined;
      });
      await bucket.leasing;
    }
    const isAllowed = bucket.leased >= 1;
    if (isAllowed) bucket.leased -= 1;
    // The unused leased tokens and the tokens of a full bucket together can exceed the limit.
    const tokens = Math.min(isAllowed ? limit - 1 : limit, bucket.leased + tokensLeft(bucket));
    const remaining = Math.floor(tokens);
    const resetSeconds = Math.max(1, secondsFor(remaining + 1 - tokens));
    return { limit, remaining, resetSeconds, retryAfter: isAllowed ? 0 : resetSeconds };
  };
}
