/** Reading as of a time before something was made: told so, to whoever may see it today. */
import { describe, expect, it } from 'vitest';
import { signedIn } from './person.ts';
import { done, newCollection, newCrosswalk, newDataSet, newType } from './world.ts';

describe('a thing that was made later', () => {
  it('did not exist yet as of a time before, for those who may see it today', async () => {
    const [steward, viewer] = await Promise.all([signedIn('steward'), signedIn('viewer')]);
    const before = `asOf=${encodeURIComponent(new Date(Date.now() - 60_000).toISOString())}`;
    const collectionId = await newCollection(steward);
    const typeId = await newType(steward);
    const dataSetId = await newDataSet(steward, typeId, collectionId, [{ code: 'de' }]);
    const crosswalkId = await newCrosswalk(steward, dataSetId, await newDataSet(steward, typeId, collectionId));
    const [row] = done(await steward.get(`/api/reference-data/${dataSetId}/instances`)).items;
    const words = (error: string) => ({ status: 404, body: { code: 'NOT_FOUND', error } });
    const paths = [
      `/api/reference-types/${typeId}?`,
      `/api/collections/${collectionId}?`,
      `/api/reference-data/${dataSetId}?`,
      `/api/reference-data/${dataSetId}/instances?`,
      `/api/reference-data/${dataSetId}/instances/${row.id}?`,
      `/api/reference-data/${dataSetId}/export?`,
      `/api/reference-data/${dataSetId}/graph?`,
      `/api/crosswalks/${crosswalkId}?`,
      `/api/crosswalks/${crosswalkId}/mappings?`,
      `/api/crosswalks/${crosswalkId}/translate?value=de&`,
    ];
    for (const path of paths) {
      expect(await steward.get(`${path}${before}`), path).toMatchObject(words('This did not exist yet at that time'));
    }
    // Nobody is told by it of what they may not see, nor of what there never was.
    expect(await viewer.get(`/api/reference-data/${dataSetId}?${before}`)).toMatchObject(words('Not found'));
    expect(await steward.get(`/api/crosswalks/999999?${before}`)).toMatchObject(words('Not found'));
  });
});
