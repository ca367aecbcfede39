/** Tests the filters of lists, saved filters, filter configurations and the filter test. */
import { LISTS, type ListName, listKind } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { createSignedInUser } from './signed-in-user.ts';

let steward: HttpClient;
let viewer: HttpClient;
let admin: HttpClient;
let outsider: HttpClient;
let collectionId: number;
let dataSet: number;
let entity: string;

const ROWS = [
  { code: '007', name: 'Bond' },
  { code: '008', name: 'Bill' },
  { code: '100', name: 'Hundred' },
];
const condition = (field: string, operator: string, value?: unknown): Json => ({ field, operator, value });
const all = (...conditions: Json[]): Json => ({ logic: 'AND', conditions });
const zeros = all(condition('code', 'starts_with', '00'));
const view = { filter: zeros, sort: 'code', order: 'DESC', columns: ['code'] };
const query = (filter: Json): string => `filter=${encodeURIComponent(JSON.stringify(filter))}`;

beforeAll(async () => {
  [steward, viewer, admin] = await Promise.all([signInAs('steward'), signInAs('viewer'), signInAs('admin')]);
  outsider = (await createSignedInUser(admin, 4)).person;
  const ids = await userIds(steward);
  collectionId = await newCollection(steward, [
    { entityType: 'user', entityId: ids['viewer'], permissionLevel: 'READ' },
  ]);
  const typeId = await newType(steward, [{ name: 'rank', dataType: 'number' }]);
  dataSet = await newDataSet(steward, typeId, collectionId, ROWS);
  entity = `data-set:${dataSet}`;
});

const save = async (person: HttpClient, overrides: Json = {}): Promise<Json> =>
  done(await person.post('/api/saved-filters', { name: uniqueName('Zeros'), entity, view, ...overrides }));
const listSaved = async (person: HttpClient, list = entity): Promise<Json[]> =>
  done(await person.get(`/api/saved-filters?entity=${list}`)).items;

