/**
 * The niceness of the maintenance process, and of a restore while the product serves: requests of users have priority.
 * At a higher niceness, a backup would never end on a busy machine.
 */
export const NICENESS = 10;
