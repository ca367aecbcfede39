/** Who may do what, as the log says it: follows `access-main`, so that a revocation bites at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ACCESS_STREAM,
  type AccessEvent,
  type AccessState,
  emptyAccess,
  evolveAccess,
  type RecordedEvent,
  Refusal,
} from '@rdm/contracts';
import type { EventStore } from './event-store.ts';
import type { Log } from './log.ts';

/** An operator has to act first. */
const PROBLEM_RETRY_SECONDS = 30;
const NOBODY: AccessState = emptyAccess();

export interface Access {
  /** The state after a read of the stream's tail that began after this call; concurrent callers share one read. */
  current(): Promise<AccessState>;
  /** The state as far as it is followed; for reads. While an event cannot be decoded, nobody has any access. */
  snapshot(): AccessState;
  /** The same; throws the reason while an event cannot be decoded, as `current` does. */
  readable(): AccessState;
  /** Revision of the last event folded; -1 for none. */
  revision(): number;
  /** Why nobody can act; undefined while the stream can be read. */
  problem(): string | undefined;
  /** Keeps following until aborted; calls back once after each change from then on, also those read meanwhile by `current`. */
  follow(signal: AbortSignal, log: Log, onChange?: (event: AccessEvent) => void): Promise<void>;
}

export function openAccess(store: EventStore): Access {
  const state = emptyAccess();
  let revision = -1;
  /** Set while an event cannot be decoded: what it grants or revokes is not guessed. */
  let problem: string | undefined;
  /** The read under way, and the one that waits for it: whoever asks now needs a read that starts after now. */
  let running: Promise<AccessState> | undefined;
  let next: Promise<AccessState> | undefined;

  const apply = (event: RecordedEvent): boolean => {
    if (event.revision !== revision + 1) return false;
    if (event.undecodable !== undefined) {
      problem = `Nobody can act: event ${event.id} of type ${event.type} in ${ACCESS_STREAM} cannot be read (${event.undecodable}). Install the version of the product that wrote it.`;
      throw new Refusal('UNAVAILABLE', problem, undefined, PROBLEM_RETRY_SECONDS);
    }
    evolveAccess(state, event as unknown as AccessEvent);
    revision = event.revision;
    return true;
  };

  const readTail = async (): Promise<AccessState> => {
    for await (const event of store.read(ACCESS_STREAM, revision + 1)) apply(event);
    return state;
  };

  const start = (): Promise<AccessState> => {
    running = readTail().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    snapshot: () => (problem === undefined ? state : NOBODY),
    readable() {
      if (problem !== undefined) throw new Refusal('UNAVAILABLE', problem, undefined, PROBLEM_RETRY_SECONDS);
      return state;
    },
    revision: () => revision,
    problem: () => problem,
    current() {
      if (!running) return start();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    async follow(signal, log, onChange) {
      /** Revision of the last event that `onChange` knows; `revision` may be later, when a read came first. */
      let reported: number | undefined;
      for (let failures = 0; !signal.aborted; ) {
        try {
          if (reported === undefined) {
            await readTail();
            reported = revision;
          }
          const after = reported < 0 ? null : reported;
          for await (const event of store.subscribeToStream(ACCESS_STREAM, after, signal)) {
            failures = 0;
            apply(event);
            reported = event.revision;
            onChange?.(event as unknown as AccessEvent);
          }
          if (!signal.aborted) log.warn('The store ended the subscription to access-main: subscribing again');
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ err: error }, 'Lost access-main: subscribing again');
        }
        failures += 1;
        await sleep(Math.min(50 * 2 ** failures, 2_000), undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
