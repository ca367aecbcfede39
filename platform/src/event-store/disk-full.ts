/** The message of the embedded event store for appends while its disk is full; clients recognise it. */
export const DISK_FULL = 'The event store takes no appends because its disk is full';
