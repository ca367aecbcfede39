/** Tests that reads as of an earlier time return stable results, and 404 for items that did not exist at that time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WORDS } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, withFieldChange } from './field-rename.ts';
import {
  done,
  draft,
  newCollection,
  newCrosswalk,
  newDataSet,
  newSharedCollection,
  newType,
  rowsOf,
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';

describe('an item created later', () => {
  it('returns 404 as of an earlier time, even to users who may read it now', async () => {
    const [steward, viewer] = await Promise.all([signInAs('steward'), signInAs('viewer')]);
    const before = `asOf=${encodeURIComponent(new Date(Date.now() - 60_000).toISOString())}`;
    const collectionId = await newCollection(steward);
    const typeId = await newType(steward);
    const dataSetId = await newDataSet(steward, typeId, collectionId, [{ code: 'de' }]);
    const crosswalkId = await newCrosswalk(steward, dataSetId, await newDataSet(steward, typeId, collectionId));
    const [row] = done(await steward.get(`/api/reference-data/${dataSetId}/instances`)).items;
    const notFoundAnswer = (error: string) => ({ status: 404, body: { code: 'NOT_FOUND', error } });
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
      expect(await steward.get(`${path}${before}`), path).toMatchObject(
        notFoundAnswer('This did not exist yet at that time'),
      );
    }
    // A hidden item and an unused id get the same answer, so that the answer does not reveal whether an item exists.
    expect(await viewer.get(`/api/reference-data/${dataSetId}?${before}`)).toMatchObject(notFoundAnswer('Not found'));
    expect(await steward.get(`/api/crosswalks/999999?${before}`)).toMatchObject(notFoundAnswer('Not found'));
  });
});

/** A wait that is longer than the resolution of times in a ZIP file. */
const ZIP_TICK_MS = 2_100;

/** Returns the examples of a read's query parameters except asOf, because some parameters are required. */
const exampleQuery = ({ parameters }: Json): string =>
  parameters
    .filter(({ in: place, name, example }: Json) => place === 'query' && name !== 'asOf' && example !== undefined)
    .map(({ name, example }: Json) => `&${name}=${encodeURIComponent(example)}`)
    .join('');

describe('a read', () => {
  it('accepts asOf exactly if the API document lists the parameter, and refuses a time in the future', async () => {
    const admin = await signInAs('admin');
    const collectionId = await newCollection(admin);
    const typeId = await newType(admin);
    const dataSetId = await newDataSet(admin, typeId, collectionId, [{ code: 'de' }]);
    const crosswalkId = await newCrosswalk(admin, dataSetId, await newDataSet(admin, typeId, collectionId));
    const listed = await admin.eventually(
      `/api/reference-data/${dataSetId}/instances`,
      ({ body }) => body.items.length === 1,
    );
    const [row] = listed.body.items;
    const ids: Record<string, number> = {
      'reference-types': typeId,
      collections: collectionId,
      crosswalks: crosswalkId,
    };
    const { seq } = done(
      await admin.get(`/api/moment?asOf=${encodeURIComponent(new Date(Date.now() - 1).toISOString())}`),
    );
    const document = done(await admin.get('/api/openapi.json'));
    const reads = Object.entries<Json>(document.paths).filter(
      ([path, { get }]) => get?.security.length > 0 && !path.endsWith('/stream'),
    );
    expect(reads.length).toBeGreaterThan(60);
    for (const [path, { get }] of reads) {
      const kind = path.split('/')[2] ?? '';
      const address = path
        .replace('{instanceId}', String(row.id))
        .replace(/\{\w+\}/, String(ids[kind] ?? dataSetId))
        .replaceAll(/\{\w+\}/g, '1');
      const readAt = (pastSeq: number) => admin.get(`${address}?asOf=seq:${pastSeq}${exampleQuery(get)}`);
      const late = await readAt(999_999_999);
      expect([path, late.status], JSON.stringify(late.body)).toEqual([path, 400]);
      const past = await readAt(seq);
      const isListed = get.parameters.some(({ name }: Json) => name === 'asOf');
      expect([path, past.body?.error !== WORDS.noPast]).toEqual([path, isListed]);
    }
  });
});