describe('a list', () => {
  /** Ids of the parents of the lists, such as the data set of a list of rows. */
  const ids: Partial<Record<ListName, number>> = {};
  const pathOf = (name: ListName): string => LISTS[name].path.replace(/:\w+/, String(ids[name]));

  beforeAll(async () => {
    const source = await newDataSet(steward, await newType(steward), collectionId, ROWS);
    const crosswalk = await newCrosswalk(steward, source, dataSet);
    const rows = await draft(steward, crosswalk, [['007', '008']]);
    done(await steward.post(`/api/crosswalks/${crosswalk}/mappings/submit`, { rows }));
    const { revision } = done(await steward.get(`/api/crosswalks/${crosswalk}`));
    const items = [{ kind: 'crosswalk', parentId: crosswalk, id: crosswalk, revision }];
    done(await admin.post('/api/approvals/decide', { decision: 'approve', items }));
    const relationship = done(
      await steward.post('/api/relationships', {
        name: uniqueName('leads'),
        sourceDataSetId: source,
        targetDataSetId: dataSet,
        sourceField: 'code',
        targetField: 'code',
        cardinality: 'MANY_TO_MANY',
      }),
    );
    const form = new FormData();
    form.set('dataSetId', String(source));
    form.set('file', new File(['code,name\n200,Two\n,None\n'], 'agents.csv', { type: 'text/csv' }));
    const file = done(await steward.post('/api/imports', form));
    const { jobId } = done(await steward.post(`/api/imports/${file.id}/start`, { description: 'Agents' }));
    await steward.eventually(`/api/jobs/${jobId}`, ({ body }) => body.status === 'DONE');
    for (const list of ['data-set', 'integrity', 'comparison'] as const) ids[list] = dataSet;
    for (const list of ['collection-data-sets', 'collection-activity'] as const) ids[list] = collectionId;
    Object.assign(ids, { crosswalk, relationship: relationship.id, 'job-logs': jobId });
  });

  it.each(Object.keys(LISTS) as ListName[])('refuses a filter by an unknown field: %s', async (name) => {
    const answer = await admin.get(`${pathOf(name)}?${query(all(condition('no such field', 'is_null')))}`);
    expect(answer).toMatchObject({ status: 400, body: { error: 'There is no field “no such field” to filter by' } });
  });

  const find = async (name: ListName, filter: Json, parameters = ''): Promise<Json[]> => {
    const body = done(await admin.get(`${pathOf(name)}?${query(filter)}${parameters}`));
    return Array.isArray(body) ? body : body.items;
  };

  it('of reference types can be filtered, searched and sorted', async () => {
    const word = uniqueName('Agency');
    const [a, b] = [`b ${word}`, `A ${word}`];
    const schemas = [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'licence', dataType: 'string' },
    ];
    done(await steward.post('/api/reference-types', { name: a, schemas }));
    done(await steward.post('/api/reference-types', { name: b, schemas: schemas.slice(0, 1) }));
    await admin.eventually('/api/reference-types', ({ body }) => body.some(({ name }: Json) => name === b));
    const ours = condition('name', 'ends_with', word.toLowerCase());
    const findNames = async (filter: Json, parameters?: string) =>
      (await find('reference-types', filter, parameters)).map(({ name }) => name);
    expect(await findNames(all(ours))).toEqual([b, a]);
    expect(await findNames(all(ours), '&sort=name&order=DESC')).toEqual([a, b]);
    expect(await findNames(all(ours), '&q=LICENCE')).toEqual([a]);
    expect(await findNames(all(ours, condition('schemas', 'contains', 'licence')))).toEqual([a]);
    expect(await findNames(all(ours, condition('schemaCount', 'less_than', 2)))).toEqual([b]);
    const testFilter = await admin.post('/api/filter-test', { entity: 'reference-types', filter: all(ours) });
    expect(done(testFilter)).toMatchObject({ total: 2, items: [{ name: b }, { name: a }] });
  });

  it('of site paths or of projections can be filtered', async () => {
    const guarded = await find('site-paths', all(condition('guard', 'equals', 'Administrators')), '&pageSize=1000');
    expect(guarded.map(({ path }) => path)).toContain('/audit-logs');
    const paths = (await find('site-paths', all(), '&pageSize=1000')).map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
    expect(guarded.every(({ guard }) => guard === 'administrator')).toBe(true);
    expect(await find('site-paths', all(condition('permission', 'is_null')), '&q=/auth/callback')).toMatchObject([
      { path: '/auth/callback', guard: 'public', permission: null, allowed: true },
    ]);
    const serving = all(condition('name', 'equals', 'audit_log'), condition('serving', 'equals', true));
    expect(await find('projections', serving)).toMatchObject([{ name: 'audit_log', failure: null }]);
    expect(await find('projections', all(condition('lag', 'less_than', 0)))).toEqual([]);
  });

  it('of jobs, of job log lines or of the activity of a collection can be filtered', async () => {
    const mine = all(condition('jobId', 'equals', ids['job-logs']), condition('startedBy', 'equals', 'steward'));
    expect(await find('jobs', mine)).toMatchObject([{ description: 'Agents', workflowPhase: 'COMPLETE' }]);
    expect(await find('jobs', all(...mine.conditions, condition('workflowPhase', 'equals', 'IMPORT')))).toEqual([]);
    const failed = await find('job-logs', all(condition('errorMessage', 'contains', 'key field')));
    expect(failed).toMatchObject([{ status: 'ERROR' }]);
    const created = await find('collection-activity', all(condition('action', 'equals', 'CollectionCreated')));
    expect(created).toHaveLength(1);
    const { name } = done(await admin.get(`/api/reference-data/${dataSet}`));
    const added = all(condition('dataSets', 'contains', name), condition('username', 'equals', 'steward'));
    expect((await find('collection-activity', added)).map(({ dataSets }) => dataSets)).toEqual([
      [{ id: dataSet, name }],
    ]);
  });

  it('of a comparison or of job logs is limited by a filter configuration', async () => {
    const offered = { dataType: 'string', allowedOperators: ['equals'] };
    const configure = async (entityType: string, fieldName: string) =>
      done(await admin.post('/api/filter-configurations', { entityType, fieldName, ...offered })).id;
    const configurationIds = [
      await configure(`comparison:${dataSet}`, 'targetValue'),
      await configure('job-logs', 'errorType'),
    ];
    const refused = { status: 400, body: { error: expect.stringContaining('is not offered') } };
    const [comparisonQuery, jobLogsQuery] = ['targetValue', 'errorType'].map((field) =>
      query(all(condition(field, 'is_null'))),
    );
    expect(
      await admin.eventually(`${pathOf('comparison')}?${comparisonQuery}`, ({ status }) => status === 400),
    ).toMatchObject(refused);
    expect(
      await admin.eventually(`${pathOf('job-logs')}?${jobLogsQuery}`, ({ status }) => status === 400),
    ).toMatchObject(refused);
    for (const id of configurationIds)
      done(await admin.delete(`/api/filter-configurations/${id}`, undefined, { ifMatch: 1 }));
    const jobLogsTest = { entity: 'job-logs', filter: null };
    expect(await admin.post('/api/filter-test', jobLogsTest)).toMatchObject({
      status: 400,
      body: { error: 'There are many lists of this kind: test the filter on the page of the list' },
    });
  });
});

