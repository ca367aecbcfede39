/** The users who may decide the submissions of a steward. */
import { beforeAll, expect, it } from 'vitest';
import { done, newCollection, newCrosswalk, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, signInAs } from './http-client.ts';

let steward: HttpClient;

beforeAll(async () => {
  steward = await signInAs('steward');
});

it('the approvers of a crosswalk must be able to read the target', async () => {
  const typeId = await newType(steward);
  const shared = await newSharedCollection(steward);
  const rows = [{ code: 'a', name: 'a' }];
  const source = await newDataSet(steward, typeId, shared, rows);
  const approversOf = async (collectionId: number) => {
    const target = await newDataSet(steward, typeId, collectionId, rows);
    const id = await newCrosswalk(steward, source, target);
    return done(await steward.get(`/api/approvals/approvers?kind=crosswalk&id=${id}`)).approvers;
  };
  expect(await approversOf(shared)).toContain('Ada Approver');
  expect(await approversOf(await newCollection(steward))).not.toContain('Ada Approver');
});
