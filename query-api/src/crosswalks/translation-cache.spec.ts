/** Tests the translation cache on a real PostgreSQL: it is always as current as the projections, and its size is limited. */
import { type MappingEvent, mappingKey, rowId, streams } from '@rdm/contracts';
import { crosswalkDefined, dataSetCreated, mappingsDrafted } from '@rdm/contracts/testing/events';
import { createLog, type Principal } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf, tableOf } from '../fixtures/database.ts';
import { startWorld, type World } from '../fixtures/world.ts';
import { sql } from '../read-models/sql.ts';
import { openTranslationCache, type TranslationCache, type TranslationCacheOptions } from './translation-cache.ts';

const [ADMIN, STEWARD] = [1, 2];
const [SOURCE, TARGET] = [10, 11];
const principal: Principal = { userId: ADMIN, sessionId: '', requirePasswordChange: false };
const idOf = (sourceValue: string) => rowId(sourceValue.charCodeAt(0), mappingKey(sourceValue));
const metadata = { actor: STEWARD, dataSetIds: [SOURCE, TARGET] };

let world: World;

function appendMapping(sourceValue: string, event: MappingEvent): void {
  world.append(streams.mappings(1, idOf(sourceValue) % 64), event, metadata);
}
const draft = (sourceValue: string, targetValue: string): MappingEvent =>
  mappingsDrafted({ id: idOf(sourceValue), sourceValue, targetValue });
const approve = (sourceValue: string): MappingEvent => ({
  type: 'MappingsApproved',
  data: { ids: [idOf(sourceValue)] },
});

beforeAll(async () => {
  world = await startWorld();
  world.append('access-main', { type: 'UserRegistered', data: { userId: ADMIN, roleId: 1 } });
  for (const id of [SOURCE, TARGET]) {
    world.append(`dataSet-${id}`, dataSetCreated({ id }), { dataSetIds: [id] });
  }
  const definition = { sourceSystemId: SOURCE, targetSystemId: TARGET };
  world.append('crosswalk-1', crosswalkDefined(definition), metadata);
  world.append('crosswalk-1', { type: 'CrosswalkApproved', data: {} }, metadata);
  appendMapping('A', draft('A', 'AAA'));
  appendMapping('A', approve('A'));
  await world.project();
}, 120_000);
afterAll(() => world?.stop());

const open = (options: Partial<TranslationCacheOptions> = {}) =>
  openTranslationCache({ ...world.context, log: createLog('spec', 'silent'), ...options });
/** A read that never ends. */
async function* readForever(): AsyncGenerator<never> {
  await new Promise(() => undefined);
}

/** Renames the serving build, as if another build served now; the read models detect this with their next read. */
async function renameBuild(from: string, to: string): Promise<void> {
  await world.pool.query(`ALTER SCHEMA ${from} RENAME TO ${to}`);
  await world.pool.query('UPDATE platform.builds SET schema_name = $2 WHERE schema_name = $1', [from, to]);
  await world.context.readModels.read({}, (tables) => sql`SELECT id FROM ${tables('crosswalk_mappings')}`);
}

/** Opens a cache, and waits until it has loaded the crosswalk. */
async function openLoadedCache(): Promise<TranslationCache> {
  const cache = open();
  expect(await cache.find(1, { principal })).toBeDefined();
  return cache;
}
/** Returns the target of a value. `targetsOf` returns an object whose end is missing, so that a caller can add members. */
const targetOf = async (cache: TranslationCache, value: string): Promise<string | undefined> => {
  const found = await cache.find(1, { principal });
  if (!found) throw new Error('the crosswalk is not in memory');
  const text = found.mappings.targetsOf(value);
  return text === undefined ? undefined : JSON.parse(`${text}}`).results[0].targetValue;
};