describe('a saved filter', () => {
  it('restores the view of a list', async () => {
    const name = uniqueName('Zeros');
    const { id } = await save(steward, { name });
    const savedFilter = (await listSaved(steward)).find((each) => each.id === id);
    expect(savedFilter).toMatchObject({ name, entity, isShared: false, revision: 1, view: { ...view, q: null } });
    const page = done(
      await steward.get(
        `/api/reference-data/${dataSet}/instances?sort=code&order=DESC&${query(savedFilter?.view.filter)}`,
      ),
    );
    expect(page.items.map((row: Json) => row.data.code)).toEqual(['008', '007']);
  });

  it('is private until its owner shares the filter with the readers of the list', async () => {
    const { id } = await save(steward);
    expect((await listSaved(viewer)).some((each) => each.id === id)).toBe(false);
    done(await steward.patch(`/api/saved-filters/${id}`, { isShared: true }, { ifMatch: 1 }));
    const listed = await viewer.eventually(`/api/saved-filters?entity=${entity}`, ({ body }) =>
      body.items.some((each: Json) => each.id === id),
    );
    expect(listed.body.items.find((each: Json) => each.id === id)).toMatchObject({ isShared: true, revision: 2 });
    expect(await listSaved(outsider)).toEqual([]);
    const { id: auditFilterId } = done(
      await admin.post('/api/saved-filters', { name: uniqueName('Audit'), entity: 'audit', view: {}, isShared: true }),
    );
    expect((await listSaved(admin, 'audit')).map((each) => each.id)).toContain(auditFilterId);
    expect(await listSaved(viewer, 'audit')).toEqual([]);
  });

  it('is changed only by its owner, and hidden from other users while private', async () => {
    const { id } = await save(steward, { isShared: true });
    const answer = await viewer.patch(`/api/saved-filters/${id}`, { name: uniqueName('Mine') });
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const { id: privateId } = await save(steward);
    expect((await viewer.delete(`/api/saved-filters/${privateId}`)).status).toBe(404);
    expect((await outsider.post('/api/saved-filters', { name: 'x', entity, view })).status).toBe(404);
  });

  it('follows renamed fields, and is listed in the preview of the removal of a field', async () => {
    const typeId = await newType(steward, [{ name: 'rank', dataType: 'number' }]);
    const id = await newDataSet(steward, typeId, collectionId, ROWS);
    const list = `data-set:${id}`;
    const filter = all(condition('name', 'starts_with', 'B'), {
      logic: 'OR',
      conditions: [condition('id', 'is_not_null')],
    });
    const savedFilter = await save(steward, {
      entity: list,
      isShared: true,
      view: { filter, sort: 'name', columns: ['code', 'name', 'updatedAt'] },
    });
    const fields: Json[] = done(await steward.get(`/api/reference-types/${typeId}/schemas`));
    const swapped = fields.map(({ fieldId, name, dataType, isPrimaryKey }) => ({
      fieldId,
      name: name === 'name' ? 'rank' : name === 'rank' ? 'name' : name,
      dataType,
      isPrimaryKey,
    }));
    const { revision } = done(await steward.get(`/api/reference-types/${typeId}`));
    done(await steward.put(`/api/reference-types/${typeId}/schemas`, { schemas: swapped }, { ifMatch: revision }));

    const [renamed] = await listSaved(steward, list);
    expect(renamed?.view).toMatchObject({
      filter: {
        conditions: [{ field: 'rank', operator: 'starts_with', value: 'B' }, { conditions: [{ field: 'id' }] }],
      },
      sort: 'rank',
      columns: ['code', 'rank', 'updatedAt'],
    });
    const page = done(await steward.get(`/api/reference-data/${id}/instances?${query(renamed?.view.filter)}`));
    expect(page.items.map((row: Json) => row.data.rank).sort()).toEqual(['Bill', 'Bond']);

    const withoutRank = swapped.filter(({ name }) => name !== 'rank');
    const previewPath = `/api/reference-types/${typeId}/schema-preview`;
    const named = { id: savedFilter.id, name: savedFilter.name, dataSet: { id }, fields: ['rank'] };
    expect(done(await steward.post(previewPath, { schemas: withoutRank })).savedFilters).toMatchObject([named]);
    expect(done(await steward.post(previewPath, { schemas: swapped })).savedFilters).toEqual([]);
    // The preview of another user does not list a private filter.
    done(await steward.patch(`/api/saved-filters/${savedFilter.id}`, { isShared: false }, { ifMatch: 1 }));
    await admin.eventually(`/api/saved-filters?entity=${list}`, ({ body }) => body.total === 0);
    expect(done(await admin.post(previewPath, { schemas: withoutRank })).savedFilters).toEqual([]);
  });

  it('has a unique name among the filters of its owner for the same list', async () => {
    const name = uniqueName('Zeros');
    const { id } = await save(steward, { name });
    const duplicate = await steward.post('/api/saved-filters', { name: name.toUpperCase(), entity, view });
    expect(duplicate).toMatchObject({
      status: 409,
      body: {
        code: 'NAME_TAKEN',
        error: `You have a filter named "${name.toUpperCase()}" for this list: choose another name`,
      },
    });
    // Filters of other users and of other lists may have the same name.
    done(await viewer.post('/api/saved-filters', { name, entity, view }));
    done(await steward.post('/api/saved-filters', { name, entity: 'data-sets', view: {} }));
    // After a rename, the former name of the filter is free.
    done(await steward.patch(`/api/saved-filters/${id}`, { name: uniqueName('Renamed') }));
    const { id: second } = await save(steward, { name });
    done(await steward.delete(`/api/saved-filters/${second}`));
    expect((await listSaved(steward)).some((each) => each.id === second)).toBe(false);
    await save(steward, { name });
  });

  it('is refused if it filters by a person, and leaves its name free', async () => {
    const name = uniqueName('Jobs');
    const ofPerson = { name, entity: 'jobs', view: { filter: all(condition('startedBy', 'equals', 'ada')) } };
    expect(await steward.post('/api/saved-filters', ofPerson)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('names a person') },
    });
    await save(steward, { name, entity: 'jobs', view: {} });
  });

  it('is refused if it searches a list whose search finds names of people', async () => {
    const search = { name: uniqueName('Activity'), entity: 'collection-activity', view: { q: 'ada' } };
    expect(await steward.post('/api/saved-filters', search)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('may name a person') },
    });
    await save(steward, { ...search, view: {} });
  });

  it('is not overwritten after a concurrent change', async () => {
    const { id } = await save(steward);
    done(await steward.patch(`/api/saved-filters/${id}`, { view: { ...view, q: 'b' } }, { ifMatch: 1 }));
    const stale = await steward.patch(`/api/saved-filters/${id}`, { isShared: true }, { ifMatch: 1 });
    expect(stale).toMatchObject({ status: 412, body: { code: 'STALE', details: { current: { revision: 2 } } } });
  });

  it.each([
    ['an unknown list', { entity: 'things' }, /There is no such list/],
    ['an unknown operator', { view: { filter: all(condition('code', 'like', 'x')) } }, /./],
    ['no name', { name: ' ' }, /Name is required/],
  ])('is refused with %s', async (_, wrong, refusal) => {
    const answer = await steward.post('/api/saved-filters', { name: 'x', entity, view, ...wrong });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(refusal) } });
  });
});

