/** Holds the end of the log against what was projected: a log that lost its last events uses their positions again. */
import { type LogPosition, type Queryable, transaction } from '@rdm/platform';
import { type Checkpoint, holdReader, readReader } from './checkpoint.ts';
import { BEGIN, type Term, untilItWorks } from './reader.ts';

/** Thrown when the log ends before the reader's checkpoint: nothing is projected until an operator has decided. */
export class ShortenedLog extends Error {
  constructor(end: bigint, projected: bigint) {
    super(
      `The event log ends with the event at position ${end}, but the read models hold events up to position ${projected}. ` +
        `Put the missing events back, or start once with ACCEPT_LOG_END=${end} to rebuild the read models from the log as it is.`,
    );
    this.name = 'ShortenedLog';
  }
}

/** Throws when the log ends before the checkpoint. */
export async function requireLogEnd(term: Term, { position }: Checkpoint): Promise<void> {
  const end = endOf(await untilItWorks(term, () => term.store.head()));
  if (position !== null && end < position.commit) throw new ShortenedLog(end, position.commit);
}

/** The same before a term begins, unless an operator accepts exactly this end: then all read models begin anew. */
export async function acceptLogEnd(term: Term, accepted: bigint | undefined): Promise<void> {
  try {
    await requireLogEnd(term, await untilItWorks(term, () => readReader(term.writer)));
  } catch (error) {
    if (!(error instanceof ShortenedLog) || accepted === undefined) throw error;
    const end = endOf(await untilItWorks(term, () => term.store.head()));
    if (end !== accepted) throw error;
    await transaction(term.writer, (db) => beginAnew(db, term, end), BEGIN);
    term.log.warn({ end: String(end) }, 'The end of the log was accepted: all read models are built anew');
  }
}

const endOf = (head: LogPosition | null): bigint => head?.commit ?? 0n;

/** Forgets what was projected, and whatever else names positions or revisions that the log will use again. */
async function beginAnew(db: Queryable, { token }: Term, end: bigint): Promise<void> {
  await holdReader(db, token);
  await db.query(
    `INSERT INTO platform.log_losses (lost_after, lost_up_to) SELECT $1, commit_position FROM platform.reader`,
    [String(end)],
  );
  await db.query(`
    UPDATE platform.builds SET serving = false, state = 'RETIRED', retired_at = now() WHERE state <> 'RETIRED';
    DELETE FROM platform.instants;
    DELETE FROM platform.live_changes;
    -- Another log, as far as readers of the change feed are concerned: their places in it are void.
    UPDATE platform.reader SET seq = 0, commit_position = '0', prepare_position = '0', at = '-infinity',
           log_id = gen_random_uuid();
    -- They name rows by their revisions.
    DELETE FROM platform.selections;
    -- Rows that the command side keeps may hold lost events.
    TRUNCATE cache.streams, cache.rows;
    -- The relay appends those again that are not in the log.
    UPDATE identity.outbox SET sent_at = NULL WHERE sent_at IS NOT NULL;`);
  // Their effect is lost: whoever repeats one shall have it again.
  await db.query('DELETE FROM command.commands WHERE position IS NOT NULL AND position::numeric > $1', [String(end)]);
}
