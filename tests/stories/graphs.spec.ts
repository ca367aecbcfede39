/** The graph of a data set, the public graph, and the counters of the graph. */
import { describe, expect, it } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, rowsOf } from './fixtures.ts';
import { admin, approver, collection, idsOf, prepareGraphs, relate, steward, type, viewer } from './graph-requests.ts';
import { HttpClient, type Json, uniqueName } from './http-client.ts';

prepareGraphs();

const ROWS = [{ code: 'a' }, { code: 'b' }];
/** The timeout of a rebuild, which projects the whole log while other tests run. */
const REBUILD_TIMEOUT_MS = 240_000;

describe('the graph of a data set', () => {
  it('shows the neighbours, and counts mappings by status', async () => {
    const [middle, left, right] = [
      await newDataSet(steward, type, collection, ROWS),
      await newDataSet(steward, type, collection, ROWS),
      await newDataSet(steward, type, collection),
    ];
    const beforeConnections = new Date().toISOString();
    const crosswalk = await newCrosswalk(steward, middle, left);
    const relationship = await relate(right, middle);
    const drafts = await draft(steward, crosswalk, [
      ['a', 'a'],
      ['b', 'b'],
    ]);
    done(await steward.post(`/api/crosswalks/${crosswalk}/mappings/submit`, { rows: drafts.slice(0, 1) }));

    const graph = done(await steward.get(`/api/reference-data/${middle}/graph`));
    expect(graph.id).toBe(middle);
    expect(graph.nodes[0]).toMatchObject({ id: middle, instanceCount: 2, isPublic: false, more: 0 });
    expect(idsOf(graph.nodes)).toEqual([middle, left, right].sort((a, b) => a - b));
    expect(graph.edges).toHaveLength(2);
    expect(graph.edges).toContainEqual({
      kind: 'crosswalk',
      id: crosswalk,
      name: expect.any(String),
      sourceId: middle,
      targetId: left,
      counts: { draft: 1, pending: 1, approved: 0, rejected: 0, served: 0 },
    });
    expect(graph.edges).toContainEqual(
      expect.objectContaining({ kind: 'relationship', id: relationship, sourceId: right }),
    );
    const past = done(
      await steward.get(`/api/reference-data/${middle}/graph?asOf=${encodeURIComponent(beforeConnections)}`),
    );
    expect(past).toMatchObject({ nodes: [{ id: middle, instanceCount: 2 }], edges: [] });
  });

  it('leaves out data sets that the caller may not read', async () => {
    const shared = await newDataSet(steward, type, collection);
    const hidden = await newDataSet(steward, type, await newCollection(steward));
    await newCrosswalk(steward, shared, hidden);
    await relate(hidden, shared);
    expect(done(await steward.get(`/api/reference-data/${shared}/graph`)).nodes).toHaveLength(2);
    const graphOfViewer = done(
      await viewer.eventually(`/api/reference-data/${shared}/graph`, ({ status }) => status === 200),
    );
    expect(graphOfViewer).toMatchObject({ nodes: [{ id: shared, more: 0 }], edges: [] });
    expect((await viewer.get(`/api/reference-data/${hidden}/graph`)).status).toBe(404);
    expect((await viewer.get(`/api/reference-data/${shared}/graph?expand=${hidden}`)).body).toMatchObject({
      nodes: [{ id: shared, more: 0 }],
      edges: [],
    });
  });
});

