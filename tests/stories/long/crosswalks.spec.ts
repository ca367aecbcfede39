/** Counts of translation requests for each value, and requests with many unknown values. */
import { describe, expect, it } from 'vitest';
import {
  approvedCrosswalk,
  approver,
  prepareCrosswalkEnds,
  steward,
  translate,
  viewer,
} from '../approved-crosswalks.ts';
import { done, rowsOf } from '../fixtures.ts';

prepareCrosswalkEnds();

describe('a crosswalk', () => {
  it('reports the number of requests for a value, on the mapping and in the list of approvals', async () => {
    const { id, rows } = await approvedCrosswalk([['de', 'DEU']]);
    for (let turn = 0; turn < 3; turn++) await translate(viewer, id, 'de');
    const counted = await viewer.eventually(
      `/api/crosswalks/${id}/mappings?tab=approved`,
      ({ body }) => body.items[0]?.impact.requests === 3,
    );
    expect(counted.body.items[0].impact.lastRequestedAt).not.toBeNull();
    const mappings = `/api/crosswalks/${id}/mappings`;
    const edited = rowsOf(
      done(await steward.patch(mappings, { rows: rows.map((row) => ({ ...row, targetValue: 'XXX' })) })),
    );
    done(await steward.post(`${mappings}/submit`, { rows: edited }));
    const filter = encodeURIComponent(
      JSON.stringify({ conditions: [{ field: 'parentId', operator: 'equals', value: id }] }),
    );
    const pendingItems = await approver.eventually(
      `/api/approvals?tab=review&filter=${filter}`,
      ({ body }) => body.items.length === 1,
    );
    expect(pendingItems.body.items[0].impact).toMatchObject({ requests: 3 });
  });

  it('stores all unknown values of a request with many long values', async () => {
    const { id } = await approvedCrosswalk([['de', 'DEU']]);
    const values = Array.from({ length: 2_000 }, (_, index) => `nowhere ${index} ${'x'.repeat(1_000)}`);
    done(await viewer.post(`/api/crosswalks/${id}/translate`, { values }));
    await steward.eventually(`/api/missing-mappings?crosswalkId=${id}`, ({ body }) => body.total === values.length);
  });
});
