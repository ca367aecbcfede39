/** Signs in users and relates data sets, for tests of graphs. */
import { beforeAll } from 'vitest';
import { done, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

export let admin: HttpClient;
export let steward: HttpClient;
export let approver: HttpClient;
export let viewer: HttpClient;
export let collection: number;
export let type: number;

export const relate = async (sourceDataSetId: number, targetDataSetId: number): Promise<number> =>
  done(
    await steward.post('/api/relationships', {
      name: uniqueName('Relationship'),
      sourceDataSetId,
      targetDataSetId,
      sourceField: 'code',
      targetField: 'code',
    }),
  ).id;

export const idsOf = (nodes: Json[]): number[] => nodes.map(({ id }) => id).sort((a, b) => a - b);

/** Signs users in and creates a collection and a type before the tests of a file. */
export function prepareGraphs(): void {
  beforeAll(async () => {
    [admin, steward, approver, viewer] = await Promise.all([
      signInAs('admin'),
      signInAs('steward'),
      signInAs('approver'),
      signInAs('viewer'),
    ]);
    collection = await newSharedCollection(steward);
    type = await newType(steward);
  }, 60_000);
}
