/**
 * A repeated command takes effect once. Of concurrent commands that exclude each other, one succeeds. Commands with a
 * stale expected revision are refused.
 */
import { randomUUID } from 'node:crypto';
import { Commands, command } from '@rdm/command-api/runtime/commands';
import { Streams } from '@rdm/command-api/runtime/streams';
import { connectEventStore, createLog, createPool, openAccess } from '@rdm/platform';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { done, newCollection, newDataSet, newType } from './fixtures.ts';
import { type HttpClient, signInAs, uniqueName } from './http-client.ts';
import { LONG } from './stack.ts';

const RACES = LONG ? 50 : 15;
const OWN_WRITES = LONG ? 20 : 5;

let steward: HttpClient;
let collectionId: number;
beforeAll(async () => {
  steward = await signInAs('steward');
  collectionId = await newCollection(steward);
});

const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];

describe('the same Idempotency-Key', () => {
  it('has one effect and one answer for concurrent requests', async () => {
    const key = randomUUID();
    const name = uniqueName('Once');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => steward.post('/api/reference-types', { name, schemas }, { key })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(201));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    const types = done(await steward.get('/api/reference-types')) as { name: string }[];
    expect(types.filter((type) => type.name === name)).toHaveLength(1);
  });
  it('is refused if the body differs', async () => {
    const key = randomUUID();
    done(await steward.post('/api/reference-types', { name: uniqueName('Key'), schemas }, { key }));
    const other = await steward.post('/api/reference-types', { name: uniqueName('Key'), schemas }, { key });
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });
  it('starts a separate command for another user', async () => {
    const admin = await signInAs('admin');
    const key = randomUUID();
    const mine = done(await steward.post('/api/reference-types', { name: uniqueName('Mine'), schemas }, { key }));
    const theirs = done(await admin.post('/api/reference-types', { name: uniqueName('Theirs'), schemas }, { key }));
    expect(theirs.id).not.toBe(mine.id);
  });
  it('returns the first refusal again when a refused request is repeated', async () => {
    const key = randomUUID();
    const name = uniqueName('Taken');
    const { id } = done(await steward.post('/api/reference-types', { name, schemas }));
    const first = await steward.post('/api/reference-types', { name, schemas }, { key });
    expect(first).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } });
    done(await steward.delete(`/api/reference-types/${id}`));
    const second = await steward.post('/api/reference-types', { name, schemas }, { key });
    expect(second).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } });
  });
});

/**
 * Creates items of six kinds. Returns the path and the body that delete each item, in an order in which all deletions
 * succeed.
 */
async function createDeletableItems() {
  const typeId = await newType(steward);
  const source = await newDataSet(steward, typeId, collectionId, [{ code: 'DE' }, { code: 'FR' }]);
  const target = await newDataSet(steward, typeId, collectionId, [{ code: 'DEU' }, { code: 'FRA' }]);
  const { id: crosswalk } = done(
    await steward.post('/api/crosswalks', {
      name: uniqueName('to'),
      sourceSystemId: source,
      targetSystemId: target,
      sourceAttribute: 'code',
      targetAttribute: 'code',
    }),
  );
  const { id: relationship } = done(
    await steward.post('/api/relationships', {
      name: uniqueName('is'),
      sourceDataSetId: source,
      targetDataSetId: target,
      sourceField: 'code',
      targetField: 'code',
    }),
  );
  const pair = { sourceKey: 'DE', targetKey: 'DEU' };
  const mapping = done(
    await steward.post(`/api/crosswalks/${crosswalk}/mappings`, { sourceValue: 'DE', targetValue: 'DEU' }),
  );
  const value = done(await steward.post(`/api/relationships/${relationship}/values`, pair));
  const [row] = done(await steward.get(`/api/reference-data/${target}/instances?key=FRA`)).items;
  const spare = await newDataSet(steward, typeId, collectionId);
  const bodyOf = (...rows: { id: number; revision: number }[]) => ({
    rows: rows.map(({ id, revision }) => ({ id, revision })),
  });
  return {
    'a row': [`/api/reference-data/${target}/instances`, bodyOf(row)],
    'a mapping': [`/api/crosswalks/${crosswalk}/mappings`, bodyOf(mapping)],
    'a crosswalk': [`/api/crosswalks/${crosswalk}`, undefined],
    'a relationship value': [`/api/relationships/${relationship}/values`, bodyOf(value)],
    'a relationship': [`/api/relationships/${relationship}`, undefined],
    'a data set': [`/api/reference-data/${spare}`, undefined],
  } as const;
}

