/** SQL that lets imports and the row cache commit without waiting for the disk. */

/**
 * A row source for FROM that turns off `synchronous_commit` for the current transaction. A crash of the server before
 * the next synchronous commit can lose the rows of the transaction, so readers must check for missing rows.
 */
export const ASYNC_COMMIT = `(SELECT set_config('synchronous_commit', 'off', true)) AS written_later`;
