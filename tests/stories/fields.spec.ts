/** Tests that routes return the fields listed in docs/fields.md, and tests the values of some of these fields. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  done,
  draft,
  endOfJob,
  newCollection,
  newCrosswalk,
  newDataSet,
  newType,
  rowsOf,
  userIds,
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

interface Field {
  record: string;
  name: string;
  route: string;
  path: string;
}

/** Returns the fields in docs/fields.md that have a route. Fields without a route are not served. */
function servedFields(): Field[] {
  const fields: Field[] = [];
  let record = '';
  for (const line of readFileSync(new URL('../../docs/fields.md', import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('## ')) record = line.slice(3);
    const [name, route, path] = [...line.matchAll(/\| +`([^`]+)` +(?=\|)/g)].map(([, cell]) => cell as string);
    if (name && route && path) fields.push({ record, name, route, path });
  }
  return fields;
}

/** Returns whether the field exists in every item that the path selects; false if the path selects no item. */
function hasField(answer: Json, path: string): boolean {
  const [step = '', ...rest] = path.split('.');
  const [, name = '', list] = /^(\w*)(\[\d*\])?$/.exec(step) ?? [];
  const value = name === '' ? answer : answer?.[name];
  if (value === undefined) return false;
  if (list === undefined) return rest.length === 0 || hasField(value, rest.join('.'));
  const rows: Json[] = list === '[]' ? value : value.slice(Number(list.slice(1, -1))).slice(0, 1);
  return rows.length > 0 && rows.every((row) => hasField(row, rest.join('.')));
}

let admin: HttpClient;
let steward: HttpClient;
let approver: HttpClient;
const ids: Record<string, number> = {};

/** Creates a crosswalk with an approved definition, an approved mapping and a missing mapping. */
async function createReviewedCrosswalk(source: number, target: number): Promise<void> {
  const crosswalkId = await newCrosswalk(steward, source, target);
  const path = `/api/crosswalks/${crosswalkId}`;
  done(await steward.post(`${path}/submit`));
  done(await approver.post(`${path}/approve`));
  const rows = await draft(steward, crosswalkId, [['fr', 'FRA']]);
  done(await steward.post(`${path}/mappings/submit`, { rows, comment: 'As ISO lists them' }));
  const filter = JSON.stringify({
    logic: 'AND',
    conditions: [{ field: 'sourceValue', operator: 'equals', value: 'fr' }],
  });
  const selection = { kind: 'mappings', parentId: crosswalkId, tab: 'pending', filter };
  const { selectionId } = done(await approver.post('/api/selections', selection));
  done(await approver.post(`${path}/mappings/approve`, { selectionId }));
  done(await steward.post('/api/missing-mappings', { crosswalkId, sourceValue: 'xx', context: 'A story' }));
  Object.assign(ids, { crosswalkId, mappingId: rows[0]?.id });
}

/** Creates a relationship with an attribute, and a value that was changed, submitted, recalled and changed again. */
async function createRelationshipWithValue(sourceDataSetId: number, targetDataSetId: number): Promise<void> {
  const relationship = { name: uniqueName('Relationship'), sourceField: 'code', targetField: 'code' };
  const { id } = done(await steward.post('/api/relationships', { ...relationship, sourceDataSetId, targetDataSetId }));
  const path = `/api/relationships/${id}`;
  done(await steward.post(`${path}/attributes`, { name: 'share', dataType: 'number' }));
  const value = { sourceKey: 'fr', targetKey: 'FRA', attributes: { share: 1 } };
  const [drafted] = rowsOf(done(await steward.post(`${path}/values`, { rows: [value] })));
  const rows = rowsOf(
    done(await steward.patch(`${path}/values`, { rows: [{ ...drafted, attributes: { share: 2 } }] })),
  );
  Object.assign(ids, { relationshipId: id, valueId: drafted?.id });
  done(await steward.post(`${path}/values/submit`, { rows, comment: 'As it is' }));
  const recalled = rowsOf(done(await steward.post(`${path}/values/recall`, { rows: await revisions(path) })));
  done(await steward.patch(`${path}/values`, { rows: recalled.map((row) => ({ ...row, attributes: { share: 3 } })) }));
}

const revisions = async (path: string): Promise<Json[]> =>
  done(await steward.get(`${path}/values`)).items.map(({ id, revision }: Json) => ({ id, revision }));

/** Imports a file with an invalid row. */
async function importRows(dataSetId: number): Promise<void> {
  const form = new FormData();
  form.set('dataSetId', String(dataSetId));
  form.set('file', new Blob(['code,name\nbe,Belgium\n,Nowhere\n']), 'countries.csv');
  const staged = done(await steward.post('/api/imports', form));
  const { jobId } = done(await steward.post(`/api/imports/${staged.id}/start`, { description: 'Countries' }));
  await endOfJob(steward, jobId);
  ids['jobId'] = jobId;
}

beforeAll(async () => {
  [admin, steward, approver] = await Promise.all([signInAs('admin'), signInAs('steward'), signInAs('approver')]);
  const idByUsername = await userIds(steward);
  const grants = [
    { entityType: 'user', entityId: idByUsername['approver'], permissionLevel: 'APPROVER' },
    { entityType: 'user', entityId: idByUsername['viewer'], permissionLevel: 'READ' },
  ];
  const collectionId = await newCollection(steward, grants);
  const typeId = await newType(steward);
  const source = await newDataSet(steward, typeId, collectionId, [{ code: 'fr', name: 'France' }]);
  const target = await newDataSet(steward, typeId, collectionId, [{ code: 'FRA', name: 'France' }]);
  const { id: groupId } = done(await admin.post('/api/groups', { name: uniqueName('Group') }));
  done(await admin.put(`/api/groups/${groupId}/members`, { userIds: [idByUsername['viewer']] }));
  const key = { name: uniqueName('Key'), scopes: [{ collectionId, scope: 'read' }] };
  done(await admin.post('/api/api-keys', key));
  const configuration = { entityType: `data-set:${source}`, fieldName: 'code', dataType: 'string' };
  done(await admin.post('/api/filter-configurations', configuration));
  Object.assign(ids, { collectionId, typeId, dataSetId: source, groupId, userId: idByUsername['viewer'] });
  await createReviewedCrosswalk(source, target);
  await createRelationshipWithValue(source, target);
  await importRows(source);
}, 120_000);

describe('the tables of docs/fields.md', () => {
  const fields = servedFields();

  it('name the fields of more than 25 records', () => {
    expect(new Set(fields.map(({ record }) => record)).size).toBeGreaterThan(25);
  });

  it.each([...new Set(fields.map(({ route }) => route))])('name only fields that %s returns', async (route) => {
    const path = route.replace('GET ', '').replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const answer = done(await admin.get(path));
    const absent = fields.filter((field) => field.route === route && !hasField(answer, field.path));
    expect(absent).toEqual([]);
  });
});

it('the history of a relationship value shows IP addresses and user agents only to administrators', async () => {
  const path = `/api/relationships/${ids['relationshipId']}/values/${ids['valueId']}/history`;
  const [entryForAdmin] = done(await admin.get(path)).items;
  const [entryForSteward] = done(await steward.get(path)).items;
  expect(entryForAdmin).toMatchObject({
    username: 'steward',
    ipAddress: expect.any(String),
    userAgent: expect.any(String),
  });
  expect(entryForSteward).toEqual({ ...entryForAdmin, ipAddress: null, userAgent: null });
  expect(entryForSteward).toMatchObject({
    actionType: 'EDITED',
    statusChange: { from: 'DRAFT', to: 'DRAFT' },
    fieldChanges: { share: { from: 2, to: 3 } },
  });
});

it('the audit log records approved mappings with their selection and their waiting time', async () => {
  const filter = JSON.stringify({
    logic: 'AND',
    conditions: [
      { field: 'entityType', operator: 'equals', value: 'mappings' },
      { field: 'entityId', operator: 'equals', value: ids['crosswalkId'] },
    ],
  });
  const path = `/api/audit-logs?kind=approvals&filter=${encodeURIComponent(filter)}`;
  const [approved, submitted] = done(await admin.get(path)).items;
  const { batchId } = approved;
  expect(approved).toMatchObject({
    action: 'MappingsApproved',
    approvalType: 'MAPPING',
    recordIds: [ids['mappingId']],
    recordNames: ['fr → FRA'],
    approvalMethod: 'SINGLE',
    processingTime: expect.any(Number),
    filterCriteria: {
      kind: 'mappings',
      tab: 'pending',
      filter: { conditions: [{ field: 'sourceValue', value: 'fr' }] },
    },
    businessContext: { crosswalk: { id: ids['crosswalkId'] }, dataSets: [{ id: ids['dataSetId'] }, {}] },
  });
  expect(submitted).toMatchObject({ batchId, processingTime: null, filterCriteria: null });
  expect(submitted.operationMetadata.commandId).toBe(batchId);
});

it('the audit log records how many rows of an import each rule rejected, with job and file', async () => {
  const filter = JSON.stringify({
    logic: 'AND',
    conditions: [
      { field: 'action', operator: 'equals', value: 'ImportPhaseCompleted' },
      { field: 'entityId', operator: 'equals', value: ids['jobId'] },
    ],
  });
  const { items } = done(await admin.get(`/api/audit-logs?filter=${encodeURIComponent(filter)}`));
  expect(items.map(({ validationResults }: Json) => validationResults)).toEqual([
    null,
    { counts: expect.objectContaining({ total: 2, failed: 1 }), rules: { MISSING_KEY: 1 } },
  ]);
  expect(items[0].operationMetadata).toMatchObject({ jobId: ids['jobId'], fileName: 'countries.csv' });
});
