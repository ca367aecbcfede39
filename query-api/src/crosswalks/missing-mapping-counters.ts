/** Reports source values without a mapping to command-api, which counts them; batches requests for a second. */
import type { Log } from '@rdm/platform';

export interface Sighting {
  crosswalkId: number;
  userId: number;
  /** The API key of the request, if any; the user is its creator. */
  apiKeyId?: number | undefined;
  value: string;
  /** The purpose of the request, or its source. */
  context: string;
}

export interface Sightings {
  see(sightings: readonly Sighting[]): void;
  /** Sends the collected values; resolves when they were sent, or kept for a retry. */
  flush(): Promise<void>;
}

export interface SightingOptions {
  /** Addresses of the instances of command-api; without them nothing is counted. */
  commandApiUrls: readonly string[] | undefined;
  serviceSecret: string;
  log: Log;
  everyMs?: number;
}

const EVERY_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const DEADLINE_MS = 5_000;
/** Values of one call. */
const VALUES_MAX = 10_000;
/** Values kept while command-api is unavailable; further ones are not counted. */
const HELD_MAX = 100_000;

export function openSightings({
  commandApiUrls = [],
  serviceSecret,
  log,
  everyMs = EVERY_MS,
}: SightingOptions): Sightings {
  let held: Sighting[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let failures = 0;
  /** The instance to call: the next one after a failure. */
  let turn = 0;

  const schedule = () => {
    if (timer || held.length === 0) return;
    timer = setTimeout(() => void flush(), Math.min(everyMs * 2 ** failures, LONGEST_PAUSE_MS));
    timer.unref();
  };

  const tell = async () => {
    const gathered = held;
    held = [];
    if (dropped > 0) log.warn({ dropped }, 'Unknown values were not counted: command-api was away for too long');
    dropped = 0;
    const all = calls(gathered);
    for (const [place, call] of all.entries()) {
      try {
        const url = commandApiUrls[turn % commandApiUrls.length];
        const status = await post(`${url}/internal/sightings`, serviceSecret, call.body);
        if (isUntold(status)) throw new Untold(`command-api answered ${status}`);
        failures = 0;
      } catch (error) {
        failures += 1;
        turn += 1;
        log.warn({ err: error }, 'Cannot tell which values were asked for in vain: trying again');
        // A refused call is retried alone; without a connection the remaining calls would fail, too.
        const untold = error instanceof Untold ? [call] : all.slice(place);
        hold(untold.flatMap(({ sightings }) => sightings));
        if (!(error instanceof Untold)) return;
      }
    }
  };

  const hold = (sightings: readonly Sighting[]) => {
    const room = HELD_MAX - held.length;
    dropped += Math.max(0, sightings.length - room);
    for (const sighting of sightings.slice(0, room)) held.push(sighting);
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await running;
    if (held.length === 0) return;
    running = tell().finally(() => {
      running = undefined;
    });
    await running;
    schedule();
  };

  return {
    see(sightings) {
      if (commandApiUrls.length === 0) return;
      hold(sightings);
      schedule();
    },
    flush,
  };
}

interface Call {
  body: { crosswalkId: number; userId: number; apiKeyId?: number | undefined; context: string; values: string[] };
  sightings: Sighting[];
}

/** One call per crosswalk, requester and context; repeated values are repeated in it. */
export function calls(sightings: readonly Sighting[]): Call[] {
  const open = new Map<string, Call>();
  const all: Call[] = [];
  for (const sighting of sightings) {
    const { crosswalkId, userId, apiKeyId, context, value } = sighting;
    const name = `${crosswalkId} ${userId} ${apiKeyId} ${context}`;
    let call = open.get(name);
    if (!call || call.sightings.length === VALUES_MAX) {
      call = { body: { crosswalkId, userId, apiKeyId, context, values: [] }, sightings: [] };
      open.set(name, call);
      all.push(call);
    }
    call.body.values.push(value);
    call.sightings.push(sighting);
  }
  return all;
}

class Untold extends Error {}

/** Whether a retry can help: a refusal would be repeated. */
const isUntold = (status: number): boolean => status >= 500 || status === 429;

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
