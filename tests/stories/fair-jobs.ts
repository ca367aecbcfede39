/** Creates collections that two users write to, and checks whether jobs are running. */
import { done, newCollection, userIds } from './fixtures.ts';
import type { HttpClient } from './http-client.ts';

export const ROWS = 15_000;

export async function newWritableCollection(steward: HttpClient): Promise<number> {
  const { approver } = await userIds(steward);
  return newCollection(steward, [{ entityType: 'user', entityId: approver, permissionLevel: 'WRITE' }]);
}

export const isRunning = async (person: HttpClient, jobId: number): Promise<boolean> => {
  const { status } = done(await person.get(`/api/jobs/${jobId}`));
  return status === 'PENDING' || status === 'IN_PROGRESS';
};
