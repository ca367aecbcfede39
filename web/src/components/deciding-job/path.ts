/** Where a job is watched. */
export const monitorPath = (jobId: number): string => `/monitor?job=${jobId}`;
