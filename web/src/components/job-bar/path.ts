/** The path of a job in the monitor. */
export const monitorPath = (jobId: number): string => `/monitor?job=${jobId}`;
