/** Shares pages of changes among the streams of the feed, and wakes them when there are more. */
import { EventEmitter, once } from 'node:events';
import type { PostgresNotifications } from '../read-models/postgres-notifications.ts';
import type { ChangePage } from './changes.ts';

export interface SharedPages {
  /** The changes after a seq. */
  after(seq: number): Promise<ChangePage>;
  /** How often streams were woken: unchanged, if no change can have come since. */
  wakes(): number;
  /** Resolves at the next wake; rejects when the signal aborts. */
  nextWake(abort: AbortController): Promise<unknown>;
  wake(): void;
}

export function openSharedPages(
  read: (seq: number) => Promise<ChangePage>,
  notifications: PostgresNotifications,
): SharedPages {
  /** Streams that are up to date wait at the same seq: they share the next page. */
  let pages = new Map<number, Promise<ChangePage>>();
  let wakes = 0;
  const wakeUps = new EventEmitter().setMaxListeners(0);
  const wake = () => {
    wakes += 1;
    pages = new Map();
    wakeUps.emit('wake');
  };
  notifications.on('projected', wake);
  notifications.onConnected(wake);
  return {
    async after(seq) {
      const reading = pages.get(seq) ?? read(seq);
      pages.set(seq, reading);
      const page = await reading;
      // A full page is of the past, where other streams are unlikely to be.
      if (page.isFull) pages.delete(seq);
      return page;
    },
    wakes: () => wakes,
    nextWake: (abort) => once(wakeUps, 'wake', abort),
    wake,
  };
}