describe('a filter configuration', () => {
  let other: number;
  let entityOfOther: string;
  beforeAll(async () => {
    other = await newDataSet(steward, await newType(steward), collectionId, ROWS);
    entityOfOther = `data-set:${other}`;
  });
  const configure = (overrides: Json) =>
    admin.post('/api/filter-configurations', { entityType: entityOfOther, dataType: 'string', ...overrides });
  const list = (filter: Json) => steward.get(`/api/reference-data/${other}/instances?${query(filter)}`);

  it('limits the filters of a list, its export and its selections', async () => {
    const { id } = done(
      await configure({ fieldName: 'code', allowedOperators: ['equals', 'in'], displayName: 'Code' }),
    );
    await steward.eventually(`/api/filter-configurations?entity=${entityOfOther}`, ({ body }) => body.total === 1);
    const refusal = '“starts_with” is not offered for “Code” in this list: use equals, in';
    expect(await list(zeros)).toMatchObject({ status: 400, body: { error: refusal } });
    expect(await steward.get(`/api/reference-data/${other}/export?${query(zeros)}`)).toMatchObject({ status: 400 });
    const frozen = { kind: 'instances', parentId: other, filter: JSON.stringify(zeros) };
    expect(await steward.post('/api/selections', frozen)).toMatchObject({ status: 400, body: { error: refusal } });
    expect((await list(all(condition('code', 'equals', '007')))).body.total).toBe(1);
    expect((await list(all(condition('name', 'starts_with', 'B')))).body.total).toBe(2);
    // The list of another data set is not limited.
    expect((await steward.get(`/api/reference-data/${dataSet}/instances?${query(zeros)}`)).body.total).toBe(2);

    done(await admin.patch(`/api/filter-configurations/${id}`, { isActive: false }));
    await steward.eventually(
      `/api/filter-configurations?entity=${entityOfOther}`,
      ({ body }) => !body.items[0].isActive,
    );
    expect((await list(all(condition('code', 'equals', '007')))).body.error).toBe(
      'This list cannot be filtered by “Code”: the filter of this field is switched off',
    );
    done(await admin.delete(`/api/filter-configurations/${id}`));
    await steward.eventually(`/api/filter-configurations?entity=${entityOfOther}`, ({ body }) => body.total === 0);
    expect((await list(zeros)).body.total).toBe(2);
    done(await configure({ fieldName: 'code' }));
  });

  it('follows its field when the field is renamed', async () => {
    const { typeId } = done(await steward.get(`/api/reference-data/${other}`));
    done(await configure({ fieldName: 'name', allowedOperators: ['equals'] }));
    const schemas = done(await steward.get(`/api/reference-types/${typeId}/schemas`)) as Json[];
    const renamed = schemas.map((field) => ({ ...field, name: field.name === 'name' ? 'label' : field.name }));
    done(await steward.put(`/api/reference-types/${typeId}/schemas`, { schemas: renamed }));
    await steward.eventually(`/api/filter-configurations?entity=${entityOfOther}`, ({ body }) =>
      body.items.some((each: Json) => each.fieldName === 'label'),
    );
    const refused = await list(all(condition('label', 'contains', 'B')));
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('use equals') } });
    const secondConfiguration = await configure({ fieldName: 'label' });
    expect(secondConfiguration).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('is configured already') },
    });
  });

  it.each([
    ['an unknown field', { fieldName: 'colour' }, 'There is no field “colour” in this data set'],
    ['no field', {}, 'Field name is required'],
    ['no list', { entityType: undefined, fieldName: 'code' }, 'Entity type is required'],
    [
      'an operator that the type of the field does not have',
      { entityType: 'data-sets', fieldName: 'isPublic', dataType: 'boolean', allowedOperators: ['regex'] },
      '“regex” does not apply to “isPublic”: for boolean choose from equals, not_equals, in, not_in, is_null, is_not_null',
    ],
  ])('is refused for %s', async (_, wrong, refusal) => {
    expect(await configure(wrong)).toMatchObject({ status: 400, body: { error: refusal } });
  });
});

