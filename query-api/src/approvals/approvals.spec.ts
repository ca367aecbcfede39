/** Tests the approvals dashboard on a real PostgreSQL: visibility, groups and numbers. */
import {
  type ApprovalStatistics,
  type ApprovalView,
  type ApproversView,
  type MappingEvent,
  mappingKey,
  type Page,
  rowId,
  streams,
} from '@rdm/contracts';
import { collectionCreated, crosswalkDefined, dataSetCreated, mappingsDrafted } from '@rdm/contracts/testing/events';
import type { Route } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../fixtures/world.ts';
import { type ApprovalGroup, approvalRoutes } from './approvals.ts';
import { approverRoutes } from './approvers.ts';

const [ADMIN, STEWARD, APPROVER, VIEWER, STRANGER] = [1, 2, 3, 4, 5];
const [SOURCE, TARGET] = [10, 11];
const idOf = (sourceValue: string) => rowId(sourceValue.charCodeAt(0), mappingKey(sourceValue));

let world: World;
let routes: Route[];

const appendMapping = (sourceValue: string, event: MappingEvent, actor: number, commandId: string) =>
  world.append(streams.mappings(1, idOf(sourceValue) % 64), event, {
    actor,
    commandId,
    dataSetIds: [SOURCE, TARGET],
  });
const draft = (sourceValue: string): MappingEvent =>
  mappingsDrafted({ id: idOf(sourceValue), sourceValue, targetValue: `T-${sourceValue}` });

beforeAll(async () => {
  world = await startWorld();
  const { append } = world;
  append('access-main', { type: 'UserRegistered', data: { userId: ADMIN, roleId: 1 } });
  const role = { roleId: 2, name: 'Reviewer', description: '', routes: ['/approvals'], abilities: [] };
  append('access-main', { type: 'RoleDefined', data: role });
  for (const userId of [STEWARD, APPROVER, VIEWER, STRANGER]) {
    append('access-main', { type: 'UserRegistered', data: { userId, roleId: 2 } });
  }
  append('access-main', collectionCreated({ collectionId: 7, name: 'Geography', ownerId: STEWARD }));
  append('access-main', { type: 'CollectionItemsAdded', data: { collectionId: 7, dataSetIds: [SOURCE, TARGET] } });
  append('access-main', {
    type: 'CollectionPermissionsChanged',
    data: {
      collectionId: 7,
      granted: [
        { entityType: 'user', entityId: APPROVER, permissionLevel: 'APPROVER' },
        { entityType: 'user', entityId: VIEWER, permissionLevel: 'READ' },
      ],
      revoked: [],
    },
  });
  for (const id of [SOURCE, TARGET]) {
    append(`dataSet-${id}`, dataSetCreated({ id }), { dataSetIds: [id] });
  }
  const header = { actor: STEWARD, dataSetIds: [SOURCE, TARGET], commandId: 'first' };
  append('crosswalk-1', crosswalkDefined({ sourceSystemId: SOURCE, targetSystemId: TARGET }), header);
  append('crosswalk-1', { type: 'CrosswalkSubmitted', data: { comment: 'please' } }, header);
  for (const value of ['A', 'B', 'C', 'D']) {
    appendMapping(value, draft(value), STEWARD, 'drafts');
    const submission: MappingEvent = {
      type: 'MappingsSubmitted',
      data: { ids: [idOf(value)], comment: 'the first ones' },
    };
    appendMapping(value, submission, value === 'D' ? APPROVER : STEWARD, value === 'D' ? 'second' : 'first');
  }
  appendMapping('A', { type: 'MappingsApproved', data: { ids: [idOf('A')] } }, APPROVER, 'decision');
  appendMapping('B', { type: 'MappingsRejected', data: { ids: [idOf('B')], comment: 'no' } }, APPROVER, 'decision');
  await world.project();
  await world.pool.query(
    `INSERT INTO identity.users (id, username, email) VALUES ($1, 'steward', 's@example.com'), ($2, 'approver', 'a@example.com')`,
    [STEWARD, APPROVER],
  );
  routes = approvalRoutes(world.context);
}, 120_000);
afterAll(() => world?.stop());