describe('a read as of an earlier time', () => {
  let steward: HttpClient;
  let approver: HttpClient;
  let collectionId: number;
  let source: number;
  let target: number;
  let crosswalkId: number;
  let relationshipId: number;
  let rows: Json[];
  /** The last event before the tests change the data, and the time of this event. */
  let seq: number;
  let at: string;
  /** User and time of the data set's last change. `present` is read before the tests, `asOf` reads it as of `seq`. */
  let lastChange: { present: Json; asOf: () => Promise<Json> };

  const downloadFile = async (path: string, person = steward): Promise<{ bytes: string; name: string | null }> => {
    const response = await person.download(path);
    expect(response.status, path).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer()).toString('base64');
    return { bytes, name: response.headers.get('Content-Disposition') };
  };
  const exportPaths = (asOf: string) => [
    ...['csv', 'xlsx', 'json'].map((format) => `/api/reference-data/${source}/export?format=${format}&asOf=${asOf}`),
    ...['csv', 'json', 'conceptmap', 'sssom'].map(
      (format) => `/api/crosswalks/${crosswalkId}/export?format=${format}&tab=approved&asOf=${asOf}`,
    ),
    `/api/crosswalk/comparison/${target}/export?asOf=${asOf}`,
    ...['csv', 'xlsx', 'json'].map(
      (format) => `/api/relationships/${relationshipId}/export?format=${format}&asOf=${asOf}`,
    ),
  ];
  const readPaths = (asOf: string) =>
    [
      `/api/reference-data/${source}?`,
      `/api/reference-data?filter=${encodeURIComponent(JSON.stringify({ conditions: [{ field: 'id', operator: 'equals', value: source }] }))}&`,
      `/api/reference-data/${source}/dependencies?`,
      `/api/reference-data/${source}/graph?`,
      `/api/reference-data/${source}/instances?sort=code&order=DESC&`,
      `/api/reference-data/${source}/instances/${rows[0].id}/history?`,
      `/api/reference-data/${source}/instances/${rows[0].id}/references?`,
      `/api/crosswalks/${crosswalkId}?`,
      `/api/crosswalks/${crosswalkId}/mappings?tab=approved&`,
      `/api/crosswalks/${crosswalkId}/mappings/counts?`,
      `/api/crosswalks/${crosswalkId}/history?`,
      `/api/crosswalks/${crosswalkId}/translate?value=de&`,
      `/api/crosswalk/comparison/${target}?`,
      `/api/relationships/${relationshipId}?`,
      `/api/relationships/${relationshipId}/values?tab=draft&`,
      `/api/relationships/${relationshipId}/values/counts?`,
      `/api/collections/${collectionId}?`,
      `/api/collections/${collectionId}/items?`,
    ].map((path) => `${path}asOf=${asOf}`);

  beforeAll(async () => {
    [steward, approver] = await Promise.all([signInAs('steward'), signInAs('approver')]);
    collectionId = await newSharedCollection(steward);
    const typeId = await newType(steward);
    source = await newDataSet(steward, typeId, collectionId, [
      { code: 'de', name: 'Germany' },
      { code: 'fr', name: 'France' },
    ]);
    target = await newDataSet(steward, typeId, collectionId, [{ code: 'DEU' }, { code: 'FRA' }]);
    crosswalkId = await newCrosswalk(steward, source, target);
    relationshipId = done(
      await steward.post('/api/relationships', {
        name: `Means ${source}`,
        cardinality: 'MANY_TO_MANY',
        sourceDataSetId: source,
        targetDataSetId: target,
        sourceField: 'code',
        targetField: 'code',
      }),
    ).id;
    done(
      await steward.post(`/api/relationships/${relationshipId}/values`, {
        rows: [{ sourceKey: 'de', targetKey: 'DEU' }],
      }),
    );
    const path = `/api/crosswalks/${crosswalkId}`;
    const drafted = await draft(steward, crosswalkId, [['de', 'DEU']]);
    const submitted = rowsOf(done(await steward.post(`${path}/mappings/submit`, { rows: drafted })));
    done(await approver.post(`${path}/approve`));
    done(await approver.post(`${path}/mappings/approve`, { rows: submitted }));
    rows = done(await approver.get(`/api/reference-data/${source}/instances`)).items;
    const approved = done(await approver.get(`${path}/mappings?tab=approved`)).items[0];
    at = approved.approvedAt;
    ({ seq } = done(await approver.get(`/api/moment?asOf=${encodeURIComponent(at)}`)));
    const changeOf = async (path: string) => {
      const { updatedAt, updatedBy } = done(await approver.get(path));
      return { updatedAt, updatedBy };
    };
    lastChange = {
      present: await changeOf(`/api/reference-data/${source}`),
      asOf: () => changeOf(`/api/reference-data/${source}?asOf=seq:${seq}`),
    };
  });

  it('returns the same bytes before and after later changes', async () => {
    const asOf = `seq:${seq}`;
    const before = {
      files: await Promise.all(exportPaths(asOf).map((path) => downloadFile(path))),
      pages: [] as Json[],
    };
    for (const path of readPaths(asOf)) before.pages.push(done(await steward.get(path)));

    const [de, fr] = rows;
    done(
      await steward.patch(`/api/reference-data/${source}/instances`, [
        { ...rowRevision(de), data: { name: 'Deutschland' } },
      ]),
    );
    done(await steward.delete(`/api/reference-data/${source}/instances`, { rows: [rowRevision(fr)] }));
    done(
      await steward.patch(
        `/api/reference-data/${source}`,
        { name: `Renamed ${source}` },
        { ifMatch: revisionOf(before) },
      ),
    );
    const [mapping] = done(await approver.get(`/api/crosswalks/${crosswalkId}/mappings?tab=approved`)).items;
    done(
      await approver.post(`/api/crosswalks/${crosswalkId}/mappings/revoke`, {
        rows: [rowRevision(mapping)],
        comment: 'It was wrong',
      }),
    );
    const { revision, name } = done(await steward.get(`/api/collections/${collectionId}`));
    done(await steward.patch(`/api/collections/${collectionId}`, { name: `Not ${name}` }, { ifMatch: revision }));
    const related = `/api/relationships/${relationshipId}/values`;
    const [value] = done(await steward.get(`${related}?tab=draft`)).items;
    done(await steward.delete(related, { rows: [rowRevision(value)] }));
    // Check that the current data differs from the past data.
    expect(done(await steward.get(`${related}/counts`))).toMatchObject({ draft: 0, deleted: 1 });
    const currentCounts = done(await approver.get(`/api/crosswalks/${crosswalkId}/mappings/counts`));
    expect(currentCounts).toMatchObject({ approved: 0, rejected: 1 });
    expect((await downloadFile(`/api/reference-data/${source}/export`)).name).toContain('Renamed');
    await sleep(ZIP_TICK_MS);

    // The results are the same with the number of the event or its time. The files are the same for another user.
    for (const sameTime of [asOf, encodeURIComponent(at)]) {
      const after = {
        files: await Promise.all(exportPaths(sameTime).map((path) => downloadFile(path))),
        pages: [] as Json[],
      };
      for (const path of readPaths(sameTime)) after.pages.push(done(await steward.get(path)));
      expect(after).toEqual(before);
    }
    const filesOfApprover = await Promise.all(exportPaths(asOf).map((path) => downloadFile(path, approver)));
    expect(filesOfApprover).toEqual(before.files);
  });

  it('names the user and the time of the last change of a data set before that time', async () => {
    expect(lastChange.present.updatedBy).toEqual(expect.any(Number));
    expect(await lastChange.asOf()).toEqual(lastChange.present);
  });

  it('names users only by their ids', async () => {
    const { bytes } = await downloadFile(`/api/crosswalks/${crosswalkId}/export?tab=approved&asOf=seq:${seq}`);
    const [head = '', row = ''] = Buffer.from(bytes, 'base64').toString().split('\r\n');
    const cells = Object.fromEntries(head.split(',').map((column, index) => [column, row.split(',')[index]]));
    const id = done(await approver.get('/api/user')).id;
    expect(cells).toMatchObject({ sourceValue: 'de', approvedBy: String(id) });
  });

  it('accepts the number of an event, and refuses a time in the future and a text that is not a time', async () => {
    expect(done(await steward.get(`/api/moment?asOf=seq:${seq}`))).toEqual({ seq, at });
    expect(done(await steward.get('/api/moment?asOf=seq:0'))).toEqual({ seq: 0, at: null });
    for (const asOf of ['seq:999999999', 'tomorrow', '2199-01-01']) {
      expect((await steward.get(`/api/moment?asOf=${asOf}`)).status, asOf).toBe(400);
    }
  });

  it('is refused for lists and statistics without a history, and returns null for counts without a history', async () => {
    for (const path of [
      `/api/crosswalks/${crosswalkId}/statistics`,
      `/api/crosswalks/${crosswalkId}/suggestions`,
      '/api/approvals',
      '/api/approvals/statistics',
      '/api/missing-mappings',
    ]) {
      const answer = await approver.get(`${path}?asOf=seq:${seq}`);
      expect([path, answer.status, answer.body.error]).toEqual([path, 400, expect.stringContaining('leave asOf out')]);
    }
    const counts = done(await steward.get(`/api/crosswalks/${crosswalkId}/mappings/counts?asOf=seq:${seq}`));
    expect(counts).toMatchObject({ unmapped: 1, approved: 1, rejected: 0, suggested: null, progress: null });
    const { missingCount, mappedPercent } = done(await steward.get(`/api/crosswalks/${crosswalkId}?asOf=seq:${seq}`));
    expect([missingCount, mappedPercent]).toEqual([null, null]);
  });
});

