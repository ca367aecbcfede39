/**
 * Reports requested source values without a served mapping to command-api, which counts them. Sends the values of one
 * second together.
 */
import type { Log } from '@rdm/platform';

export interface MissingValue {
  crosswalkId: number;
  userId: number;
  /** Set for a request with an API key; `userId` is then the creator of the key. */
  apiKeyId?: number | undefined;
  value: string;
  /** The purpose that the request states; without a purpose, a source such as `API`. */
  context: string;
}

export interface MissingMappingCounters {
  count(values: readonly MissingValue[]): void;
  /** Sends the collected values; resolves when they are sent, or kept for a retry after a failure. */
  flush(): Promise<void>;
}

export interface MissingMappingCounterOptions {
  /** Addresses of the instances of command-api; without them nothing is counted. */
  commandApiUrls: readonly string[] | undefined;
  serviceSecret: string;
  log: Log;
  everyMs?: number;
}

const EVERY_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const DEADLINE_MS = 5_000;
/** Maximum number of values in one call. */
const VALUES_MAX = 10_000;
/** Maximum number of values that are kept while command-api is unavailable; further values are not counted. */
const PENDING_MAX = 100_000;

export function openMissingMappingCounters({
  commandApiUrls = [],
  serviceSecret,
  log,
  everyMs = EVERY_MS,
}: MissingMappingCounterOptions): MissingMappingCounters {
  let pending: MissingValue[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let failures = 0;
  /** Increases with each failure, so that the next call goes to another instance of command-api. */
  let turn = 0;

  const schedule = () => {
    if (timer || pending.length === 0) return;
    timer = setTimeout(() => void flush(), Math.min(everyMs * 2 ** failures, LONGEST_PAUSE_MS));
    timer.unref();
  };

  const send = async () => {
    const values = pending;
    pending = [];
    if (dropped > 0) log.warn({ dropped }, 'Missing mappings were not counted: command-api was unavailable too long');
    dropped = 0;
    const all = callsFor(values);
    for (const [index, call] of all.entries()) {
      try {
        const url = commandApiUrls[turn % commandApiUrls.length];
        const status = await post(`${url}/internal/missing-mapping-requests`, serviceSecret, call.body);
        if (isRetryable(status)) throw new RetryableAnswer(`command-api answered ${status}`);
        failures = 0;
      } catch (error) {
        failures += 1;
        turn += 1;
        log.warn({ err: error }, 'Missing mappings could not be reported: trying again');
        // After a retryable status, only this call is repeated. Without an answer, the remaining calls would fail too:
        // they are sent later, with this call.
        const postponed = error instanceof RetryableAnswer ? [call] : all.slice(index);
        enqueue(postponed.flatMap(({ values }) => values));
        if (!(error instanceof RetryableAnswer)) return;
      }
    }
  };

  const enqueue = (values: readonly MissingValue[]) => {
    const free = PENDING_MAX - pending.length;
    dropped += Math.max(0, values.length - free);
    for (const value of values.slice(0, free)) pending.push(value);
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await running;
    if (pending.length === 0) return;
    running = send().finally(() => {
      running = undefined;
    });
    await running;
    schedule();
  };

  return {
    count(values) {
      if (commandApiUrls.length === 0) return;
      enqueue(values);
      schedule();
    },
    flush,
  };
}

interface Call {
  body: { crosswalkId: number; userId: number; apiKeyId?: number | undefined; context: string; values: string[] };
  values: MissingValue[];
}

/** Groups values into calls by crosswalk, requester and context. Keeps repeated values, because each request counts. */
export function callsFor(values: readonly MissingValue[]): Call[] {
  const latestCalls = new Map<string, Call>();
  const all: Call[] = [];
  for (const missing of values) {
    const { crosswalkId, userId, apiKeyId, context, value } = missing;
    const groupKey = `${crosswalkId} ${userId} ${apiKeyId} ${context}`;
    let call = latestCalls.get(groupKey);
    if (!call || call.values.length === VALUES_MAX) {
      call = { body: { crosswalkId, userId, apiKeyId, context, values: [] }, values: [] };
      latestCalls.set(groupKey, call);
      all.push(call);
    }
    call.body.values.push(value);
    call.values.push(missing);
  }
  return all;
}

/** An answer of command-api with a status after which a retry can succeed. */
class RetryableAnswer extends Error {}

/** Whether a retry can succeed. After any other error status, command-api would refuse the same values again. */
const isRetryable = (status: number): boolean => status >= 500 || status === 429;

async function post(url: string, serviceSecret: string, body: unknown): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Service-Secret': serviceSecret },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  await answer.arrayBuffer();
  return answer.status;
}