describe('the cache of translations', () => {
  it('finds a crosswalk with the projected mappings and their approvals', async () => {
    const cache = await openLoadedCache();
    const found = await cache.find(1, { principal });
    expect(found?.crosswalk).toEqual({
      id: 1,
      isServed: true,
      unmapped: { yields: 'NOTHING' },
      source: { id: SOURCE, createdBy: ADMIN },
      target: { id: TARGET, createdBy: ADMIN },
    });
    expect(found?.position).toBe(String(world.events.length * 100));
    const approval = world.events.findIndex(({ type }) => type === 'MappingsApproved');
    expect(JSON.parse(`${found?.mappings.targetsOf('A')}}`).results).toEqual([
      {
        targetValue: 'AAA',
        mappingId: idOf('A'),
        confidence: 100,
        approvedBy: STEWARD,
        approvedAt: expect.any(String),
        approvedEventId: world.events[approval]?.id,
        approvedSeq: approval + 1,
      },
    ]);
  });
  it('reflects each change of a mapping once the change is projected', async () => {
    const cache = await openLoadedCache();
    expect(await targetOf(cache, 'B')).toBeUndefined();
    const steps: [MappingEvent, string | undefined][] = [
      [draft('B', 'BBB'), undefined],
      [approve('B'), 'BBB'],
      [{ type: 'MappingsEdited', data: { rows: [{ id: idOf('B'), targetValue: 'XXX', confidence: 90 }] } }, 'BBB'],
      [approve('B'), 'XXX'],
      [{ type: 'MappingsRevoked', data: { ids: [idOf('B')], comment: 'wrong' } }, undefined],
    ];
    for (const [event, expected] of steps) {
      appendMapping('B', event);
      await world.project();
      expect(await targetOf(cache, 'B'), event.type).toBe(expected);
      expect(await targetOf(cache, 'A')).toBe('AAA');
    }
  });
  it('finds a revoked crosswalk as not served, and finds no crosswalk of a deleted data set', async () => {
    const cache = await openLoadedCache();
    world.append('crosswalk-1', { type: 'CrosswalkRevoked', data: { comment: 'wrong' } }, metadata);
    await world.project();
    expect((await cache.find(1, { principal }))?.crosswalk?.isServed).toBe(false);
    world.append('crosswalk-1', { type: 'CrosswalkApproved', data: {} }, metadata);
    await world.project();
    expect((await cache.find(1, { principal }))?.crosswalk?.isServed).toBe(true);
    world.append(`dataSet-${TARGET}`, { type: 'DataSetDeleted', data: {} }, { dataSetIds: [TARGET] });
    await world.project();
    expect((await cache.find(1, { principal }))?.crosswalk).toBeUndefined();
  });
  it('leaves a request to PostgreSQL if the request needs a later position', async () => {
    const cache = await openLoadedCache();
    const position = BigInt(world.events.length * 100);
    expect(await cache.find(1, { principal, minPosition: position })).toBeDefined();
    expect(await cache.find(1, { principal, minPosition: position + 1n })).toBeUndefined();
  });
  it('drops entries after live changes were pruned or a build was replaced', async () => {
    const cache = await openLoadedCache();
    await world.pool.query('DELETE FROM platform.live_changes');
    appendMapping('C', draft('C', 'CCC'));
    appendMapping('C', approve('C'));
    await world.project();
    await world.pool.query('DELETE FROM platform.live_changes');
    expect(await targetOf(cache, 'C')).toBe('CCC');
    // Simulates a new serving build that lacks this row.
    await world.pool.query(`DELETE FROM ${tableOf('crosswalk_mapping_values')} WHERE source_value = 'C'`);
    expect(await targetOf(cache, 'C')).toBe('CCC');
    await renameBuild(schemaOf('crosswalks'), schemaOf('crosswalks', 2));
    expect(await targetOf(cache, 'C')).toBeUndefined();
    await renameBuild(schemaOf('crosswalks', 2), schemaOf('crosswalks'));
  });
  it('does not cache a crosswalk beyond the size limit', async () => {
    const cache = open({ bytesMax: 100 });
    expect(await cache.find(1, { principal })).toBeUndefined();
    expect(await cache.find(1, { principal })).toBeUndefined();
  });
  it('leaves a request to PostgreSQL if loading takes too long', async () => {
    const cache = open({ timeoutMs: 0, readModels: { ...world.context.readModels, stream: readForever } });
    expect(await cache.find(1, { principal })).toBeUndefined();
  });
  it('confirms a valid session, but no ended session', async () => {
    const cache = await openLoadedCache();
    const [alive, ended] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    await world.pool.query(`INSERT INTO identity.users (id, username, email) VALUES (1, 'admin', 'a@example.com')`);
    await world.pool.query(
      `INSERT INTO identity.sessions (id, user_id, ended_at) VALUES ($1, 1, NULL), ($2, 1, now())`,
      [alive, ended],
    );
    const requests = [alive, ended].map((sessionId): Principal => ({ ...principal, sessionId, unconfirmed: true }));
    await Promise.all(requests.map((each) => cache.find(1, { principal: each })));
    expect(requests.map(({ unconfirmed }) => unconfirmed)).toEqual([false, true]);
  });
});
