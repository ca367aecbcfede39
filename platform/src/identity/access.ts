/** Folds the access state from the stream `access-main` of the log, so that a revocation takes effect at once. */
import {
  ACCESS_STREAM,
  type AccessEvent,
  type AccessState,
  emptyAccess,
  evolveAccess,
  type RecordedEvent,
  Refusal,
} from '@rdm/contracts';
import type { EventStore } from '../event-store/event-store.ts';
import { keepSubscribed } from '../event-store/keep-subscribed.ts';
import type { Log } from '../service/log.ts';

/** `Retry-After` in seconds while an operator must act. */
const PROBLEM_RETRY_SECONDS = 30;
const NO_ACCESS: AccessState = emptyAccess();

export interface Access {
  /**
   * Returns the state after a read of new events that began at `since`, a time of `performance.now()`, or later.
   * Callers share reads.
   */
  current(since?: number): Promise<AccessState>;
  /** Returns the state folded so far, for reads. After an event that cannot be decoded, no user has any access. */
  snapshot(): AccessState;
  /** Like `snapshot`, but throws the reason after an event that cannot be decoded. */
  readable(): AccessState;
  /** The revision of the last folded event; -1 if there is none. */
  revision(): number;
  /** Why no user can act; undefined if each event so far could be decoded. */
  problem(): string | undefined;
  /**
   * Follows the stream until the signal aborts. Reports each event after the first read that found events, exactly
   * once.
   */
  follow(signal: AbortSignal, log: Log, onChange?: (event: AccessEvent) => void): Promise<void>;
}

interface FoldedAccess {
  state: AccessState;
  /** The revision of the last folded event; -1 if there is none. */
  revision: number;
  lastId: string | undefined;
}

export function openAccess(store: EventStore): Access {
  let folded: FoldedAccess = { state: emptyAccess(), revision: -1, lastId: undefined };
  /** Set when an event cannot be decoded: the grants are then unknown. Only a restart clears the problem. */
  let problem: string | undefined;
  /** The current read; `next` is the read that waits for it. */
  let running: { readonly begunAt: number; readonly state: Promise<AccessState> } | undefined;
  let next: Promise<AccessState> | undefined;
  /** When the last successful read began. */
  let readAt = Number.NEGATIVE_INFINITY;
  /** The revision after the first read that found events. Later events are reported: users can have signed in since. */
  let firstRevision: number | undefined;

  const apply = (event: RecordedEvent, to = folded): void => {
    if (event.revision !== to.revision + 1) return;
    if (event.undecodable !== undefined) {
      problem = `No user can act: event ${event.id} of type ${event.type} in ${ACCESS_STREAM} cannot be read (${event.undecodable}). Install the version of the product that wrote it.`;
      throw new Refusal('UNAVAILABLE', problem, undefined, PROBLEM_RETRY_SECONDS);
    }
    evolveAccess(to.state, event as unknown as AccessEvent);
    to.revision = event.revision;
    to.lastId = event.id;
  };

  /** Reads from the last folded event on. If the log lacks this event, the log was replaced: folds from the start. */
  const readTail = async (): Promise<AccessState> => {
    const { revision, lastId } = folded;
    let isSame = revision < 0;
    try {
      for await (const event of store.read(ACCESS_STREAM, Math.max(revision, 0))) {
        if (event.revision === revision && event.id === lastId) isSame = true;
        if (!isSame) break;
        apply(event);
      }
    } finally {
      // An interrupted read counts too: users can sign in with the events that it folded.
      if (folded.revision >= 0) firstRevision ??= folded.revision;
    }
    // If the subscription has folded further events meanwhile, the log was not replaced.
    if (!isSame && folded.revision === revision) await foldFromStart();
    return folded.state;
  };

  const foldFromStart = async (): Promise<void> => {
    const fresh: FoldedAccess = { state: emptyAccess(), revision: -1, lastId: undefined };
    for await (const event of store.read(ACCESS_STREAM)) apply(event, fresh);
    folded = fresh;
  };

  const start = (): Promise<AccessState> => {
    const begunAt = performance.now();
    const state = readTail()
      .then((read) => {
        readAt = begunAt;
        return read;
      })
      .finally(() => {
        running = undefined;
      });
    running = { begunAt, state };
    return state;
  };

  return {
    snapshot: () => (problem === undefined ? folded.state : NO_ACCESS),
    readable() {
      if (problem !== undefined) throw new Refusal('UNAVAILABLE', problem, undefined, PROBLEM_RETRY_SECONDS);
      return folded.state;
    },
    revision: () => folded.revision,
    problem: () => problem,
    async current(since = performance.now()) {
      if (readAt >= since) return folded.state;
      if (!running) return start();
      if (running.begunAt >= since) return running.state;
      next ??= running.state
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    async follow(signal, log, onChange) {
      /** The revision of the last reported event. `folded.revision` is higher if `current` has read further events. */
      let reported: number | undefined;
      const subscribe = async (progressed: () => void) => {
        await readTail();
        // The log may have been replaced by a shorter copy, whose next events must be reported.
        reported = Math.min(reported ?? firstRevision ?? folded.revision, folded.revision);
        const after = reported < 0 ? null : reported;
        for await (const event of store.subscribeToStream(ACCESS_STREAM, after, signal)) {
          apply(event);
          progressed();
          reported = event.revision;
          onChange?.(event as unknown as AccessEvent);
        }
        return undefined;
      };
      await keepSubscribed(subscribe, { signal, log, to: ACCESS_STREAM });
    },
  };
}
