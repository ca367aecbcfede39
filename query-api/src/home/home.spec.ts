/** Tests the start page on a real PostgreSQL: first acts, the user's drafts, key figures, and what each user may see. */
import {
  type FirstAct,
  type HomeChange,
  type HomeView,
  type MappingEvent,
  mappingKey,
  type Page,
  rowId,
  SAMPLE_DATA_CORRELATION_ID,
  SEEDED_ROLES,
  streams,
} from '@rdm/contracts';
import { collectionCreated, crosswalkDefined, dataSetCreated, mappingsDrafted } from '@rdm/contracts/testing/events';
import type { Route } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFirstTranslations } from '../crosswalks/first-translations.ts';
import { startWorld, type World } from '../fixtures/world.ts';
import { homeRoutes } from './home.ts';

const [ADMIN, STEWARD, APPROVER, NEWCOMER, STRANGER] = [1, 2, 3, 4, 5];
const [SOURCE, TARGET] = [10, 11];
const idOf = (sourceValue: string) => rowId(sourceValue.charCodeAt(0), mappingKey(sourceValue));
const now = () => new Date().toISOString();

let world: World;
let routes: Route[];

const appendMapping = (sourceValue: string, event: MappingEvent, actor: number, correlationId?: string) =>
  world.append(streams.mappings(1, idOf(sourceValue) % 64), event, {
    actor,
    dataSetIds: [SOURCE, TARGET],
    at: now(),
    ...(correlationId === undefined ? {} : { correlationId }),
  });
const draft = (sourceValue: string): MappingEvent =>
  mappingsDrafted({ id: idOf(sourceValue), sourceValue, targetValue: `T-${sourceValue}` });
const submit = (value: string): MappingEvent => ({ type: 'MappingsSubmitted', data: { ids: [idOf(value)] } });
const approve = (value: string): MappingEvent => ({ type: 'MappingsApproved', data: { ids: [idOf(value)] } });

const readHome = async (as: number) => (await world.request<HomeView>(routes, '/api/home', { as })).body;
const readDoneActs = async (as: number) =>
  (await readHome(as)).steps.flatMap(({ act, doneAt }) => (doneAt === null ? [] : [act]));
const doneAt = async (as: number, act: FirstAct) => (await readHome(as)).steps.find((step) => step.act === act)?.doneAt;

beforeAll(async () => {
  world = await startWorld();
  const { append } = world;
  for (const role of SEEDED_ROLES) append('access-main', { type: 'RoleDefined', data: role });
  append('access-main', { type: 'UserRegistered', data: { userId: ADMIN, roleId: 1 } });
  for (const userId of [STEWARD, APPROVER, NEWCOMER, STRANGER]) {
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
        { entityType: 'user', entityId: NEWCOMER, permissionLevel: 'WRITE' },
      ],
      revoked: [],
    },
  });
  for (const id of [SOURCE, TARGET]) append(`dataSet-${id}`, dataSetCreated({ id }), { dataSetIds: [id] });
  const definition = crosswalkDefined({ name: 'Countries', sourceSystemId: SOURCE, targetSystemId: TARGET });
  append('crosswalk-1', definition, { actor: STEWARD, dataSetIds: [SOURCE, TARGET] });
  // The steward's first two acts are sample data, and so is the approver's first decision.
  for (const event of [draft('A'), submit('A')]) appendMapping('A', event, STEWARD, SAMPLE_DATA_CORRELATION_ID);
  appendMapping('A', approve('A'), APPROVER, SAMPLE_DATA_CORRELATION_ID);
  appendMapping('B', draft('B'), NEWCOMER);
  appendMapping('B', submit('B'), NEWCOMER);
  appendMapping('C', draft('C'), NEWCOMER);
  await world.project();
  await world.pool.query(
    `INSERT INTO identity.users (id, username, email)
     SELECT id, 'user-' || id, 'user-' || id || '@example.com' FROM unnest($1::bigint[]) id`,
    [[ADMIN, STEWARD, APPROVER, NEWCOMER, STRANGER]],
  );
  routes = homeRoutes(world.context);
}, 120_000);
afterAll(() => world?.stop());

describe('the steps', () => {
  it('are the steps that the grants and the role of the user allow', async () => {
    const acts = async (as: number) => (await readHome(as)).steps.map(({ act }) => act);
    expect(await acts(NEWCOMER)).toEqual(['import', 'map', 'submit', 'approve', 'translate']);
    expect(await acts(APPROVER)).toEqual(['import', 'map', 'submit', 'approve', 'decide', 'translate']);
    expect(await acts(STRANGER)).toEqual(['import', 'translate']);
  });
});

