/** Shares pages of changes among the streams of the feed, and wakes the streams when there are new changes. */
import { EventEmitter, once } from 'node:events';
import type { PostgresNotifications } from '../read-models/postgres-notifications.ts';
import type { ChangePage } from './changes.ts';

export interface SharedPages {
  /** Returns a page of the changes after a seq. */
  after(seq: number): Promise<ChangePage>;
  /** The number of wakes so far. An unchanged number means that no notification of new changes has arrived. */
  wakes(): number;
  /** Resolves at the next wake; rejects when the signal aborts. */
  nextWake(abort: AbortController): Promise<unknown>;
  /** Wakes the streams without a notification, because notifications can be lost. */
  wake(): void;
}

export function openSharedPages(
  read: (seq: number) => Promise<ChangePage>,
  notifications: PostgresNotifications,
): SharedPages {
  /** Pages by the seq that they start after. Up-to-date streams wait at the same seq, so they share the next page. */
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
      // A full page belongs to a stream that is behind, so other streams are unlikely to need the page.
      if (page.isFull) pages.delete(seq);
      return page;
    },
    wakes: () => wakes,
    nextWake: (abort) => once(wakeUps, 'wake', abort),
    wake,
  };
}
