/** SQL for import statements that commit without waiting for the disk. */

/**
 * A row source that turns off `synchronous_commit` for the transaction of its statement. A later synchronous commit
 * also flushes all earlier ones; code that depends on those rows must check that none is missing, because the server
 * may have crashed in between.
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS written_later`;