describe('the public graph', () => {
  const newAnonymousClient = () => new HttpClient();
  const publicGraph = async (): Promise<Json> => done(await newAnonymousClient().get('/api/graph'));
  const publish = async (id: number, isPublic: boolean) =>
    done(await steward.patch(`/api/reference-data/${id}`, { isPublic }));
  const waitForPublicGraph = (matches: (graph: Json) => boolean) =>
    newAnonymousClient().eventually('/api/graph', ({ body }) => matches(body));
  const hasNode = (graph: Json, id: number): boolean => graph.nodes.some((node: Json) => node.id === id);

  it('shows published data sets and the approved crosswalks between them', async () => {
    const [one, two] = [
      await newDataSet(steward, type, collection, ROWS),
      await newDataSet(steward, type, collection, ROWS),
    ];
    await publish(one, true);
    await publish(two, true);
    const crosswalk = await newCrosswalk(steward, one, two);
    const drafts = await draft(steward, crosswalk, [
      ['a', 'a'],
      ['b', 'b'],
    ]);
    const submitted = rowsOf(
      done(await steward.post(`/api/crosswalks/${crosswalk}/mappings/submit`, { rows: drafts })),
    );
    const withBoth = (await waitForPublicGraph((graph) => hasNode(graph, one) && hasNode(graph, two))).body;
    const edgesOf = (graph: Json) => graph.edges.filter(({ sourceId }: Json) => sourceId === one);
    // A crosswalk is a public connection only after its approval.
    expect(edgesOf(withBoth)).toEqual([]);

    const definition = done(await steward.get(`/api/crosswalks/${crosswalk}`));
    done(await approver.post(`/api/crosswalks/${crosswalk}/approve`, { revision: definition.revision }));
    done(await approver.post(`/api/crosswalks/${crosswalk}/mappings/approve`, { rows: submitted.slice(0, 1) }));
    const joined = (await waitForPublicGraph((graph) => edgesOf(graph)[0]?.count === 1)).body;
    expect(edgesOf(joined)).toEqual([{ kind: 'crosswalk', sourceId: one, targetId: two, count: 1 }]);

    await publish(two, false);
    const after = (await waitForPublicGraph((graph) => !hasNode(graph, two))).body;
    expect(hasNode(after, one)).toBe(true);
    expect(edgesOf(after)).toEqual([]);
  });

  it('shows anonymous users only the names, sizes and connections of published data sets', async () => {
    const SECRET = uniqueName('Xanadu');
    const secretType = done(
      await steward.post('/api/reference-types', {
        name: SECRET,
        description: SECRET,
        schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
      }),
    ).id;
    const secretCollection = done(await steward.post('/api/collections', { name: SECRET, tags: [SECRET] })).id;
    const create = async (name: string, description: string): Promise<number> =>
      done(
        await steward.post('/api/reference-data', {
          name,
          description,
          typeId: secretType,
          collectionId: secretCollection,
        }),
      ).id;
    const visible = await create(uniqueName('Shown'), SECRET);
    const other = await create(uniqueName('Shown too'), SECRET);
    const secret = await create(SECRET, SECRET);
    done(await steward.post(`/api/reference-data/${visible}/instances`, { data: { code: SECRET } }));
    const renamed = await create(SECRET, '');
    done(await steward.patch(`/api/reference-data/${renamed}`, { name: uniqueName('Shown later') }));
    for (const id of [visible, other, renamed]) await publish(id, true);
    for (const [source, target] of [
      [visible, other],
      [visible, secret],
    ] as const) {
      const crosswalk = done(
        await steward.post('/api/crosswalks', {
          name: SECRET,
          description: SECRET,
          sourceSystemId: source,
          targetSystemId: target,
          sourceAttribute: 'code',
          targetAttribute: 'code',
        }),
      ).id;
      await draft(steward, crosswalk, [[SECRET, SECRET]]);
      done(
        await steward.post('/api/relationships', {
          name: SECRET,
          relationshipType: SECRET,
          sourceDataSetId: source,
          targetDataSetId: target,
          sourceField: 'code',
          targetField: 'code',
        }),
      );
    }

    const last = await waitForPublicGraph(
      (graph) => hasNode(graph, renamed) && graph.edges.some(({ sourceId }: Json) => sourceId === visible),
    );
    const text = JSON.stringify(last.body);
    expect(text).not.toContain(SECRET);
    expect(hasNode(last.body, secret)).toBe(false);
    for (const node of last.body.nodes) expect(Object.keys(node).sort()).toEqual(['id', 'instanceCount', 'name']);
    for (const edge of last.body.edges)
      expect(Object.keys(edge).sort()).toEqual(['count', 'kind', 'sourceId', 'targetId']);
    expect(Object.keys(last.body).sort()).toEqual(['edges', 'more', 'nodes']);
    for (const word of ['DRAFT', 'PENDING', 'steward', 'createdBy', 'status']) expect(text).not.toContain(word);

    // The public graph ignores asOf and returns the current graph.
    const past = done(await newAnonymousClient().get('/api/graph?asOf=seq:1'));
    expect(hasNode(past, visible)).toBe(true);
    // Anonymous users do not get the position of the log, because it would show the number of events.
    expect(last.headers.get('X-Position')).toBeNull();
    for (const path of [`/api/reference-data/${visible}/graph`, '/api/graph/info', `/api/reference-data/${visible}`]) {
      expect((await newAnonymousClient().get(path)).status).toBe(401);
    }
  });

  it('contains no unpublished data sets, and requires ADMIN to publish a data set', async () => {
    const dataSet = await newDataSet(steward, type, collection);
    expect((await approver.patch(`/api/reference-data/${dataSet}`, { isPublic: true })).status).toBe(403);
    expect((await viewer.patch(`/api/reference-data/${dataSet}`, { isPublic: true })).status).toBe(403);
    expect(hasNode(await publicGraph(), dataSet)).toBe(false);
    expect(hasNode(done(await steward.get('/api/graph')), dataSet)).toBe(false);
  });
});

