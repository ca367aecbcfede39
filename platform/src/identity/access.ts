/** The access state: folds `access-main` of the log, so that a revocation takes effect at once. */
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

/** An operator must act first. */
const PROBLEM_RETRY_SECONDS = 30;
const NO_ACCESS: AccessState = emptyAccess();

export interface Access {
  /** The state after a read of the stream's tail that began after this call; concurrent callers share one read. */
  current(): Promise<AccessState>;
  /** The state as followed so far; for reads. While an event cannot be decoded, no user has any access. */
  snapshot(): AccessState;
  /** Like `snapshot`, but throws the reason while an event cannot be decoded, as `current` does. */
  readable(): AccessState;
  /** Revision of the last event folded; -1 for none. */
  revision(): number;
  /** Why no user can act; undefined while the stream can be decoded. */
  problem(): string | undefined;
  /** Follows the stream until aborted; reports each later change once, including those that `current` read meanwhile. */
  follow(signal: AbortSignal, log: Log, onChange?: (event: AccessEvent) => void): Promise<void>;
}

interface FoldedAccess {
  state: AccessState;
  /** Of the last event folded; -1 for none. */
  revision: number;
  lastId: string | undefined;
}

export function openAccess(store: EventStore): Access {
  let folded: FoldedAccess = { state: emptyAccess(), revision: -1, lastId: undefined };
  /** Set while an event cannot be decoded: its grants and revocations are unknown. */
  let problem: string | undefined;
  /** The current read, and the next one that waits for it: a caller needs a read that starts after its call. */
  let running: Promise<AccessState> | undefined;
  let next: Promise<AccessState> | undefined;
  /** Revision at the end of the first read that found events: users may have signed in since, so later changes are reported. */
  let begun: number | undefined;

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

  /**
   * Reads from the last folded event: if another event is in its place, the log is another one, and is folded from the start.
   */
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
      // A read that was cut short has let users in as well.
      if (folded.revision >= 0) begun ??= folded.revision;
    }
    // Events that a subscription folded meanwhile come after the event that this read began with.
    if (!isSame && folded.revision === revision) await foldFromStart();
    return folded.state;
  };

  const foldFromStart = async (): Promise<void> => {
    const fresh: FoldedAccess = { state: emptyAccess(), revision: -1, lastId: undefined };
    for await (const event of store.read(ACCESS_STREAM)) apply(event, fresh);
    folded = fresh;
  };

  const start = (): Promise<AccessState> => {
    running = readTail().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    snapshot: () => (problem === undefined ? folded.state : NO_ACCESS),
    readable() {
      if (problem !== undefined) throw new Refusal('UNAVAILABLE', problem, undefined, PROBLEM_RETRY_SECONDS);
      return folded.state;
    },
    revision: () => folded.revision,
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
      /** Revision of the last reported event; `revision` may be later if a read came first. */
      let reported: number | undefined;
      const subscribe = async (progressed: () => void) => {
        await readTail();
        // Another copy of the log may be shorter: events behind its end are reported when they are appended.
        reported = Math.min(reported ?? begun ?? folded.revision, folded.revision);
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