describe('the first acts', () => {
  it('include only acts of the user, and no sample data', async () => {
    expect(await readDoneActs(NEWCOMER)).toEqual(['map', 'submit']);
    expect(await readDoneActs(STEWARD)).toEqual([]);
    expect(await readDoneActs(APPROVER)).toEqual([]);
  });
  it('include a decision for the user who decided and for the user who submitted', async () => {
    appendMapping('B', approve('B'), APPROVER);
    await world.project();
    expect(await readDoneActs(APPROVER)).toEqual(['decide']);
    expect(await readDoneActs(NEWCOMER)).toEqual(['map', 'submit', 'approve']);
  });
  it('keep their time when the user repeats the act', async () => {
    const first = await doneAt(NEWCOMER, 'map');
    appendMapping('D', draft('D'), NEWCOMER);
    await world.project();
    expect(await doneAt(NEWCOMER, 'map')).toBe(first);
  });
  it('include the first translation, stored once', async () => {
    const firstTranslations = openFirstTranslations(world.pool, world.context.log);
    firstTranslations.note(NEWCOMER);
    await expect.poll(() => readDoneActs(NEWCOMER)).toContain('translate');
    const first = await doneAt(NEWCOMER, 'translate');
    openFirstTranslations(world.pool, world.context.log).note(NEWCOMER);
    openFirstTranslations(world.pool, world.context.log).note(APPROVER);
    await expect.poll(() => readDoneActs(APPROVER)).toContain('translate');
    expect(await doneAt(NEWCOMER, 'translate')).toBe(first);
  });
});

describe('the drafts and figures', () => {
  it('count the drafts of the user', async () => {
    expect((await readHome(NEWCOMER)).drafts).toEqual([{ kind: 'crosswalk', id: 1, name: 'Countries', count: 2 }]);
    expect((await readHome(STEWARD)).drafts).toEqual([]);
  });
  it('exclude drafts of entities whose page the role may not open', async () => {
    const assign = async (roleId: number) => {
      world.append('access-main', { type: 'UserRoleAssigned', data: { userId: NEWCOMER, roleId } });
      await world.project();
    };
    world.append('access-main', {
      type: 'RoleDefined',
      data: { roleId: 50, name: 'Without pages', description: '', routes: [], abilities: [] },
    });
    await assign(50);
    expect((await readHome(NEWCOMER)).drafts).toEqual([]);
    await assign(2);
    expect((await readHome(NEWCOMER)).drafts).toHaveLength(1);
  });
  it('count the data that the user may read, and the decisions on each of the last 30 days', async () => {
    const { figures } = await readHome(NEWCOMER);
    expect(figures).toMatchObject({ dataSets: 2, rows: 0, mappedValues: 2 });
    expect(figures.decisions).toHaveLength(30);
    expect(figures.decisions.reduce((sum, count) => sum + count, 0)).toBe(2);
  });
  it('are empty for a user without grants', async () => {
    const { drafts, figures } = await readHome(STRANGER);
    expect(drafts).toEqual([]);
    expect(figures).toEqual({ dataSets: 0, rows: 0, mappedValues: 0, decisions: Array.from({ length: 30 }, () => 0) });
  });
});

describe('the changes since the last visit', () => {
  const linesFor = async (as: number) =>
    (await world.request<Page<HomeChange>>(routes, '/api/home/changes', { as })).body.items.map(({ line }) => line);

  it('are sentences about changes of other users, newest first', async () => {
    expect(await linesFor(NEWCOMER)).toEqual([
      'user-3 approved the mapping B → T-B of Countries',
      'user-3 approved the mapping A → T-A of Countries',
      'user-2 submitted the mapping A → T-A of Countries',
      'user-2 drafted the mapping A → T-A of Countries',
    ]);
  });
  it('are at most as many as the page size', async () => {
    const { body } = await world.request<Page<HomeChange>>(routes, '/api/home/changes', {
      as: NEWCOMER,
      query: { pageSize: '1' },
    });
    expect(body).toMatchObject({ items: [{ line: 'user-3 approved the mapping B → T-B of Countries' }], total: 4 });
  });
  it('begin after the previous visit', async () => {
    await world.pool.query(
      `INSERT INTO identity.home_marks AS m (user_id, previous_visit_at) VALUES ($1, now())
       ON CONFLICT (user_id) DO UPDATE SET previous_visit_at = now()`,
      [NEWCOMER],
    );
    expect(await linesFor(NEWCOMER)).toEqual([]);
  });
  it('are empty for a user without grants', async () => {
    expect(await linesFor(STRANGER)).toEqual([]);
  });
});