describe('the database of the graph', () => {
  it('counts nodes and edges, and finds no drift', async () => {
    const info = done(await steward.get('/api/graph/info'));
    expect(info.engine).toMatchObject({ name: 'PostgreSQL', version: expect.stringMatching(/^\d+/) });
    const counts = Object.fromEntries([...info.nodes, ...info.edges].map(({ kind, count }: Json) => [kind, count]));
    for (const kind of ['types', 'dataSets', 'instances', 'relationships', 'crosswalks', 'mappings']) {
      expect(counts[kind], kind).toBeGreaterThan(0);
    }
    expect(info.drift).toBeNull();
    expect(JSON.stringify(info)).not.toMatch(/postgres:\/\/|password/i);
    // Other tests write at the same time: wait until all changes are projected.
    const checked = await steward.eventually('/api/graph/info?check=true', ({ body }) =>
      body.drift.every(({ wrong }: Json) => wrong === 0),
    );
    expect(checked.body.drift.map(({ counter }: Json) => counter)).toEqual([
      'rows',
      'mappings',
      'mappedSources',
      'relationshipValues',
      'dependants',
    ]);
    expect(checked.body.drift[0].kept).toBe(checked.body.drift[0].counted);
    expect(checked.body.drift[0].kept).toBeGreaterThan(0);
  });

  it('has no drift after a rebuild by an administrator', async () => {
    expect((await steward.post('/api/graph/rebuild')).status).toBe(403);
    const waitForBuilds = async (): Promise<Record<string, number>> => {
      const { body } = await admin.eventually(
        '/api/graph/info',
        (answer) => answer.body.builds.every(({ state }: Json) => state === 'SERVING'),
        REBUILD_TIMEOUT_MS,
      );
      return Object.fromEntries(body.builds.map(({ name, build }: Json) => [name, build]));
    };
    const before = await waitForBuilds();
    const answer = await admin.post('/api/graph/rebuild');
    expect(answer.status).toBe(202);
    expect(answer.body.projections.sort()).toEqual(Object.keys(before).sort());
    await admin.eventually(
      '/api/graph/info',
      ({ body }) =>
        body.builds.some(
          ({ name, build, serving }: Json) => name === 'data_sets' && serving && build > (before['data_sets'] ?? 0),
        ),
      REBUILD_TIMEOUT_MS,
    );
    const after = await waitForBuilds();
    for (const [name, build] of Object.entries(before)) expect(after[name], name).toBeGreaterThan(build);
    const checked = await admin.eventually('/api/graph/info?check=true', ({ body }) =>
      body.drift.every(({ wrong }: Json) => wrong === 0),
    );
    expect(checked.status).toBe(200);
  }, 600_000);
});
