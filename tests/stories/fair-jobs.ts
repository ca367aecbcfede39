/** Creates collections that two users can write to, and checks whether a job is pending or running. */
import { done, newCollection, userIds } from './fixtures.ts';
import type { HttpClient } from './http-client.ts';

/** The number of rows of a long import. */
export const ROWS = 15_000;

/** Creates a collection of the steward with WRITE for the approver. */
export async function newWritableCollection(steward: HttpClient): Promise<number> {
  const { approver } = await userIds(steward);
  return newCollection(steward, [{ entityType: 'user', entityId: approver, permissionLevel: 'WRITE' }]);
}

export const isPendingOrRunning = async (person: HttpClient, jobId: number): Promise<boolean> => {
  const { status } = done(await person.get(`/api/jobs/${jobId}`));
  return status === 'PENDING' || status === 'IN_PROGRESS';
};
