/** Who may do what, as the log says it: follows `access-main`, so that a revocation bites at once. */
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

interface Folded {
  state: AccessState;
  /** Of the last event folded; -1 for none. */
  revision: number;
  lastId: string | undefined;
}

export function openAccess(store: EventStore): Access {
  let folded: Folded = { state: emptyAccess(), revision: -1, lastId: undefined };
  /** Set while an event cannot be decoded: what it grants or revokes is not guessed. */
  let problem: string | undefined;
  /** The read under way, and the one that waits for it: whoever asks now needs a read that starts after now. */
  let running: Promise<AccessState> | undefined;
  let next: Promise<AccessState> | undefined;
  /** Revision at the end of the first read that found something: whoever was let in since then hears of what follows. */
  let begun: number | undefined;

  const apply = (event: RecordedEvent, to = folded): void => {
    if (event.revision !== to.revision + 1) return;
    if (event.undecodable !== undefined) {
      problem = `Nobody can act: event ${event.id} of type ${event.type} in ${ACCESS_STREAM} cannot be read (${event.undecodable}). Install the version of the product that wrote it.`;
      throw new Refusal('UNAVAILABLE', problem, undefined, PROBLEM_RETRY_SECONDS);
    }
    evolveAccess(to.state, event as unknown as AccessEvent);
    to.revision = event.revision;
    to.lastId = event.id;
  };

  /** Reads from the last event that was folded: if that is another one, so is the log, and all of it is folded anew. */
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
      // A read that was cut short has let people in as well.
      if (folded.revision >= 0) begun ??= folded.revision;
    }
    // What a subscription folded meanwhile was behind the event that this read began with.
    if (!isSame && folded.revision === revision) await foldAnew();
    return folded.state;
  };

  const foldAnew = async (): Promise<void> => {
    const anew: Folded = { state: emptyAccess(), revision: -1, lastId: undefined };
    for await (const event of store.read(ACCESS_STREAM)) apply(event, anew);
    folded = anew;
  };

  const start = (): Promise<AccessState> => {
    running = readTail().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    snapshot: () => (problem === undefined ? folded.state : NOBODY),
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
      /** Revision of the last event that `onChange` knows; `revision` may be later, when a read came first. */
      let reported: number | undefined;
      const subscribe = async (progressed: () => void) => {
        await readTail();
        // Another copy of the log may be shorter: what it holds behind its end is reported when it comes.
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