describe('a deletion without a stored answer', () => {
  /** Removes the stored answer, as if the process had ended between its last append and its answer. */
  async function removeStoredAnswer(position: string): Promise<void> {
    const db = new pg.Client({ connectionString: inject('databaseUrl') });
    await db.connect();
    try {
      const { rowCount } = await db.query(
        `UPDATE command.commands SET status = NULL, answer = NULL, position = NULL, answered_at = NULL,
           leased_until = now() - interval '1 second' WHERE position = $1`,
        [position],
      );
      expect(rowCount).toBe(1);
    } finally {
      await db.end();
    }
  }

  it('has the same result when repeated with the same Idempotency-Key', async () => {
    for (const [kind, [path, body]] of Object.entries(await createDeletableItems())) {
      const key = randomUUID();
      const first = await steward.delete(path, body, { key });
      expect(first.status, kind).toBe(200);
      await removeStoredAnswer(first.body.position);
      const { position: _, ...repeatedBody } = done(await steward.delete(path, body, { key }));
      const { position: __, ...firstBody } = first.body;
      expect(repeatedBody, kind).toEqual(firstBody);
      // Another command finds the item deleted.
      const other = await steward.delete(path, body);
      if (body === undefined) expect(other.status, kind).toBe(404);
      else expect(other.body.results, kind).toMatchObject([{ outcome: 'refused' }]);
    }
  });
});

describe('a command that runs for longer than its lease', () => {
  it('renews its lease while it runs', async () => {
    const pool = createPool(inject('databaseUrl'), { max: 2 });
    const store = connectEventStore(inject('eventStoreUrl'));
    const log = createLog('spec', 'silent');
    const deps = {
      pool,
      streams: new Streams(store),
      access: openAccess(store),
      log,
      secret: 's',
      now: () => new Date(),
    };
    const commands = new Commands(deps);
    let runs = 0;
    let finish = () => {};
    const released = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = command<{ key: string }>('spec.slow', async () => {
      runs += 1;
      await released;
      return { body: { runs } };
    });
    commands.register([slow]);
    const by = { actorId: null, requestId: 'r', correlationId: 'r', sourceType: 'SYSTEM' } as const;
    const key = randomUUID();
    try {
      const running = commands.runAs(slow, key, { key }, by);
      await expect.poll(() => runs).toBe(1);
      const where = `WHERE name = 'spec.slow' AND payload -> 'input' ->> 'key' = $1`;
      await pool.query(`UPDATE command.commands SET leased_until = now() + interval '1500 milliseconds' ${where}`, [
        key,
      ]);
      const secondsLeft = async () =>
        Number(
          (
            await pool.query(`SELECT extract(epoch FROM leased_until - now()) AS left FROM command.commands ${where}`, [
              key,
            ])
          ).rows[0].left,
        );
      await expect.poll(secondsLeft, { timeout: 30_000 }).toBeGreaterThan(2);
      finish();
      expect((await running).body).toMatchObject({ runs: 1 });
    } finally {
      finish();
      await Promise.all([pool.end(), store.close()]);
    }
  });
});