describe('the history of a crosswalk', () => {
  it('uses the field names of each version, and does not list a field rename as a change of the crosswalk', async () => {
    const steward = await signInAs('steward');
    const typeId = await newType(steward, [{ name: 'other', dataType: 'string' }]);
    const collectionId = await newCollection(steward);
    const source = await newDataSet(steward, typeId, collectionId);
    const crosswalkId = await newCrosswalk(steward, source, await newDataSet(steward, typeId, collectionId));
    const path = `/api/crosswalks/${crosswalkId}`;
    const change = async (fields: Json) => {
      const { revision } = done(await steward.get(path));
      done(await steward.patch(path, fields, { ifMatch: revision }));
    };
    const rename = async (from: string, to: string) => {
      const { revision } = done(await steward.get(`/api/reference-types/${typeId}`));
      const schemas = withFieldChange(await fieldsOf(steward, typeId), from, { name: to });
      done(await steward.put(`/api/reference-types/${typeId}/schemas`, { schemas }, { ifMatch: revision }));
    };
    await rename('code', 'symbol');
    await change({ description: 'Renamed before' });
    await change({ sourceAttribute: 'other' });
    await rename('other', 'another');

    const attributesAndChanges = ({ definition, changes = {} }: Json) => [
      definition.sourceAttribute,
      definition.targetAttribute,
      changes,
    ];
    const { items } = done(await steward.get(`${path}/history`));
    expect(items.map(attributesAndChanges)).toEqual([
      ['other', 'symbol', { sourceAttribute: { from: 'symbol', to: 'other' } }],
      ['symbol', 'symbol', { description: { from: '', to: 'Renamed before' } }],
      ['code', 'code', {}],
    ]);
    const pastHistory = done(await steward.get(`${path}/history?asOf=seq:${items[1].seq}`));
    expect(pastHistory.items).toEqual(items.slice(1));
  });
});