describe('the filter test', () => {
  const testFilter = (filter: Json, list = entity) => admin.post('/api/filter-test', { entity: list, filter });

  it('returns the rows and the count that the list would return, with duration and cost', async () => {
    const body = done(await testFilter(zeros));
    expect(body.items.map((row: Json) => row.key)).toEqual(['007', '008']);
    expect(body).toMatchObject({ total: 2, milliseconds: expect.any(Number), cost: expect.any(Number) });
    expect(body.cost).toBeGreaterThan(0);
    expect(body.fields).toContainEqual({ name: 'rank', label: 'rank', dataType: 'number' });
    const unfiltered = done(await testFilter(null));
    expect(unfiltered.total).toBe(3);
  });

  it.each(
    (Object.keys(LISTS) as ListName[]).filter((name) => !listKind(name).of && !listKind(name).isConfiguredTogether),
  )('returns the fields and at most 50 items of %s', async (list) => {
    const body = done(await testFilter(null, list));
    expect(body.fields.length).toBeGreaterThan(0);
    expect(body.items.length).toBeLessThanOrEqual(50);
  });

  it('refuses an unknown field and an unknown data set', async () => {
    expect(await testFilter(all(condition('colour', 'equals', 'x')))).toMatchObject({
      status: 400,
      body: { error: 'There is no field “colour” to filter by' },
    });
    expect((await testFilter(null, 'data-set:999999999')).status).toBe(404);
  });

  it('cancels and reports a catastrophic regular expression', async () => {
    const hostile = await newDataSet(steward, await newType(steward), collectionId, [
      { code: 'a', name: `${'a'.repeat(1_001)}b` },
    ]);
    const entity = `data-set:${hostile}`;
    await admin.eventually(`/api/reference-data/${hostile}/instances`, ({ body }) => body.total === 1);
    const regex = all(condition('name', 'regex', '^(a*)(a*)(a*)(a*)\\1\\2\\3\\4b$'));
    const answer = await testFilter(regex, entity);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^The regular expression takes too long, so it was cancelled/) },
    });
    expect(done(await testFilter(all(condition('name', 'regex', '^a+b$')), entity)).total).toBe(1);
  });
});
