/** Checks that the log contains the last projected event. An older copy gives positions of lost events to new ones. */
import { type LogPosition, type Queryable, transaction } from '@rdm/platform';
import { type Checkpoint, type LastEvent, lockReader, readReaderState } from './checkpoint.ts';
import { BEGIN, retryUntilSuccess, type Term } from './term.ts';

/** Thrown when the log lacks projected events: nothing is projected until an operator decides. */
export class LogMismatch extends Error {
  constructor(problem: string, head: LogPosition | null) {
    super(
      head === null
        ? `${problem}. Set EVENTSTORE_URL to the event store that has these events, put the log back, or start once with ACCEPT_LOG_END=0 to continue without them.`
        : `${problem}. Put back the log from which the read models were built, or start once with ACCEPT_LOG_END=${head.commit} to rebuild the read models from the current log.`,
    );
    this.name = 'LogMismatch';
  }
}

/** Throws LogMismatch when the log ends before the checkpoint or lacks the last projected event. */
export async function requireSameLog(term: Term, { position }: Checkpoint): Promise<void> {
  const head = await retryUntilSuccess(term, () => term.store.head());
  const end = endPosition(head);
  if (position !== null && end < position.commit) {
    const log = head === null ? 'is empty' : `ends with the event at position ${end}`;
    const problem = `The event log ${log}, but the read models hold events up to position ${position.commit}`;
    throw new LogMismatch(problem, head);
  }
  const { lastEvent } = await retryUntilSuccess(term, () => readReaderState(term.writer));
  if (lastEvent && !(await retryUntilSuccess(term, () => isInLogOrRemoved(term, lastEvent)))) {
    const { id, stream, revision } = lastEvent;
    const problem = `The event log lacks event ${id}, revision ${revision} of ${stream}, which the read models hold: it is another copy`;
    throw new LogMismatch(problem, head);
  }
}

/** Whether the log contains an event, or lacks it because of a purge, a scavenge, or the deletion of its stream. */
async function isInLogOrRemoved({ store, purged }: Term, { id, stream, revision }: LastEvent): Promise<boolean> {
  await purged.load();
  if (purged.purgeOf(stream, revision) !== undefined) return true;
  try {
    for await (const event of store.read(stream, revision, 1)) {
      // After a scavenge, the first remaining event may be later than the requested event.
      return event.id === id || event.revision > revision;
    }
  } catch (error) {
    if (!(await store.isDeleted(stream))) throw error;
  }
  return store.isDeleted(stream);
}

/**
 * Checks the log before a term begins. If the log lacks projected events, and the operator has accepted the end of the
 * log, resets all read models.
 */
export async function acceptLogEnd(term: Term, accepted: bigint | undefined): Promise<void> {
  try {
    await requireSameLog(term, await retryUntilSuccess(term, () => readReaderState(term.writer)));
  } catch (error) {
    if (!(error instanceof LogMismatch)) throw error;
    const end = endPosition(await retryUntilSuccess(term, () => term.store.head()));
    if (end !== accepted) throw error;
    await transaction(term.writer, (db) => resetReadModels(db, term, end), BEGIN);
    term.log.warn({ end: String(end) }, 'The end of the log was accepted: all read models are rebuilt');
  }
}

const endPosition = (head: LogPosition | null): bigint => head?.commit ?? 0n;

/** Resets everything projected, and all other data that refers to positions or revisions that the log will reuse. */
async function resetReadModels(db: Queryable, { token }: Term, end: bigint): Promise<void> {
  await lockReader(db, token);
  await db.query(
    `INSERT INTO platform.log_losses (lost_after, lost_up_to) SELECT $1, commit_position FROM platform.reader`,
    [String(end)],
  );
  await db.query(`
    UPDATE platform.builds SET serving = false, state = 'RETIRED', retired_at = now() WHERE state <> 'RETIRED';
    DELETE FROM platform.instants;
    DELETE FROM platform.live_changes;
    -- The log gets a new id, so that the cursors of readers of the change feed are refused.
    UPDATE platform.reader SET seq = 0, complete = false, commit_position = '0', prepare_position = '0', at = '-infinity',
           log_id = gen_random_uuid(), last_event = NULL;
    -- Selections contain revisions of rows, which the log will reuse.
    DELETE FROM platform.selections;
    -- The cached rows of command-api may contain lost events.
    TRUNCATE cache.streams, cache.rows;
    -- The outbox relay appends again the facts that the log lacks.
    UPDATE identity.outbox SET sent_at = NULL WHERE sent_at IS NOT NULL;`);
  // The effect of these commands is lost: a repeated command must be executed again.
  await db.query('DELETE FROM command.commands WHERE position IS NOT NULL AND position::numeric > $1', [String(end)]);
}