describe('a deleted collection', () => {
  it('can be read as of an earlier time by its last readers, with the items that they may still read', async () => {
    const [admin, steward, viewer] = await Promise.all([signInAs('admin'), signInAs('steward'), signInAs('viewer')]);
    const { id: viewerId } = done(await viewer.get('/api/user'));
    const { id: approverId } = done(await (await signInAs('approver')).get('/api/user'));
    const grant = (entityId: number, permissionLevel: string) => ({ entityType: 'user', entityId, permissionLevel });
    const collectionId = await newCollection(steward, [grant(viewerId, 'ADMIN')]);
    const typeId = await newType(steward);
    const inBothCollections = await newDataSet(steward, typeId, collectionId);
    const onlyInDeletedCollection = await newDataSet(steward, typeId, collectionId);
    const path = `/api/collections/${collectionId}`;
    const otherCollectionId = await newCollection(steward, [grant(viewerId, 'READ'), grant(approverId, 'READ')]);
    done(await steward.post(`/api/collections/${otherCollectionId}/items`, { dataSetIds: [inBothCollections] }));
    const before = done(await viewer.get(path));
    const { seq } = done(await steward.get(`${path}/activity`)).items[0];
    const { seq: seqBeforeDeletion } = done(
      await steward.get(`/api/moment?asOf=${encodeURIComponent(new Date(Date.now() - 1).toISOString())}`),
    );
    expect(seqBeforeDeletion).toBeGreaterThanOrEqual(seq);
    done(await steward.delete(path, undefined, { ifMatch: before.revision }));
    await steward.eventually(path, ({ status }) => status === 404);

    const asOf = `asOf=seq:${seqBeforeDeletion}`;
    for (const person of [admin, steward, viewer]) {
      expect(done(await person.get(`${path}?${asOf}`))).toMatchObject({ name: before.name, dataSetCount: 2 });
      const listed = done(await person.get(`/api/collections?pageSize=1000&${asOf}`)).items;
      expect(listed.map(({ id }: Json) => id)).toContain(collectionId);
    }
    const readContents = async (person: HttpClient) =>
      done(await person.get(`${path}/items?sort=id&${asOf}`)).items.map(({ id }: Json) => id);
    expect(await readContents(steward)).toEqual([inBothCollections, onlyInDeletedCollection]);
    // The viewer had access to `onlyInDeletedCollection` only through the deleted collection.
    expect(await readContents(viewer)).toEqual([inBothCollections]);
    const [item] = done(await viewer.get(`${path}/items?${asOf}`)).items;
    expect(item.collections.map(({ id }: Json) => id).sort()).toEqual([collectionId, otherCollectionId].sort());
    expect(done(await viewer.get(`${path}/permissions?${asOf}`)).items).toHaveLength(1);

    // The approver never had a grant on the collection.
    const approver = await signInAs('approver');
    expect((await approver.get(`${path}?${asOf}`)).status).toBe(404);
    const collections = done(await approver.get(`/api/reference-data/${inBothCollections}?${asOf}`)).collections;
    expect(collections.map(({ id }: Json) => id)).toEqual([otherCollectionId]);
    const { items } = done(await admin.get('/api/audit-logs?sort=timestamp&order=DESC&pageSize=1'));
    expect((await steward.get(`${path}?asOf=seq:${items[0].seq}`)).status).toBe(404);
    expect((await steward.get(path)).status).toBe(404);
    expect((await steward.get(`${path}/activity?${asOf}`)).status).toBe(400);
    expect((await steward.get(`${path}/effective-access?userId=${viewerId}&${asOf}`)).status).toBe(400);
  });
});

const rowRevision = ({ id, revision }: { id: number; revision: number }) => ({ id, revision });
const revisionOf = ({ pages }: { pages: Json[] }): number => pages[0].revision;
