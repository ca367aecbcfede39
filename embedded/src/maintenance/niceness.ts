/**
 * The niceness of backups: interactive work has priority over them. With a lower priority they would not end on a busy machine.
 */
export const NICENESS = 10;
