/** Loads the registered purges, then subscribes to the log after a checkpoint and numbers its events. */
import { isMark, type LogMark, numberLog } from '@rdm/platform';
import type { Checkpoint } from './checkpoint.ts';
import { type NumberedEvent, toNumberedEvent } from './numbered-event.ts';
import type { Term } from './term.ts';

/** Yields the numbered events, the entries that replace purged events, and the marks. Throws InvalidManifest. */
export async function* subscribeNumbered(
  { store, purged }: Pick<Term, 'store' | 'purged'>,
  after: Checkpoint,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent | LogMark> {
  await purged.load();
  for await (const item of numberLog(store.subscribeToAll(after.position, signal), purged, after)) {
    yield isMark(item) ? item : toNumberedEvent(item);
  }
}