const readApprovals = async <Body>(query: Record<string, string>, as: number, path = '') =>
  (await world.request<Body>(routes, `/api/approvals${path}`, { query, as })).body;
const readTitles = async (query: Record<string, string>, as: number) =>
  (await readApprovals<Page<ApprovalView>>(query, as)).items.map((item) => item.title);

describe('the approvals dashboard', () => {
  it('lists the items to review, oldest first, including own submissions', async () => {
    expect(await readTitles({}, APPROVER)).toEqual(['Countries', 'C → T-C', 'D → T-D']);
    const { items } = await readApprovals<Page<ApprovalView>>({}, APPROVER);
    expect(items[1]).toMatchObject({
      kind: 'mapping',
      id: idOf('C'),
      parentId: 1,
      parentName: 'Countries',
      revision: 2,
      status: 'PENDING',
      before: null,
      after: { sourceValue: 'C', targetValue: 'T-C', confidence: 100 },
      authors: [STEWARD],
      comment: 'the first ones',
      batchId: 'first',
      impact: { requests: 0, firstRequestedAt: null, lastRequestedAt: null },
      level: 'APPROVER',
    });
    expect(items[0]?.impact).toBeNull();
    expect(items[2]?.authors).toContain(APPROVER);
  });
  it('lists no reviews for users without approval rights, and nothing for users without grants', async () => {
    expect(await readTitles({}, VIEWER)).toEqual([]);
    for (const tab of ['review', 'submitted', 'decided']) expect(await readTitles({ tab }, STRANGER)).toEqual([]);
  });
  it('lists the submissions of the user, and lists decided items latest first', async () => {
    expect((await readTitles({ tab: 'submitted' }, STEWARD)).sort()).toEqual(
      ['Countries', 'A → T-A', 'B → T-B', 'C → T-C'].sort(),
    );
    expect(await readTitles({ tab: 'submitted' }, APPROVER)).toEqual(['D → T-D']);
    const { items } = await readApprovals<Page<ApprovalView>>({ tab: 'decided' }, VIEWER);
    expect(
      items.map(({ title, status, decidedBy, decisionComment }) => [title, status, decidedBy, decisionComment]),
    ).toEqual([
      ['B → T-B', 'REJECTED', APPROVER, 'no'],
      ['A → T-A', 'APPROVED', APPROVER, null],
    ]);
  });
  it('lists the items of one submission sorted by id, even if their submission times differ', async () => {
    const filter = JSON.stringify({ conditions: [{ field: 'batchId', operator: 'equals', value: 'first' }] });
    expect(await readTitles({ tab: 'submitted', filter }, STEWARD)).toEqual([
      'Countries',
      'A → T-A',
      'B → T-B',
      'C → T-C',
    ]);
  });
  it('groups by batch, parent, submitter and collection, and filters by batch, parent and collection', async () => {
    const readGroups = async (group: string) =>
      (await readApprovals<Page<ApprovalGroup>>({ group }, APPROVER)).items.map(({ key, name, count, field }) => [
        key,
        name,
        count,
        field,
      ]);
    expect(await readGroups('batch')).toEqual([
      ['first', 'please', 2, 'batchId'],
      ['second', 'the first ones', 1, 'batchId'],
    ]);
    expect(await readGroups('parent')).toEqual([['crosswalk:1', 'Countries', 3, 'parent']]);
    expect(await readGroups('submitter')).toEqual([
      [STEWARD, 'steward', 2, 'submittedBy'],
      [APPROVER, 'approver', 1, 'submittedBy'],
    ]);
    expect(await readGroups('collection')).toEqual([[7, 'Geography', 3, 'collectionIds']]);
    const filterBy = (field: string, operator: string, value: unknown) =>
      JSON.stringify({ conditions: [{ field, operator, value }] });
    expect(await readTitles({ filter: filterBy('batchId', 'equals', 'second') }, APPROVER)).toEqual(['D → T-D']);
    expect(await readTitles({ filter: filterBy('parent', 'equals', 'crosswalk:1') }, APPROVER)).toHaveLength(3);
    expect(await readTitles({ filter: filterBy('parent', 'equals', 'relationship:1') }, APPROVER)).toEqual([]);
    expect(await readTitles({ filter: filterBy('collectionIds', 'contains', 7) }, APPROVER)).toHaveLength(3);
    expect(await readTitles({ filter: filterBy('collectionIds', 'contains', 8) }, APPROVER)).toHaveLength(0);
  });
  it('counts the items that a user may decide, and returns when the oldest was submitted', async () => {
    const numbers = await readApprovals<ApprovalStatistics>({}, APPROVER, '/statistics');
    const oldest = world.events.find((event) => event.type === 'CrosswalkSubmitted')?.metadata.occurredAt;
    expect(numbers.waiting).toBe(2);
    expect(new Date(numbers.oldestSubmittedAt ?? '').toISOString()).toBe(oldest);
    expect(await readApprovals<ApprovalStatistics>({}, STRANGER, '/statistics')).toMatchObject({
      waiting: 0,
      ownWaiting: 0,
    });
  });
  it('counts own submissions apart from reviews', async () => {
    expect(await readApprovals<ApprovalStatistics>({}, STEWARD, '/statistics')).toMatchObject({
      waiting: 0,
      oldestSubmittedAt: null,
      ownWaiting: 2,
    });
    expect(await readApprovals<ApprovalStatistics>({}, APPROVER, '/statistics')).toMatchObject({
      waiting: 2,
      ownWaiting: 1,
    });
  });
  it('freezes pending items with their kinds and revisions, and refuses decided items', async () => {
    const freeze = async (body: object) => {
      const request = { body, access: world.access(), needs: { level: 'READ' }, principal: { userId: APPROVER } };
      const build = await world.context.freezable.get('approvals')?.query(request as never, {});
      return (await world.context.readModels.read({}, build as never)).rows;
    };
    expect(await freeze({ kind: 'approvals', tab: 'review' })).toEqual([
      { id: 1, revision: 2, kind: 'crosswalk', parent_id: 1 },
      { id: idOf('C'), revision: 2, kind: 'mapping', parent_id: 1 },
      { id: idOf('D'), revision: 2, kind: 'mapping', parent_id: 1 },
    ]);
    expect(await freeze({ kind: 'approvals', q: 'd →' })).toHaveLength(1);
    await expect(freeze({ kind: 'approvals', tab: 'decided' })).rejects.toMatchObject({ code: 'INVALID' });
  });
  it('names the users who may decide what the reader of this list submits, without the reader', async () => {
    const approvers = async (as: number, id = '1') => {
      const query = { kind: 'crosswalk', id };
      return (
        await world.request<ApproversView>(approverRoutes(world.context), '/api/approvals/approvers', { query, as })
      ).body;
    };
    expect(await approvers(VIEWER)).toEqual({ approvers: ['approver', 'steward'], administrators: 1 });
    expect(await approvers(STEWARD)).toEqual({ approvers: ['approver'], administrators: 1 });
    expect(await approvers(ADMIN)).toEqual({ approvers: ['approver', 'steward'], administrators: 0 });
    await expect(approvers(STRANGER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(approvers(VIEWER, '99')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('finds rejected items until they are corrected', async () => {
    const toCorrect = {
      tab: 'submitted',
      filter: JSON.stringify({ conditions: [{ field: 'isReturned', operator: 'equals', value: true }] }),
    };
    expect(await readTitles(toCorrect, STEWARD)).toEqual(['B → T-B']);
    const rows = [{ id: idOf('B'), targetValue: 'T-X', confidence: 100 }];
    appendMapping('B', { type: 'MappingsEdited', data: { rows } }, STEWARD, 'correction');
    await world.project();
    expect(await readTitles(toCorrect, STEWARD)).toEqual([]);
  });
});
