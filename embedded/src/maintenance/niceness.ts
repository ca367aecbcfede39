/** Interactive work has priority over backups; with a lower one they would not end on a machine that is always busy. */
export const NICENESS = 10;
