/** Broken mappings in more crosswalks than a list of issues shows. */
import { LISTED_PARENTS_MAX } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, draft, newCrosswalk, newDataSet, newSharedCollection, newType } from '../fixtures.ts';
import { type HttpClient, type Json, signInAs } from '../http-client.ts';

let steward: HttpClient;
let collection: number;
let type: number;

beforeAll(async () => {
  steward = await signInAs('steward');
  collection = await newSharedCollection(steward);
  type = await newType(steward);
}, 60_000);

const issuesOf = async (dataSet: number, query = ''): Promise<Json> =>
  done(await steward.get(`/api/reference-data/${dataSet}/integrity${query}`));

describe('mappings to values without a row', () => {
  it(`are counted for all crosswalks, but listed for at most ${LISTED_PARENTS_MAX} crosswalks`, async () => {
    const brokenCrosswalks = LISTED_PARENTS_MAX + 3;
    const from = await newDataSet(steward, type, collection, [{ code: 'a' }]);
    const to = await newDataSet(steward, type, collection, [{ code: 'x' }]);
    // Crosswalks without broken mappings do not count towards the limit.
    const targets = [...Array<string>(brokenCrosswalks).fill('nowhere'), 'x', 'x', 'x'];
    await Promise.all(
      targets.map(async (code) => draft(steward, await newCrosswalk(steward, from, to), [['a', code]])),
    );
    expect(await issuesOf(from)).toMatchObject({
      total: LISTED_PARENTS_MAX,
      counts: { BROKEN_TARGET: brokenCrosswalks },
      unlisted: 3,
    });
    expect(await issuesOf(from, '?kind=BROKEN_SOURCE')).toMatchObject({ total: 0, unlisted: 0 });
  }, 60_000);
});
