/** Tests commands over several missing mappings, by ids and by selections. */
import { describe, expect, it } from 'vitest';
import { done } from '../fixtures.ts';
import type { Json } from '../http-client.ts';
import {
  createServedCrosswalk,
  ignore,
  listPath,
  outcomes,
  prepareCrosswalks,
  recordMissing,
  reopen,
  steward,
  viewer,
} from '../missing-mapping-requests.ts';

prepareCrosswalks();

describe('several missing mappings', () => {
  const select = (selection: Json) => steward.post('/api/selections', { kind: 'missing-mappings', ...selection });

  it('are ignored again with their former comments after a reopening', async () => {
    const id = await createServedCrosswalk();
    const [sunk, mistyped, fresh] = [
      await recordMissing(id, 'Atlantis'),
      await recordMissing(id, 'Grece'),
      await recordMissing(id, 'Rom'),
    ];
    done(await ignore({ ids: [sunk.id], comment: 'it sank' }));
    done(await ignore({ ids: [mistyped.id], comment: 'a typing error' }));
    const ids = [sunk.id, mistyped.id];
    expect(done(await reopen({ ids })).done).toBe(2);
    const ignoredAgain = done(
      await steward.post('/api/missing-mappings/ignore', { ids: [...ids, fresh.id], again: true }),
    );
    expect(outcomes(ignoredAgain)).toEqual([
      [sunk.id, 'done', undefined],
      [mistyped.id, 'done', undefined],
      [fresh.id, 'refused', 'NO_REASON'],
    ]);
    expect(done(await steward.get(listPath(id, '&ignored=true&sort=id'))).items).toMatchObject([
      { id: sunk.id, ignoreReason: 'it sank' },
      { id: mistyped.id, ignoreReason: 'a typing error' },
    ]);
  });

  it('are frozen in a selection, without missing mappings that are recorded later', async () => {
    const id = await createServedCrosswalk();
    const values = Array.from({ length: 60 }, (_, place) => `Atlantis ${place}`);
    done(await viewer.post(`/api/crosswalks/${id}/translate`, { values: [...values, 'Holland'] }));
    await steward.eventually(listPath(id), ({ body }) => body.total === 61);
    const selection = await select({ parentId: id, q: 'atlantis' });
    expect(selection).toMatchObject({ status: 201, body: { count: 60, parents: [id] } });
    await recordMissing(id, 'Atlantis60');
    const { selectionId } = selection.body;
    // The pages send a large selection in chunks, each with its start in `from`.
    expect(done(await ignore({ selectionId, from: 50 }))).toMatchObject({ done: 10, refused: 0 });
    expect(done(await ignore({ selectionId }))).toMatchObject({ done: 50, refused: 10 });
    const remaining = done(await steward.get(listPath(id))).items.map(({ sourceValue }: Json) => sourceValue);
    expect(remaining.toSorted()).toEqual(['Atlantis60', 'Holland']);
    const ignored = await select({ parentId: id, tab: 'ignored' });
    expect(ignored.body.count).toBe(60);
    expect((await ignore({ selectionId: ignored.body.selectionId })).body.done).toBe(0);
    expect(done(await reopen({ selectionId: ignored.body.selectionId })).done).toBe(60);
    expect(done(await steward.get(listPath(id))).total).toBe(62);
    expect((await select({ tab: 'approved' })).status).toBe(400);
  });
});
