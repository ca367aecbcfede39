/** Translations that are not counted because the caller sends record=false. */
import { describe, expect, it } from 'vitest';
import { newKey } from '../api-key-client.ts';
import { done } from '../fixtures.ts';
import type { HttpClient, Json } from '../http-client.ts';
import {
  admin,
  approvedCrosswalk,
  approver,
  collectionId,
  prepareTranslations,
  readTargets,
  steward,
  viewer,
} from '../translation-requests.ts';

prepareTranslations();

describe('a translation', () => {
  it('is not counted with record=false', async () => {
    const { id } = await approvedCrosswalk([['de', 'DEU']]);
    const { client: system } = await newKey(admin, [[collectionId, 'translate']]);
    const path = `/api/crosswalks/${id}/translate`;
    const translateUnrecorded = async (caller: HttpClient, prefix: string): Promise<string[]> => {
      expect(done(await caller.get(`${path}?value=${prefix}-get&record=false`)).results).toEqual([]);
      const values = ['de', `${prefix}-post`];
      const [de, unknown] = done(await caller.post(`${path}?record=false`, { values }));
      expect(unknown.results).toEqual([]);
      return de.results.map((each: Json) => each.targetValue);
    };
    expect(await readTargets(approver, id, 'value=de')).toEqual(['DEU']);
    for (const round of [1, 2]) {
      expect(await translateUnrecorded(viewer, `person${round}`)).toEqual(['DEU']);
      expect(await translateUnrecorded(system, `key${round}`)).toEqual(['DEU']);
    }
    // Missing mappings are recorded in order: when these two are listed, earlier ones would be listed too.
    done(await system.get(`${path}?value=recorded&record=true`));
    done(await system.post(path, { values: ['recorded by default'] }));
    const { body } = await steward.eventually(
      `/api/missing-mappings?crosswalkId=${id}`,
      ({ body }) => body.items.length > 1,
    );
    expect(body.items.map((item: Json) => item.sourceValue).sort()).toEqual(['recorded', 'recorded by default']);
    // Of the requests for the mapped value, only the two requests of `readTargets` are counted.
    expect(await readTargets(approver, id, 'value=de')).toEqual(['DEU']);
    await steward.eventually(
      `/api/crosswalks/${id}/mappings`,
      ({ body }) => body.items.length === 1 && body.items[0].impact?.requests === 2,
    );
  });
});
