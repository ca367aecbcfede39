/** SQL for statements that commit without waiting for the disk: of imports and of the row cache. */

/**
 * A row source for FROM that turns off `synchronous_commit` for the transaction of its statement. A later synchronous
 * commit also flushes these rows. Code that depends on these rows must check that none is missing, because the server
 * may crash before the flush.
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS written_later`;
