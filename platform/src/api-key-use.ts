/** The use of API keys at this instance: what each may ask for in a minute, and how often it was used on which day. */
import type { Log } from './log.ts';
import type { Queryable } from './postgres.ts';

/** What is left of a key's minute after a request. */
export interface Allowance {
  limit: number;
  remaining: number;
  /** Seconds after which everything is left again. */
  resetSeconds: number;
  /** Seconds after which the next request is answered; 0 where this one is. */
  retryAfter: number;
}

export interface ApiKeyUse {
  /**
   * Counts a request that carried a good secret, whatever it will be answered, and says whether the key's rate allows
   * it. What an unknown, revoked or expired secret asks is nobody's use.
   */
  take(apiKeyId: number): Allowance;
  /** Writes down what was counted; what cannot be written is kept for the next time. */
  flush(): Promise<void>;
  /** The last flush. */
  close(): Promise<void>;
}

export interface ApiKeyUseOptions {
  db: Queryable;
  log: Log;
  requestsPerMinute: number;
  now?: () => Date;
}

/** What a crash may lose of the counts: telemetry, not facts. */
const FLUSH_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;

interface Used {
  apiKeyId: number;
  day: string;
  calls: number;
  lastUsedAt: Date;
}

export function openApiKeyUse({ db, log, requestsPerMinute, now = () => new Date() }: ApiKeyUseOptions): ApiKeyUse {
  const allow = tokenBuckets(requestsPerMinute);
  let held = new Map<string, Used>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const count = (apiKeyId: number, calls: number, at: Date) => {
    const day = at.toISOString().slice(0, 10);
    const name = `${apiKeyId} ${day}`;
    const known = held.get(name);
    const lastUsedAt = known && known.lastUsedAt > at ? known.lastUsedAt : at;
    held.set(name, { apiKeyId, day, calls: (known?.calls ?? 0) + calls, lastUsedAt });
    timer ??= setTimeout(() => void flush(), FLUSH_EVERY_MS).unref();
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running = running.then(async () => {
      const gathered = [...held.values()];
      if (gathered.length === 0) return;
      held = new Map();
      try {
        await write(db, gathered);
      } catch (error) {
        log.warn({ err: error }, 'The use of API keys could not be written down; trying again');
        for (const { apiKeyId, calls, lastUsedAt } of gathered) count(apiKeyId, calls, lastUsedAt);
      }
    });
    return running;
  };

  return {
    take(apiKeyId) {
      const at = now();
      count(apiKeyId, 1, at);
      return allow(apiKeyId, at.getTime());
    },
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}

/** In one order, so that two instances never wait for each other. */
async function write(db: Queryable, gathered: readonly Used[]): Promise<void> {
  const rows = gathered.toSorted((a, b) => a.apiKeyId - b.apiKeyId || a.day.localeCompare(b.day));
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

/** A minute's worth at once, filled again evenly. Only good keys have a bucket: there are no more than keys. */
function tokenBuckets(limit: number): (apiKeyId: number, at: number) => Allowance {
  const buckets = new Map<number, { tokens: number; at: number }>();
  const millisecondsPerToken = MINUTE_MS / limit;
  const secondsFor = (tokens: number) => Math.ceil((tokens * millisecondsPerToken) / 1_000);
  return (apiKeyId, at) => {
    const bucket = buckets.get(apiKeyId) ?? { tokens: limit, at };
    const filled = Math.min(limit, bucket.tokens + Math.max(0, at - bucket.at) / millisecondsPerToken);
    const isAllowed = filled >= 1;
    const tokens = isAllowed ? filled - 1 : filled;
    buckets.set(apiKeyId, { tokens, at });
    return {
      limit,
      remaining: Math.floor(tokens),
      resetSeconds: secondsFor(limit - tokens),
      retryAfter: isAllowed ? 0 : Math.max(1, secondsFor(1 - tokens)),
    };
  };
}