describe('concurrent requests', () => {
  it('create only one type with a name, in upper or lower case', async () => {
    const name = uniqueName('Wanted');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        steward.post('/api/reference-types', { name: index % 2 ? name.toUpperCase() : name, schemas }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.code === 'NAME_TAKEN')).toHaveLength(7);
  });

  it('never create a data set of a type that is deleted at the same time', async () => {
    const outcomes = { deleted: 0, created: 0 };
    const typeIds: number[] = [];
    for (let round = 0; round < RACES; round++) typeIds.push(await newType(steward));
    const raced = await Promise.all(
      typeIds.map(async (typeId) => {
        const [deletion, creation] = await Promise.all([
          steward.delete(`/api/reference-types/${typeId}`),
          steward.post('/api/reference-data', { name: uniqueName('Raced'), typeId, collectionId }),
        ]);
        return { typeId, deletion, creation };
      }),
    );
    const db = new pg.Client({ connectionString: inject('databaseUrl') });
    await db.connect();
    try {
      for (const { typeId, deletion, creation } of raced) {
        const deleted = deletion.status === 200;
        const created = creation.status === 201;
        expect([deleted, created].filter(Boolean)).toHaveLength(1);
        if (deleted) outcomes.deleted += 1;
        else outcomes.created += 1;
        const type = await steward.get(`/api/reference-types/${typeId}`);
        expect(type.status).toBe(deleted ? 404 : 200);
        if (created) expect((await steward.get(`/api/reference-data/${creation.body.id}`)).status).toBe(200);
      }
      const { rows } = await db.query(`SELECT schema_name FROM platform.builds WHERE name = 'data_sets' AND serving`);
      const orphans = await db.query(
        `SELECT id FROM "${rows[0].schema_name}".reference_data_sets WHERE type_id = ANY($1)`,
        [raced.filter((each) => each.deletion.status === 200).map((each) => each.typeId)],
      );
      expect(orphans.rows).toEqual([]);
    } finally {
      await db.end();
    }
    expect(outcomes.deleted + outcomes.created).toBe(RACES);
  });

  it('change a row only once per revision', async () => {
    const typeId = await newType(steward);
    const dataSetId = await newDataSet(steward, typeId, collectionId, [{ code: 'DE', name: 'Germany' }]);
    const path = `/api/reference-data/${dataSetId}/instances`;
    const row = done(await steward.get(path)).items[0];
    const edits = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        steward.patch(path, [{ id: row.id, revision: row.revision, data: { name: `Germany ${index}` } }]),
      ),
    );
    const outcomes = edits.map((edit) => edit.body.results[0]);
    expect(outcomes.filter((each) => each.outcome === 'done')).toHaveLength(1);
    expect(outcomes.filter((each) => each.code === 'STALE')).toHaveLength(15);
  });
});

describe('a large command', () => {
  const WIDE = Array.from({ length: 12 }, (_, index) => ({ name: `text ${index}`, dataType: 'string' }));
  const wideRow = (code: string, text: string) => ({
    data: { code, ...Object.fromEntries(WIDE.map(({ name }) => [name, text])) },
  });

  it('is refused if a row does not fit into an event', async () => {
    const dataSetId = await newDataSet(steward, await newType(steward, WIDE), collectionId);
    const path = `/api/reference-data/${dataSetId}/instances`;
    const refused = await steward.post(path, wideRow('huge', 'x'.repeat(100_000)));
    expect(refused).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
    done(await steward.post(path, { data: { code: 'huge' } }));
  });
});

describe('a revision', () => {
  it('that is stale in If-Match is refused with the current state of the entity', async () => {
    const { id } = done(await steward.post('/api/reference-types', { name: uniqueName('Seen'), schemas }));
    done(await steward.patch(`/api/reference-types/${id}`, { description: 'first' }, { ifMatch: 1 }));
    const stale = await steward.patch(`/api/reference-types/${id}`, { description: 'second' }, { ifMatch: 1 });
    expect(stale).toMatchObject({
      status: 412,
      body: { code: 'STALE', details: { current: { description: 'first' } } },
    });
    // A read that waits for this position shows the change that made the revision stale.
    expect(Number(stale.headers.get('X-Position'))).toBeGreaterThan(0);
  });
});

describe('the reads of a user', () => {
  it('include the earlier writes of the user', async () => {
    for (let round = 0; round < OWN_WRITES; round++) {
      const { id } = done(await steward.post('/api/reference-types', { name: uniqueName('Own'), schemas }));
      expect((await steward.get(`/api/reference-types/${id}`)).status).toBe(200);
    }
  });
});

describe('a name', () => {
  it('is free after a rename or a deletion', async () => {
    const [first, second] = [uniqueName('Old'), uniqueName('New')];
    const { id } = done(await steward.post('/api/reference-types', { name: first, schemas }));
    done(await steward.patch(`/api/reference-types/${id}`, { name: second }, { ifMatch: 1 }));
    const other = done(await steward.post('/api/reference-types', { name: first, schemas }));
    expect((await steward.post('/api/reference-types', { name: second, schemas })).body.code).toBe('NAME_TAKEN');
    done(await steward.delete(`/api/reference-types/${other.id}`));
    done(await steward.post('/api/reference-types', { name: first, schemas }));
  });
  it('is not claimed by a rename that was refused', async () => {
    const name = uniqueName('Kept');
    const freeName = uniqueName('Wanted');
    const { id } = done(await steward.post('/api/reference-types', { name, schemas }));
    expect((await steward.patch(`/api/reference-types/${id}`, { name: freeName }, { ifMatch: 9 })).status).toBe(412);
    done(await steward.post('/api/reference-types', { name: freeName, schemas }));
    expect((await steward.post('/api/reference-types', { name, schemas })).body.code).toBe('NAME_TAKEN');
  });
});
