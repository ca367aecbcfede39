/** A translation uses only approved mappings, names the approving events, and can be repeated for any past time. */
import { describe, expect, it } from 'vitest';
import { newKey } from './api-key-client.ts';
import { done, newCrosswalk, rowsOf } from './fixtures.ts';
import type { HttpClient, Json } from './http-client.ts';
import {
  admin,
  approve,
  approvedCrosswalk,
  approver,
  collectionId,
  prepareTranslations,
  readTargets,
  source,
  steward,
  submit,
  target,
  translate,
  viewer,
} from './translation-requests.ts';

prepareTranslations();

/** Returns a time between all earlier and all later events. */
async function newInstant(): Promise<string> {
  const now = Date.now() + 1;
  while (Date.now() <= now) await new Promise((resolve) => setImmediate(resolve));
  return new Date(now).toISOString();
}

describe('a translation', () => {
  it('returns the approved values, now and as of an earlier time', async () => {
    const { id, rows } = await approvedCrosswalk([['de', 'DEU']]);
    const mappings = `/api/crosswalks/${id}/mappings`;
    const translations: { at: string; expected: string[] }[] = [];
    const expectTargets = async (person: HttpClient, expected: string[]) => {
      expect(await readTargets(person, id, 'value=de')).toEqual(expected);
      translations.push({ at: await newInstant(), expected });
    };
    await expectTargets(approver, ['DEU']);
    const edited = rowsOf(
      done(await steward.patch(mappings, { rows: rows.map((row) => ({ ...row, targetValue: 'XXX' })) })),
    );
    const submitted = await submit(id, edited);
    await expectTargets(steward, ['DEU']);
    const approved = await approve(id, submitted);
    await expectTargets(approver, ['XXX']);
    done(await approver.post(`${mappings}/revoke`, { rows: approved, comment: 'no such code' }));
    await expectTargets(approver, []);
    for (const { at, expected } of translations) {
      expect(await readTargets(viewer, id, `value=de&asOf=${at}`), at).toEqual(expected);
    }
    const [answer] = done(
      await viewer.post(`/api/crosswalks/${id}/translate?asOf=${translations[1]?.at}`, { values: ['de'] }),
    );
    expect(answer.results).toMatchObject([{ targetValue: 'DEU' }]);
  });

  it('names the event of the audit log that approved the mapping', async () => {
    const { id, rows } = await approvedCrosswalk([['de', 'DEU']]);
    const answer = await translate(approver, id, 'value=de');
    const [result] = answer.results;
    expect(answer).toMatchObject({ value: 'de', position: expect.stringMatching(/^\d+$/) });
    expect(result).toMatchObject({ mappingId: rows[0]?.id, confidence: 100, approvedBy: expect.any(Number) });
    const filter = JSON.stringify({ conditions: [{ field: 'seq', operator: 'equals', value: result.approvedSeq }] });
    const { items } = done(await admin.get(`/api/audit-logs?filter=${encodeURIComponent(filter)}`));
    expect(items).toMatchObject([{ eventId: result.approvedEventId, action: 'MappingsApproved', entityId: id }]);
    // The mapping is served as of this event, and not as of the event before.
    expect(await readTargets(viewer, id, `value=de&asOf=seq:${result.approvedSeq}`)).toEqual(['DEU']);
    expect(await readTargets(viewer, id, `value=de&asOf=seq:${result.approvedSeq - 1}`)).toEqual([]);
  });

  it('works in reverse, and has the same results in memory and in PostgreSQL', async () => {
    const { id } = await approvedCrosswalk([
      ['de', 'DEU'],
      ['fr', 'DEU'],
    ]);
    expect((await readTargets(approver, id, 'value=DEU&reverse=true')).sort()).toEqual(['de', 'fr']);
    const past = await translate(approver, id, `value=de&asOf=${await newInstant()}`);
    const [now] = done(await approver.post(`/api/crosswalks/${id}/translate`, { values: ['de'] }));
    expect(now).toEqual({ value: past.value, results: past.results });
  });

  it('is refused with an unknown parameter', async () => {
    // `_t`, which clients add to avoid cached responses, is accepted.
    expect(await readTargets(approver, (await approvedCrosswalk([['de', 'DEU']])).id, 'value=de&_t=1')).toEqual([
      'DEU',
    ]);
    for (const query of [
      'value=de&as_of=2020-01-01',
      'value=de&asof=2020-01-01',
      'value=de&direction=reverse',
      'word=de',
    ]) {
      expect(await viewer.get(`/api/crosswalks/1/translate?${query}`), query).toMatchObject({
        status: 400,
        body: { code: 'INVALID' },
      });
    }
  });

  it('records no missing mapping for past or reverse translations, nor for an unapproved crosswalk', async () => {
    const { id } = await approvedCrosswalk([['de', 'DEU']]);
    const draftId = await newCrosswalk(steward, source, target);
    // These two reads wait until both crosswalks are projected.
    expect(await readTargets(steward, draftId, 'value=unapproved')).toEqual([]);
    expect(await readTargets(approver, id, 'value=de')).toEqual(['DEU']);
    expect(await readTargets(viewer, id, `value=past&asOf=${await newInstant()}`)).toEqual([]);
    expect(await readTargets(viewer, id, 'value=backwards&reverse=true')).toEqual([]);
    expect(await readTargets(viewer, draftId, 'value=unapproved')).toEqual([]);
    expect(await readTargets(viewer, id, 'value=unknown')).toEqual([]);
    // Missing mappings are recorded in order, so the list is complete when it contains the last one.
    const listed = await steward.eventually(
      `/api/missing-mappings?crosswalkId=${id}`,
      ({ body }) => body.items.length > 0,
    );
    expect(listed.body.items.map((item: Json) => item.sourceValue)).toEqual(['unknown']);
    expect(done(await steward.get(`/api/missing-mappings?crosswalkId=${draftId}`)).items).toEqual([]);
  });

  it('is refused if the parameter `record` is neither true nor false', async () => {
    for (const record of ['no', '0', '']) {
      const answer = await viewer.get(`/api/crosswalks/1/translate?value=de&record=${record}`);
      expect(answer, record).toMatchObject({ status: 400, body: { code: 'INVALID' } });
    }
  });

  it('is refused for an API key as soon as the key is revoked', async () => {
    const { id } = await approvedCrosswalk([['de', 'DEU']]);
    const key = await newKey(admin, [[collectionId, 'translate']]);
    const { client: system } = key;
    const path = `/api/crosswalks/${id}/translate`;
    expect((await system.get(`${path}?value=de`)).body.results).toMatchObject([{ targetValue: 'DEU' }]);
    expect((await system.post(path, { values: ['de'] })).body).toMatchObject([{ results: [{ targetValue: 'DEU' }] }]);
    done(await admin.post(`/api/api-keys/${key.id}/revoke`));
    expect((await system.get(`${path}?value=de`)).status).toBe(401);
  });
});
