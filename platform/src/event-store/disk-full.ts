/** The words by which the embedded event store refuses appends, and clients recognise it, while its disk is full. */
export const DISK_FULL = 'The event store takes no appends because its disk is full';
