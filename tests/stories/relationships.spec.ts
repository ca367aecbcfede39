/**
 * Relationships: attributes, values that one user adds and another user approves, and the cardinality, which is always
 * enforced.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { done, newCollection, newDataSet, newSharedCollection, newType, rowsOf, userIds } from './fixtures.ts';
import { type Answer, type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { openTab } from './live-client.ts';
import { createSignedInUser } from './signed-in-user.ts';
import { LONG } from './stack.ts';

let steward: HttpClient;
let approver: HttpClient;
let viewer: HttpClient;
let admin: HttpClient;
let collectionId: number;
let countries: number;
let currencies: number;

beforeAll(async () => {
  [steward, approver, viewer, admin] = await Promise.all([
    signInAs('steward'),
    signInAs('approver'),
    signInAs('viewer'),
    signInAs('admin'),
  ]);
  collectionId = await newSharedCollection(steward);
  const typeId = await newType(steward);
  countries = await newDataSet(steward, typeId, collectionId, [
    { code: 'DE', name: 'Germany' },
    { code: 'FR', name: 'France' },
    { code: 'CH', name: 'Switzerland' },
    { code: '007', name: 'Nowhere' },
  ]);
  currencies = await newDataSet(steward, typeId, collectionId, [
    { code: 'EUR', name: 'Euro' },
    { code: 'CHF', name: 'Franc' },
    { code: 'XXX', name: 'None' },
  ]);
});

async function newRelationship(overrides: Json = {}): Promise<string> {
  const { id } = done(
    await steward.post('/api/relationships', {
      name: uniqueName('pays in'),
      sourceDataSetId: countries,
      targetDataSetId: currencies,
      sourceField: 'code',
      targetField: 'code',
      cardinality: 'MANY_TO_ONE',
      ...overrides,
    }),
  );
  return `/api/relationships/${id}`;
}

const idOf = (path: string): number => Number(path.split('/').at(-1));
const pair = (sourceKey: string, targetKey: string, attributes?: Json) => ({ sourceKey, targetKey, attributes });
const add = async (path: string, ...rows: Json[]) => done(await steward.post(`${path}/values`, { rows }));
const list = async (person: HttpClient, path: string, query = ''): Promise<Json[]> =>
  done(await person.get(`${path}/values?sort=sourceKey${query}`)).items;
const pairTexts = (items: Json[]): string[] => items.map(({ sourceKey, targetKey }) => `${sourceKey} → ${targetKey}`);

async function reviewRows(path: string, rows: Json[], ...verbs: ('submit' | 'approve')[]): Promise<Json[]> {
  let currentRows = rows;
  for (const verb of verbs) {
    const person = verb === 'submit' ? steward : approver;
    currentRows = rowsOf(done(await person.post(`${path}/values/${verb}`, { rows: currentRows })));
  }
  return currentRows;
}

const addApproved = async (path: string, ...rows: Json[]) =>
  reviewRows(path, rowsOf(await add(path, ...rows)), 'submit', 'approve');

describe('a relationship', () => {
  it('can be changed by users with ADMIN on its source, but its rules only until the first value', async () => {
    const path = await newRelationship();
    const changed = { cardinality: 'ONE_TO_ONE', allowSelfRelationship: true, relationshipType: 'money' };
    done(await steward.patch(path, changed, { ifMatch: 1 }));
    expect(done(await steward.get(path))).toMatchObject({ ...changed, hasValues: false, approvalStatus: 'APPROVED' });
    expect((await steward.patch(path, { name: 'x' }, { ifMatch: 1 })).status).toBe(412);
    const { attributeId } = done(
      await steward.post(`${path}/attributes`, { name: 'since', dataType: 'date', isRequired: true }),
    );
    expect((await steward.post(`${path}/values`, pair('DE', 'EUR'))).body.error).toBe(
      'The attribute "since" is required',
    );
    // The refused request stored nothing.
    expect(done(await steward.get(path))).toMatchObject({ hasValues: false });
    done(await steward.delete(`${path}/attributes`, { id: attributeId }));
    await add(path, pair('DE', 'EUR'));
    const locked = await steward.patch(path, { cardinality: 'MANY_TO_ONE' });
    expect([locked.status, locked.body.error]).toEqual([
      409,
      'Cardinality and self-relations can no longer be changed, because the relationship has values: copy it instead',
    ]);
    done(await steward.patch(path, { name: uniqueName('pays with'), cardinality: 'ONE_TO_ONE' }));
    expect(done(await steward.get(path))).toMatchObject({ hasValues: true, counts: { draft: 1, served: 0 } });
    expect((await viewer.patch(path, { name: 'x' })).status).toBe(403);
    expect((await approver.patch(path, { name: 'x' })).status).toBe(403);
    expect((await steward.patch(path, { name: ' ' })).body.error).toBe('Relationship name is required');
  });

  it('has typed attributes, whose data types can be changed only until the first value', async () => {
    const path = await newRelationship();
    expect((await steward.post(`${path}/attributes`, { dataType: 'date' })).body.error).toBe(
      'Attribute name is required',
    );
    const { attributeId: sinceId } = done(
      await steward.post(`${path}/attributes`, { name: 'since', dataType: 'string', isRequired: true }),
    );
    const { attributeId: noteId } = done(
      await steward.post(`${path}/attributes`, { name: 'note', dataType: 'string' }),
    );
    expect((await steward.post(`${path}/attributes`, { name: 'SINCE', dataType: 'date' })).body.code).toBe(
      'NAME_TAKEN',
    );
    done(await steward.patch(`${path}/attributes`, { id: sinceId, dataType: 'date' }));
    const { results } = await add(
      path,
      pair('DE', 'EUR', { since: '1999-01-01', note: '0042' }),
      pair('FR', 'EUR'),
      pair('CH', 'CHF', { since: '1850-13-01' }),
      pair('007', 'XXX', { since: '2001-01-01', until: '2002-01-01' }),
    );
    expect(results.map(({ code, message }: Json) => [code, message])).toEqual([
      [undefined, undefined],
      ['INVALID', 'The attribute "since" is required'],
      ['INVALID', 'since: "1850-13-01" is not a date'],
      ['INVALID', 'This relationship has no attribute "until"'],
    ]);
    expect((await steward.patch(`${path}/attributes`, { id: sinceId, dataType: 'number' })).status).toBe(409);
    done(await steward.patch(`${path}/attributes`, { id: sinceId, name: 'from' }));
    expect(await list(steward, path)).toMatchObject([{ attributes: { from: '1999-01-01', note: '0042' } }]);
    done(await steward.delete(`${path}/attributes`, { id: noteId }));
    expect((await list(steward, path))[0].attributes).toEqual({ from: '1999-01-01' });
    expect(done(await steward.get(`${path}/attributes`))).toMatchObject([
      { id: sinceId, name: 'from', dataType: 'date', isRequired: true, description: '' },
    ]);
    expect((await steward.delete(`${path}/attributes`, { id: noteId })).status).toBe(404);
    // An attribute cannot be renamed or deleted while a value with this attribute is under review.
    const drafts = (await list(steward, path)).map(({ id, revision }: Json) => ({ id, revision }));
    const submitted = rowsOf(done(await steward.post(`${path}/values/submit`, { rows: drafts })));
    for (const requested of [
      await steward.delete(`${path}/attributes`, { id: sinceId }),
      await steward.patch(`${path}/attributes`, { id: sinceId, name: 'until' }),
    ]) {
      expect([requested.status, requested.body.error]).toEqual([
        409,
        'A value under review uses the attribute "from": wait until it is decided, or recall it first',
      ]);
    }
    done(await steward.patch(`${path}/attributes`, { id: sinceId, description: 'First day' }));
    done(await approver.post(`${path}/values/approve`, { rows: submitted }));
    done(await steward.delete(`${path}/attributes`, { id: sinceId }));
  });

  it('is deleted at once if none of its values was approved', async () => {
    const path = await newRelationship();
    const [value] = rowsOf(await add(path, pair('DE', 'EUR')));
    const historyPath = `${path}/values/${value?.id}/history`;
    const history = done(await steward.get(historyPath));
    expect((await viewer.delete(path)).status).toBe(403);
    expect(done(await steward.delete(path))).toMatchObject({ deleted: true });
    expect((await steward.get(path)).status).toBe(404);
    expect((await steward.post(`${path}/values`, pair('FR', 'EUR'))).status).toBe(404);
    // The history of its values can still be read as of a time before its deletion.
    expect((await steward.get(historyPath)).status).toBe(404);
    expect(done(await steward.get(`${historyPath}?asOf=seq:${history.items[0].seq}`)).items).toEqual(history.items);
  });

  it('is deleted only after another user approves the deletion, if one of its values was approved', async () => {
    const path = await newRelationship();
    await addApproved(path, pair('DE', 'EUR'));
    expect(done(await steward.delete(path, { comment: 'no longer kept' }))).toMatchObject({
      deleted: false,
      deletionRequested: true,
    });
    const id = idOf(path);
    const filter = JSON.stringify({
      conditions: [{ field: 'parent', operator: 'equals', value: `relationship:${id}` }],
    });
    const pendingItemsPath = `/api/approvals?tab=review&filter=${encodeURIComponent(filter)}`;
    const { body } = await approver.eventually(pendingItemsPath, (answer) => answer.body.total === 1);
    const [item] = body.items;
    expect(item).toMatchObject({ kind: 'relationship', id, deletionRequested: true, after: null, level: 'APPROVER' });
    const decide = (decision: string) => ({
      decision,
      comment: 'as requested',
      items: [{ kind: 'relationship', id, parentId: id, revision: item.revision }],
    });
    const ownDecision = done(await steward.post('/api/approvals/decide', decide('approve')));
    expect(ownDecision.results).toMatchObject([{ outcome: 'refused', code: 'FOUR_EYES' }]);
    expect((await approver.post(`${path}/reject`)).body.error).toBe('A reason is required');
    expect(done(await approver.post('/api/approvals/decide', decide('approve')))).toMatchObject({ done: 1 });
    expect((await approver.get(path)).status).toBe(404);
    await approver.eventually(pendingItemsPath, (answer) => answer.body.total === 0);
    // The history lists the decision with user and comment.
    const { body: history } = await approver.eventually(
      `${path}/history`,
      ({ body }) => body.items?.[0]?.newStatus === 'DELETED',
    );
    expect(history.items.slice(0, 2).toReversed()).toMatchObject([
      {
        type: 'RelationshipDeletionRequested',
        prevStatus: 'APPROVED',
        newStatus: 'PENDING',
        comment: 'no longer kept',
      },
      {
        type: 'RelationshipDeletionApproved',
        prevStatus: 'PENDING',
        newStatus: 'DELETED',
        ofDeletion: true,
        userId: (await userIds(steward))['approver'],
        comment: 'as requested',
      },
    ]);
  });

  it('is not deleted when the deletion is recalled or rejected', async () => {
    const path = await newRelationship();
    await addApproved(path, pair('DE', 'EUR'));
    done(await admin.delete(path));
    expect(await admin.post(`${path}/approve`)).toMatchObject({
      status: 409,
      body: { error: 'Submitted changes must be reviewed by a different user' },
    });
    done(await admin.post(`${path}/recall`));
    done(await steward.delete(path));
    done(await approver.post(`${path}/reject`, { comment: 'still used' }));
    expect(done(await approver.get(path))).toMatchObject({ approvalStatus: 'APPROVED', deletionRequested: false });
  });
});

describe('a copy of a relationship', () => {
  it('previews the values that violate its rules, and copies all other values as drafts', async () => {
    const path = await newRelationship({ cardinality: 'MANY_TO_MANY' });
    const addTextAttribute = async (name: string) =>
      done(await steward.post(`${path}/attributes`, { name, dataType: 'string' })).attributeId;
    const removedAttributeId = await addTextAttribute('gone');
    await addTextAttribute('note');
    await addApproved(path, pair('DE', 'EUR', { note: 'first' }), pair('CH', 'CHF'));
    await add(path, pair('DE', 'CHF'), pair('FR', 'EUR'));
    done(await steward.delete(`${path}/attributes`, { id: removedAttributeId }));
    const copyBody = { name: uniqueName('copied'), cardinality: 'MANY_TO_ONE' };

    const violations = [
      {
        source: 'DE',
        target: 'CHF',
        code: 'CARDINALITY',
        message: 'Cardinality violation: “DE → CHF” conflicts with “DE → EUR” in a many-to-one relationship',
      },
    ];
    const preview = done(await steward.post(`${path}/copy`, { ...copyBody, preview: true }));
    expect(preview).toMatchObject({ id: null, copied: 3, refused: 1, violations });
    const { id, ...result } = done(await steward.post(`${path}/copy`, copyBody));
    expect(result).toMatchObject({ copied: 3, refused: 1, violations });

    const copy = `/api/relationships/${id}`;
    expect(done(await steward.get(copy))).toMatchObject({
      ...copyBody,
      hasValues: true,
      counts: { draft: 3, approved: 0, served: 0 },
      attributes: [{ name: 'note', dataType: 'string' }],
    });
    const copies = await list(steward, copy);
    expect(pairTexts(copies)).toEqual(['CH → CHF', 'DE → EUR', 'FR → EUR']);
    expect(copies[1].attributes).toEqual({ note: 'first' });
    expect((await steward.post(`${copy}/values`, pair('DE', 'XXX'))).body.error).toMatch(/^Cardinality violation/);
    expect((await viewer.post(`${path}/copy`, copyBody)).status).toBe(403);
  });

  it('contains neither deleted values nor values of deleted rows', async () => {
    const cities = await newDataSet(steward, await newType(steward), collectionId, [
      { code: 'GRZ', name: 'Graz' },
      { code: 'VIE', name: 'Vienna' },
      { code: 'LNZ', name: 'Linz' },
    ]);
    const path = await newRelationship({ sourceDataSetId: cities });
    const [, , linz] = rowsOf(await add(path, pair('GRZ', 'EUR'), pair('VIE', 'EUR'), pair('LNZ', 'EUR')));
    done(await steward.delete(`${path}/values`, { rows: [linz] }));
    const rows = `/api/reference-data/${cities}/instances`;
    const [graz] = done(await steward.get(`${rows}?key=GRZ`)).items;
    done(await steward.delete(rows, { rows: [{ id: graz.id, revision: graz.revision }] }));
    const expectedResult = {
      copied: 1,
      refused: 1,
      violations: [{ source: 'GRZ', target: 'EUR', code: 'BROKEN', message: 'Its source row was deleted' }],
    };
    const copyBody = { name: uniqueName('live') };
    expect(done(await steward.post(`${path}/copy`, { ...copyBody, preview: true }))).toMatchObject(expectedResult);
    const copied = done(await steward.post(`${path}/copy`, copyBody));
    expect(copied).toMatchObject(expectedResult);
    expect(pairTexts(await list(steward, `/api/relationships/${copied.id}`))).toEqual(['VIE → EUR']);
  });

  it('excludes values that relate a row to itself, if the request does not allow them', async () => {
    const within = { targetDataSetId: countries, cardinality: 'MANY_TO_MANY', allowSelfRelationship: true };
    const path = await newRelationship(within);
    await add(path, pair('DE', 'DE'), pair('DE', 'FR'));
    const requested = { name: uniqueName('others'), allowSelfRelationship: false, preview: true };
    expect(done(await steward.post(`${path}/copy`, requested))).toMatchObject({
      copied: 1,
      violations: [{ source: 'DE', target: 'DE', code: 'SELF' }],
    });
  });
});

describe('values of all relationships', () => {
  it('are counted by tab, including broken values, and submitted with one selection', async () => {
    // Relationships of other story files do not change the counts of the reader, who can read only this collection.
    const { id: readerId, person: reader } = await createSignedInUser(admin, 2);
    const { approver: approverId, viewer: viewerId } = await userIds(steward);
    const permissions = [
      { entityType: 'user', entityId: approverId, permissionLevel: 'APPROVER' },
      ...[viewerId, readerId].map((entityId) => ({ entityType: 'user', entityId, permissionLevel: 'READ' })),
    ];
    done(await steward.put(`/api/collections/${collectionId}/permissions`, { permissions }));
    const readCounts = async () => done(await reader.get('/api/relationships/values/counts'));
    const zones = await newDataSet(steward, await newType(steward), collectionId, [{ code: 'A' }, { code: 'B' }]);
    const before = await readCounts();
    const [one, other] = [await newRelationship({ sourceDataSetId: zones }), await newRelationship()];
    await add(one, pair('A', 'EUR'), pair('B', 'EUR'));
    await add(other, pair('DE', 'EUR'), pair('FR', 'XXX'));
    const rows = `/api/reference-data/${zones}/instances`;
    const [{ id, revision }] = done(await steward.get(`${rows}?key=A`)).items;
    done(await steward.delete(rows, { rows: [{ id, revision }] }));
    expect(await readCounts()).toEqual({ ...before, draft: before.draft + 4, broken: before.broken + 1 });

    const filter = JSON.stringify({
      conditions: [
        { field: 'relationshipId', operator: 'in', value: [idOf(one), idOf(other)] },
        { field: 'targetKey', operator: 'equals', value: 'EUR' },
      ],
    });
    const requested = { kind: 'relationship-values', tab: 'draft', filter };
    const { selectionId, count, parents } = done(await steward.post('/api/selections', requested));
    expect([count, [...parents].sort()]).toEqual([3, [idOf(one), idOf(other)].sort()]);
    for (const path of [one, other]) {
      const { results } = done(await steward.post(`${path}/values/submit`, { selectionId }));
      const outcomes = results.map(({ outcome }: Json) => outcome).sort();
      // A value whose row is deleted is not submitted.
      expect(outcomes).toEqual(path === one ? ['done', 'refused'] : ['done']);
    }
    expect(await readCounts()).toMatchObject({ draft: before.draft + 2, pending: before.pending + 2 });
    expect(done(await steward.post(`${await newRelationship()}/values/submit`, { selectionId })).results).toEqual([]);
    expect((await viewer.post(`${one}/values/submit`, { selectionId })).status).toBe(403);
    expect((await admin.post(`${one}/values/submit`, { selectionId })).status).toBe(404);
  });
});

describe('an export of values', () => {
  const formula = '=HYPERLINK("http://example.com")';
  const attributes = [
    { name: 'since', dataType: 'date' },
    { name: 'share', dataType: 'number' },
    { name: 'legal', dataType: 'boolean' },
    { name: 'note', dataType: 'string' },
  ];
  const createWithAttributes = async () => {
    const path = await newRelationship();
    for (const attribute of attributes) done(await steward.post(`${path}/attributes`, attribute));
    return path;
  };
  const exportValues = async (path: string, query = '') => {
    const response = await steward.download(`${path}/export?${query}`);
    expect(response.status).toBe(200);
    return response.text();
  };

  it('as JSON can be added to an empty relationship without loss, with the type of each cell', async () => {
    const path = await createWithAttributes();
    await add(
      path,
      pair('007', 'EUR', { since: '1999-01-01', share: 0.5, legal: true, note: formula }),
      pair('CH', 'CHF', { since: null, share: 1e15, legal: false, note: `'${formula}` }),
      pair('DE', 'EUR', { note: ' "quoted", 0042;\nsecond line' }),
    );
    const waitForThree = (relationshipPath: string) =>
      steward.eventually(`${relationshipPath}/values`, ({ body }) => body.total === 3);
    await waitForThree(path);
    const all = JSON.parse(await exportValues(path, 'format=json&sort=sourceKey'));
    expect(all[0]).toEqual({
      sourceKey: '007',
      targetKey: 'EUR',
      attributes: { since: '1999-01-01', share: 0.5, legal: true, note: formula },
      status: 'DRAFT',
    });
    const other = await createWithAttributes();
    const rows = all.map(({ status: _, ...row }: Json) => row);
    expect((await add(other, ...rows)).results.map(({ outcome }: Json) => outcome)).toEqual(['done', 'done', 'done']);
    await waitForThree(other);
    for (const format of ['csv', 'json']) {
      const query = `format=${format}&sort=sourceKey`;
      expect(await exportValues(other, query)).toBe(await exportValues(path, query));
    }
    const [head, first] = (await exportValues(path, 'sort=sourceKey')).split('\r\n');
    expect(head).toBe('sourceKey,targetKey,since,share,legal,note,status');
    expect(first).toBe(`007,EUR,1999-01-01,0.5,true,"'=HYPERLINK(""http://example.com"")",DRAFT`);
  });

  it('contains the filtered values of a tab', async () => {
    const path = await createWithAttributes();
    const rows = rowsOf(await add(path, pair('DE', 'EUR', { note: 'a' }), pair('FR', 'EUR'), pair('CH', 'CHF')));
    done(await steward.post(`${path}/values/submit`, { rows: rows.slice(0, 2) }));
    await steward.eventually(`${path}/values?tab=pending`, ({ body }) => body.total === 2);
    const filter = encodeURIComponent(
      JSON.stringify({ conditions: [{ field: 'note', operator: 'equals', value: 'a' }] }),
    );
    const exported = JSON.parse(await exportValues(path, `format=json&tab=pending&filter=${filter}`));
    expect(pairTexts(exported)).toEqual(['DE → EUR']);
    expect(pairTexts(JSON.parse(await exportValues(path, 'format=json&tab=draft&q=swi')))).toEqual(['CH → CHF']);
    expect((await steward.get(`${path}/export?format=pdf`)).body.error).toBe('Values are exported as csv, xlsx, json');
  });
});

describe('values', () => {
  it('name their rows by keys or ids, and are returned with both and with labels', async () => {
    const path = await newRelationship();
    const { id } = done(await steward.post(`${path}/values`, pair('007', 'EUR')));
    const answer = await viewer.eventually(`${path}/values?q=nowhere`, ({ body }) => body.total === 1);
    const [value] = answer.body.items;
    expect(value).toMatchObject({
      id,
      revision: 1,
      sourceKey: '007',
      targetKey: 'EUR',
      sourceLabel: 'Nowhere',
      targetLabel: 'Euro',
      status: 'DRAFT',
      approvalStatus: 'DRAFT',
      served: null,
      sourceMissing: false,
      targetMissing: false,
    });
    const { sourceInstanceId, targetInstanceId } = value;
    const duplicate = await steward.post(`${path}/values`, { sourceInstanceId, targetInstanceId });
    expect([duplicate.status, duplicate.body.error]).toEqual([409, 'This pair exists already']);
    const unknown = await steward.post(`${path}/values`, pair('ZZ', 'EUR'));
    expect(unknown.status).toBe(400);
    expect(unknown.body.error).toMatch(/has no row “ZZ”/);
    expect((await steward.post(`${path}/values`, { sourceKey: 'DE' })).status).toBe(400);
  });

  it('must conform to the cardinality, and the message of a refusal quotes both values', async () => {
    const path = await newRelationship();
    await add(path, pair('DE', 'EUR'));
    const refused = await steward.post(`${path}/values`, pair('DE', 'CHF'));
    expect(refused.status).toBe(409);
    expect(refused.body.error).toBe(
      'Cardinality violation: “DE → CHF” conflicts with “DE → EUR” in a many-to-one relationship',
    );
    await add(path, pair('FR', 'EUR'));
    const other = await newRelationship({ cardinality: 'ONE_TO_MANY' });
    const { results } = await add(other, pair('DE', 'EUR'), pair('FR', 'EUR'), pair('DE', 'CHF'));
    expect(results.map(({ outcome, code }: Json) => code ?? outcome)).toEqual(['done', 'CARDINALITY', 'done']);
  });

  it.each([
    ['MANY_TO_ONE', pair('DE', 'EUR'), pair('DE', 'CHF')],
    ['ONE_TO_MANY', pair('DE', 'EUR'), pair('FR', 'EUR')],
    ['ONE_TO_ONE', pair('DE', 'EUR'), pair('FR', 'EUR')],
    ['MANY_TO_MANY', pair('DE', 'EUR'), pair('DE', 'EUR')],
  ])(
    'that conflict in a %s relationship and are added at the same time: exactly one is accepted',
    async (cardinality, one, two) => {
      const rounds = LONG ? 50 : 5;
      const outcomes: number[][] = [];
      for (let round = 0; round < rounds; round++) {
        const path = await newRelationship({ cardinality });
        const answers = await Promise.all([steward.post(`${path}/values`, one), admin.post(`${path}/values`, two)]);
        outcomes.push(answers.map(({ status }) => status).sort());
        const { body } = await steward.eventually(`${path}/values`, (answer) => answer.body.total > 0);
        expect(body.total).toBe(1);
      }
      expect(outcomes).toEqual(Array.from({ length: rounds }, () => [201, 409]));
    },
  );

  it('must not relate a row to itself unless the relationship allows this', async () => {
    const within = { targetDataSetId: countries, cardinality: 'MANY_TO_MANY' };
    const refused = await steward.post(`${await newRelationship(within)}/values`, pair('DE', 'DE'));
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'This relationship does not allow a row to be related to itself: choose another row',
    ]);
    const allowing = await newRelationship({ ...within, allowSelfRelationship: true });
    done(await steward.post(`${allowing}/values`, pair('DE', 'DE')));
  });

  it('are served after another user approves them, and the approval has a result for each row', async () => {
    const path = await newRelationship();
    const [de, fr] = rowsOf(await add(path, pair('DE', 'EUR'), pair('FR', 'EUR')));
    const submitted = done(await steward.post(`${path}/values/submit`, { rows: [de], comment: 'please' }));
    const rows = rowsOf(submitted);
    const ownDecision = done(
      await steward.post('/api/approvals/decide', {
        decision: 'approve',
        items: rows.map((row) => ({ kind: 'relationship-value', parentId: idOf(path), ...row })),
      }),
    );
    expect(ownDecision.results).toMatchObject([{ outcome: 'refused', code: 'FOUR_EYES' }]);
    expect(ownDecision.results[0].message).toBe('Submitted changes must be reviewed by a different user');
    const { results } = done(
      await approver.post(`${path}/values/approve`, { rows: [...rows, fr, { id: 1, revision: 1 }] }),
    );
    expect(results).toMatchObject([
      { id: de?.id, outcome: 'done', revision: 3 },
      { id: fr?.id, outcome: 'refused', code: 'NOT_PENDING' },
      { id: 1, outcome: 'refused', code: 'NOT_FOUND' },
    ]);
    await viewer.eventually(`${path}/values/counts`, ({ body }) => body.approved === 1 && body.draft === 1);
    expect((await list(viewer, path, '&tab=approved'))[0]).toMatchObject({
      status: 'APPROVED',
      served: { sourceKey: 'DE', targetKey: 'EUR', attributes: {} },
    });
    for (const [method, verb] of [
      ['post', ''],
      ['post', '/submit'],
      ['patch', ''],
      ['delete', ''],
    ] as const) {
      const body = verb === '' && method === 'post' ? pair('CH', 'CHF') : { rows: [de] };
      const answer: Answer = await viewer[method](`${path}/values${verb}`, body);
      expect(answer.status, `${method} ${verb}`).toBe(403);
    }
    expect((await steward.post(`${path}/values/approve`, { rows: [fr] })).body.done ?? 0).toBe(0);
  });

  it('are served unchanged until an edit is approved, and have a history with the changes', async () => {
    const path = await newRelationship();
    done(await steward.post(`${path}/attributes`, { name: 'note', dataType: 'string' }));
    const [row] = await addApproved(path, pair('DE', 'EUR', { note: 'a' }));
    const { targetInstanceId } = (await list(steward, path))[0];
    const chf = done(await steward.get(`/api/reference-data/${currencies}/instances?key=CHF`)).items[0].id;
    const edit = { rows: [{ ...row, targetInstanceId: chf, attributes: { note: null } }] };
    const [edited] = rowsOf(done(await steward.patch(`${path}/values`, edit)));
    expect((await steward.patch(`${path}/values`, edit)).body.results[0]).toMatchObject({ code: 'STALE' });
    expect((await list(steward, path))[0]).toMatchObject({
      status: 'DRAFT',
      targetKey: 'CHF',
      attributes: { note: null },
      served: { targetKey: 'EUR', targetInstanceId, attributes: { note: 'a' } },
    });
    const refusal = await steward.post(`${path}/values`, pair('DE', 'XXX'));
    expect(refusal.body.error).toMatch(/^Cardinality violation: “DE → XXX”/);
    await reviewRows(path, [edited], 'submit', 'approve');
    const history = (await approver.get(`${path}/values/${row.id}/history`)).body.items.toReversed();
    expect(history.map(({ newStatus, changes }: Json) => [newStatus, changes])).toEqual([
      ['DRAFT', undefined],
      ['PENDING', undefined],
      ['APPROVED', undefined],
      ['DRAFT', { target: { from: 'EUR', to: 'CHF' }, note: { from: 'a', to: null } }],
      ['PENDING', undefined],
      ['APPROVED', undefined],
    ]);
    const seq = history[2].seq;
    expect(await list(steward, path, `&asOf=seq:${seq}`)).toMatchObject([
      { status: 'APPROVED', targetKey: 'EUR', attributes: { note: 'a' } },
    ]);
  });

  it('are deleted after a review if they are served, and not restored if the cardinality prevents it', async () => {
    const path = await newRelationship();
    const [row] = await addApproved(path, pair('DE', 'EUR'));
    const [requested] = rowsOf(done(await steward.delete(`${path}/values`, { rows: [row] })));
    const { body } = await approver.eventually(
      '/api/approvals?tab=review&pageSize=1000&sort=submittedAt&order=DESC',
      ({ body }) => body.items.some((item: Json) => item.id === row.id && item.kind === 'relationship-value'),
    );
    expect(body.items.find((item: Json) => item.id === row.id)).toMatchObject({
      title: 'DE → EUR',
      parentName: done(await steward.get(path)).name,
      before: { source: 'DE', target: 'EUR' },
      after: null,
      deletionRequested: true,
    });
    const [gone] = rowsOf(done(await approver.post(`${path}/values/approve`, { rows: [requested] })));
    expect(done(await approver.get(`${path}/values/${row.id}/history`)).items.slice(0, 2)).toMatchObject([
      { prevStatus: 'PENDING', newStatus: 'DELETED', ofDeletion: true },
      { prevStatus: 'APPROVED', newStatus: 'PENDING' },
    ]);
    expect(await list(approver, path)).toEqual([]);
    await add(path, pair('DE', 'CHF'));
    const { results } = done(await steward.post(`${path}/values/restore`, { rows: [gone] }));
    expect(results).toMatchObject([{ outcome: 'refused', code: 'CARDINALITY' }]);
    expect(results[0].message).toContain('“DE → EUR” conflicts with “DE → CHF”');
  });

  it('are selected by a filter on an attribute, and submitted together', async () => {
    const path = await newRelationship({ cardinality: 'MANY_TO_MANY' });
    done(await steward.post(`${path}/attributes`, { name: 'share', dataType: 'number' }));
    await add(path, pair('DE', 'EUR', { share: 5 }), pair('FR', 'EUR', { share: 50 }), pair('CH', 'CHF', { share: 7 }));
    const filter = JSON.stringify({ conditions: [{ field: 'share', operator: 'less_than', value: 10 }] });
    const requested = `&sort=share&order=DESC&filter=${encodeURIComponent(filter)}`;
    expect(pairTexts((await steward.get(`${path}/values?${requested.slice(1)}`)).body.items)).toEqual([
      'CH → CHF',
      'DE → EUR',
    ]);
    const { selectionId, count } = done(
      await steward.post('/api/selections', { kind: 'relationship-values', parentId: idOf(path), filter }),
    );
    expect(count).toBe(2);
    expect(done(await steward.post(`${path}/values/submit`, { selectionId }))).toMatchObject({ done: 2, refused: 0 });
    expect(done(await steward.get(`${path}/values/counts`))).toMatchObject({ draft: 1, pending: 2 });
  });

  it('can be selected by the ids of the commands that drafted them, except values that were changed later', async () => {
    const path = await newRelationship({ cardinality: 'MANY_TO_MANY' });
    const drafted = await add(path, pair('DE', 'EUR'), pair('FR', 'EUR'));
    await add(path, pair('CH', 'CHF'));
    const [submitted] = drafted.results;
    done(await steward.post(`${path}/values/submit`, { rows: [{ id: submitted.id, revision: submitted.revision }] }));
    // This read waits until the write is projected, because a selection is frozen from projected rows.
    expect(pairTexts(await list(steward, path, '&tab=pending'))).toEqual(['DE → EUR']);
    const selectRows = async (selection: Json) =>
      done(await steward.post('/api/selections', { kind: 'relationship-values', ...selection }));
    const commandIds = [drafted.commandId];
    expect(await selectRows({ parentId: idOf(path) })).toMatchObject({ count: 3 });
    expect(await selectRows({ commandIds })).toMatchObject({ count: 1, parents: [idOf(path)] });
    const { selectionId, count } = await selectRows({ parentId: idOf(path), commandIds });
    expect(count).toBe(1);
    expect(done(await steward.delete(`${path}/values`, { selectionId }))).toMatchObject({ done: 1, refused: 0 });
    expect(pairTexts(await list(steward, path))).toEqual(['CH → CHF', 'DE → EUR']);
  });

  it('are listed for each of their rows, and as broken when one of the rows is deleted', async () => {
    const typeId = await newType(steward);
    const [from, to] = [
      await newDataSet(steward, typeId, collectionId, [{ code: 'a' }, { code: 'b' }]),
      await newDataSet(steward, typeId, collectionId, [{ code: 'x' }]),
    ];
    const path = await newRelationship({ sourceDataSetId: from, targetDataSetId: to });
    await add(path, pair('a', 'x'), pair('b', 'x'));
    const [a] = done(await steward.get(`/api/reference-data/${from}/instances?key=a`)).items;
    const [x] = done(await steward.get(`/api/reference-data/${to}/instances?key=x`)).items;
    const listOfRow = async (dataSet: number, id: number): Promise<Json[]> =>
      done(await steward.get(`/api/reference-data/${dataSet}/instances/${id}/relationships`)).items;
    expect(await listOfRow(from, a.id)).toMatchObject([
      { relationshipId: idOf(path), sourceKey: 'a', targetKey: 'x', sourceDataSetId: from, targetDataSetId: to },
    ]);
    expect(await listOfRow(to, x.id)).toHaveLength(2);
    expect(await list(steward, path, '&tab=broken')).toEqual([]);
    const readEdge = async () =>
      done(await steward.get(`/api/reference-data/${from}/graph`)).edges.find((each: Json) => each.id === idOf(path));
    expect(await readEdge()).toMatchObject({ kind: 'relationship', counts: { draft: 2, pending: 0, served: 0 } });
    expect(done(await steward.get(`/api/reference-data/${from}`)).pendingCount).toBe(0);
    const [b] = await list(steward, path, '&q=b');
    done(await steward.post(`${path}/values/submit`, { rows: [{ id: b.id, revision: b.revision }] }));
    expect(done(await steward.get(`/api/reference-data/${from}`)).pendingCount).toBe(1);
    done(await steward.delete(`/api/reference-data/${from}/instances`, { rows: [{ id: a.id, revision: a.revision }] }));
    expect(await list(steward, path, '&tab=broken')).toMatchObject([
      { sourceKey: 'a', sourceMissing: true, targetMissing: false },
    ]);
    expect(done(await steward.get(`${path}/values/counts`))).toMatchObject({ broken: 1, draft: 1, pending: 1 });
    const notBroken = JSON.stringify({ conditions: [{ field: 'broken', operator: 'equals', value: false }] });
    expect(pairTexts(await list(steward, path, `&filter=${encodeURIComponent(notBroken)}`))).toEqual(['b → x']);
    const [broken] = await list(steward, path, '&tab=broken');
    const requested = { rows: [{ id: broken?.id, revision: broken?.revision }] };
    expect(done(await steward.post(`${path}/values/submit`, requested)).results).toMatchObject([
      {
        outcome: 'refused',
        message: 'The source row of this value was deleted: choose another row for the value, or restore the row',
      },
    ]);
    const restoredRow = { rows: [{ id: a.id, revision: a.revision + 1 }] };
    done(await steward.post(`/api/reference-data/${from}/instances/restore`, restoredRow));
    expect(done(await steward.post(`${path}/values/submit`, requested)).results).toMatchObject([{ outcome: 'done' }]);
  });

  it('must be named only once in a request', async () => {
    const path = await newRelationship();
    const [row] = (await add(path, pair('DE', 'EUR'))).results;
    const rows = [row, row].map(({ id, revision }) => ({ id, revision, attributes: {} }));
    expect(await steward.patch(`${path}/values`, { rows })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(`Row ${row.id} is named twice: name it once`) },
    });
  });

  it('of all relationships are listed together, for readers of both data sets', async () => {
    const path = await newRelationship({ cardinality: 'MANY_TO_MANY' });
    await add(path, pair('DE', 'EUR'));
    const secret = await newDataSet(steward, await newType(steward), await newCollection(steward), [
      { code: 'hidden' },
    ]);
    const hidden = await newRelationship({ targetDataSetId: secret });
    await add(hidden, pair('DE', 'hidden'));
    const valuesPathOf = (id: number) =>
      `/api/relationships/values?filter=${encodeURIComponent(
        JSON.stringify({ conditions: [{ field: 'relationshipId', operator: 'equals', value: id }] }),
      )}`;
    expect(done(await steward.get(valuesPathOf(idOf(hidden)))).items).toMatchObject([{ targetKey: 'hidden' }]);
    const viewerAnswer = await viewer.eventually(valuesPathOf(idOf(path)), ({ body }) => body.total === 1);
    expect(viewerAnswer.body.items[0]).toMatchObject({ sourceKey: 'DE', targetKey: 'EUR', relationshipId: idOf(path) });
    expect(done(await viewer.get(valuesPathOf(idOf(hidden)))).items).toEqual([]);
    expect((await viewer.get(`${hidden}/values`)).status).toBe(404);
    const [de] = done(await viewer.get(`/api/reference-data/${countries}/instances?key=DE`)).items;
    const valuesOfRow = done(
      await viewer.get(`/api/reference-data/${countries}/instances/${de.id}/relationships?pageSize=1000`),
    );
    expect(valuesOfRow.items.map(({ relationshipId }: Json) => relationshipId)).toContain(idOf(path));
    expect(valuesOfRow.items.map(({ relationshipId }: Json) => relationshipId)).not.toContain(idOf(hidden));
  });

  it('are announced live in the room of their relationship', async () => {
    const path = await newRelationship();
    const tab = await openTab(viewer);
    await tab.join(`relationship:${idOf(path)}`);
    const [row] = rowsOf(await add(path, pair('DE', 'EUR')));
    await vi.waitFor(() =>
      expect(tab.changes).toContainEqual(
        expect.objectContaining({ entity: 'relationship-value', entityId: idOf(path), ids: [row?.id], revisions: [1] }),
      ),
    );
    tab.close();
  });

  it('are written once per Idempotency-Key, and concurrent requests return the same id', async () => {
    const path = await newRelationship();
    const [first, second] = await Promise.all(
      [0, 1].map(() => steward.post(`${path}/values`, pair('DE', 'EUR'), { key: `value-${path}` })),
    );
    expect(second?.body.id).toBe(first?.body.id);
    expect(await list(steward, path)).toHaveLength(1);
  });
});
