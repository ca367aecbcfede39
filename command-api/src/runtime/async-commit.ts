/** Statements of an import that need not wait for the disk, because a later commit that does is what counts. */

/**
 * A source of rows for a statement of its own transaction: its commit is not flushed at once. A commit that waits makes
 * everything before it last, too; whoever relies on it there looks whether all of it is there, for the server may have
 * crashed in between.
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS written_later`;
