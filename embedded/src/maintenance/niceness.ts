/**
 * The niceness of backups, which gives priority to requests of users. At a higher niceness, a backup would never end on
 * a busy machine.
 */
export const NICENESS = 10;
