/**
 * Purges of deleted data: one administrator requests a purge, and another administrator confirms it. This story has its
 * own stack, because a purge rebuilds all read models.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { done, draft, endOfJob, newCollection, newCrosswalk, newDataSet, rowsOf } from './fixtures.ts';
import { type Json, uniqueName } from './http-client.ts';
import {
  admin,
  createDeletedCrosswalk,
  createDeletedDataSet,
  createUser,
  makePlan,
  olga,
  PASSWORD,
  placeHold,
  pool,
  release,
  remove,
  request,
  signIn,
  stack,
  startPurgeStack,
  tablesWith,
  typeId,
  waitForEnd,
} from './purge-requests.ts';

startPurgeStack();

/** Runs `work` while a command has no answer: a confirmed purge waits for all earlier commands. */
async function withOpenCommand(work: () => Promise<void>): Promise<void> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO command.commands (command_id, principal, name, body_hash, request_id, leased_until, created_at)
     VALUES ($1, 'user:1', 'ChangeRole', '', $2, now() + interval '1 hour', now() - interval '1 hour')`,
    [id, id],
  );
  try {
    await work();
  } finally {
    await pool.query('DELETE FROM command.commands WHERE command_id = $1', [id]);
  }
}

/** Returns the files in a folder of the product that contain the bytes of a text. */
function filesWith(folder: string, text: string): string[] {
  const { status, stdout, stderr } = spawnSync('grep', ['-r', '-l', '-a', '-F', text, join(stack.dataDir, folder)], {
    encoding: 'utf8',
  });
  // A file may be deleted during the search.
  if (status !== 0 && status !== 1 && !/No such file/.test(stderr)) throw new Error(stderr);
  return stdout.trim().split('\n').filter(Boolean);
}

describe('a purge of deleted data sets', () => {
  it('is planned, requested, confirmed by another administrator and carried out', async () => {
    const marker = 'markerofthepurgedrow';
    const collection = await newCollection(admin);
    const kept = await newDataSet(admin, typeId, collection, [{ code: 'k', name: 'Kept' }]);
    const purged = await newDataSet(admin, typeId, collection, [{ code: marker, name: marker }]);
    const crosswalk = await newCrosswalk(admin, purged, kept);
    await remove(`/api/crosswalks/${crosswalk}`);
    await remove(`/api/reference-data/${purged}`);
    expect(filesWith('event-store', marker)).not.toEqual([]);
    expect(await tablesWith(marker)).toEqual(
      expect.arrayContaining(['read model instances.instances_default', 'command.commands']),
    );

    const purge = await makePlan(collection);
    expect(purge).toMatchObject({ status: 'DRY_RUN', phrase: 'purge 1 data set', requestedBy: 'admin' });
    expect(purge.plan.items).toMatchObject([{ kind: 'dataSet', id: purged }]);
    expect(purge.plan.dependants).toMatchObject([{ kind: 'crosswalk', id: crosswalk }]);
    expect(purge.plan.streams.map(({ stream }: Json) => stream)).toContain(`dataSet-${purged}`);
    expect(purge.plan.events).toBeGreaterThan(3);

    expect(
      await admin.post(`/api/purges/${purge.id}/request`, { phrase: 'purge 2 data sets', reason: 'x' }),
    ).toMatchObject({
      status: 422,
      body: { code: 'WRONG_PHRASE', error: 'Type “purge 1 data set” to request the purge' },
    });
    done(await request(purge));
    expect(await admin.post(`/api/purges/${purge.id}/confirm`)).toMatchObject({
      status: 409,
      body: { code: 'SAME_ADMINISTRATOR', error: 'A different administrator must confirm this purge' },
    });
    const purgeForOlga = (await olga.get(`/api/purges/${purge.id}`)).body;
    expect(purgeForOlga).toMatchObject({ status: 'REQUESTED', mayConfirm: true, plan: purge.plan });
    done(await olga.post(`/api/purges/${purge.id}/confirm`));
    const ended = await waitForEnd(purge);
    expect(ended).toMatchObject({
      status: 'DONE',
      problem: null,
      command: null,
      leftovers: [],
      plan: null,
      confirmedBy: 'olga',
      isSealed: true,
    });

    // The streams are deleted permanently, and the other data set is unchanged.
    expect(await admin.patch(`/api/reference-data/${purged}`, { name: 'x' }, { ifMatch: 1 })).toMatchObject({
      status: 410,
      body: { code: 'PURGED' },
    });
    expect(done(await admin.get(`/api/reference-data/${kept}/instances`)).items).toMatchObject([
      { data: { code: 'k' } },
    ]);
    expect(await tablesWith(marker)).toEqual([]);
    for (const folder of ['event-store', 'postgres', 'logs']) expect(filesWith(folder, marker)).toEqual([]);
    // The audit log is intact, because it contains the digests of the purged events.
    const { body: verified } = await admin.get('/api/audit-logs/verify');
    expect(verified).toMatchObject({ intact: true });
    const { body: activities } = await admin.get('/api/audit-logs/activities');
    expect(activities.items.map(({ line }: Json) => line)).toContain(
      'Administrator purged 1 deleted data set, confirmed by olga: "Retention rule R7"',
    );
  });
});

describe('a text that users entered about a deleted data set', () => {
  /** Uploads a file with two rows of the same key. */
  async function upload(dataSet: number, name: string, value: string): Promise<Json> {
    const parts = new FormData();
    parts.set('dataSetId', String(dataSet));
    parts.set('file', new File([`code,name\n${value},First\n${value},Second\n`], name, { type: 'text/csv' }));
    return done(await admin.post('/api/imports', parts));
  }

  it('is removed from all tables and files by the purge', async () => {
    const newMarkerText = () => `m${randomUUID().replaceAll('-', '').slice(0, 23)}`;
    const collection = await newCollection(admin);
    const kept = await newDataSet(admin, typeId, collection, [{ code: 'k', name: 'Kept' }]);
    const purged = await newDataSet(admin, typeId, collection);
    /** Each marker, the tables that contain it before the purge, and whether the log contains it then. */
    const places: { marker: string; tables: string[]; isInLog: boolean }[] = [];
    const newMarker = (tables: string[], isInLog = true): string => {
      places.push({ marker: newMarkerText(), tables, isInLog });
      return places.at(-1)?.marker ?? '';
    };

    const fileName = newMarker(['command.staged_files'], false);
    const cell = newMarker(['read model instances.instances_default', 'command.staged_files', 'jobs.logs']);
    const jobName = newMarker(['read model jobs.import_jobs', 'command.commands']);
    const file = await upload(purged, `${fileName}.csv`, cell);
    const { jobId } = done(await admin.post(`/api/imports/${file.id}/start`, { description: jobName, mode: 'insert' }));
    expect((await endOfJob(admin, jobId)).counts).toMatchObject({ created: 1, failed: 1 });
    await upload(purged, `${newMarker(['command.staged_files'], false)}.csv`, 'x');

    const crosswalk = await newCrosswalk(admin, purged, kept);
    const mappings = `/api/crosswalks/${crosswalk}/mappings`;
    const comments = ['read model audit_log.audit_logs', 'read model notifications.notifications', 'command.commands'];
    const drafted = { rows: await draft(admin, crosswalk, [[cell, 'k']]), comment: newMarker(comments) };
    const submitted = {
      rows: rowsOf(done(await admin.post(`${mappings}/submit`, drafted))),
      comment: newMarker(comments),
    };
    done(await olga.post(`${mappings}/reject`, submitted));
    done(await admin.post(`/api/crosswalks/${crosswalk}/recall`));

    const filters = ['read model saved_filters.saved_filters', 'command.commands'];
    const view = (field: string, value: string) => ({
      filter: { logic: 'AND', conditions: [{ field, operator: 'contains', value }] },
    });
    const save = async (entity: string, field: string, value = newMarker(filters)) =>
      done(await admin.post('/api/saved-filters', { name: uniqueName('Filter'), entity, view: view(field, value) }));
    await save(`data-set:${purged}`, 'code');
    // A comparison has a field for each of its source data sets.
    const compared = await save(`comparison:${kept}`, `system-${purged}`);
    const changed = await save(`comparison:${kept}`, `system-${purged}`, newMarker(['command.commands']));
    done(await admin.patch(`/api/saved-filters/${changed.id}`, { view: {} }, { ifMatch: 1 }));
    const description = newMarker([
      'read model filter_configurations.entity_filter_configurations',
      'command.commands',
    ]);
    const configuration = { dataType: 'array', allowedOperators: ['contains'], description };
    const { id: configurationId } = done(
      await admin.post('/api/filter-configurations', {
        ...{ ...configuration, entityType: `comparison:${kept}`, fieldName: `system-${purged}` },
      }),
    );
    const other = done(
      await admin.post('/api/saved-filters', {
        ...{ name: 'Other', entity: `comparison:${kept}`, view: view('targetValue', 'k') },
      }),
    );

    done(await admin.delete(`/api/crosswalks/${crosswalk}`));
    await remove(`/api/reference-data/${purged}`);
    for (const place of places) {
      expect([place, await tablesWith(place.marker)]).toEqual([place, expect.arrayContaining(place.tables)]);
      expect([place, filesWith('event-store', place.marker).length > 0]).toEqual([place, place.isInLog]);
      expect([place, filesWith('postgres', place.marker)]).not.toEqual([place, []]);
    }

    const purge = await makePlan(collection);
    expect(purge.plan.dependants.map(({ kind, id }: Json) => [kind, id])).toEqual(
      expect.arrayContaining([
        ['savedFilter', compared.id],
        ['savedFilter', changed.id],
        ['filterConfiguration', configurationId],
      ]),
    );
    done(await request(purge));
    done(await olga.post(`/api/purges/${purge.id}/confirm`));
    expect(await waitForEnd(purge)).toMatchObject({ status: 'DONE', problem: null, leftovers: [] });
    for (const place of places) {
      expect([place, await tablesWith(place.marker)]).toEqual([place, []]);
      for (const folder of ['event-store', 'postgres', 'logs', 'backups'])
        expect([place, folder, filesWith(folder, place.marker)]).toEqual([place, folder, []]);
    }
    const { items } = done(await admin.get(`/api/saved-filters?entity=comparison:${kept}`));
    expect(items.map(({ id }: Json) => id)).toEqual([other.id]);
  });
});

describe('a legal hold', () => {
  it('protects data from a purge until a user with ADMIN on the data set releases the hold', async () => {
    const userId = await createUser('ada', 2);
    const ada = await signIn('ada');
    const collection = await newCollection(admin, [{ entityType: 'user', entityId: userId, permissionLevel: 'ADMIN' }]);
    const held = await createDeletedDataSet(collection);
    const free = await createDeletedDataSet(collection);
    const { id: holdId } = done(await placeHold({ kind: 'dataSet', id: held }, ada));
    expect(await placeHold({ kind: 'all' }, ada)).toMatchObject({ status: 403 });
    const purge = await makePlan(collection);
    expect(purge.plan.items).toMatchObject([{ id: free }]);
    expect(purge.plan.held).toMatchObject([{ id: held, holdId, matter: 'Case 17' }]);
    const holds = (await ada.get('/api/legal-holds')).body;
    expect(holds.items).toMatchObject([
      { id: holdId, scope: { kind: 'dataSet', id: held }, placedBy: 'ada', releasedAt: null },
    ]);
    await release(holdId, ada);
    expect((await admin.get('/api/legal-holds')).body.items[0]).toMatchObject({
      releasedBy: 'ada',
      releaseReason: 'The case is closed',
    });
    expect((await makePlan(collection)).plan.items.map(({ id }: Json) => id)).toEqual([held, free]);
  });

  it('prevents the erasure of a user', async () => {
    const id = await createUser('holden', 4);
    const { id: holdId } = done(await placeHold({ kind: 'user', id }));
    expect(await admin.post(`/api/users/${id}/erase`)).toMatchObject({ status: 409, body: { code: 'LEGAL_HOLD' } });
    expect((await admin.get(`/api/users/${id}`)).body.username).toBe('holden');
    await release(holdId);
    done(await admin.post(`/api/users/${id}/erase`));
    expect(await placeHold({ kind: 'user', id })).toMatchObject({ status: 409, body: { code: 'DELETED' } });
  });
});

describe('a purge of definitions', () => {
  it('prevents restores between its confirmation and its cancellation', async () => {
    const collection = await newCollection(admin);
    const { id: crosswalk, commandId } = await createDeletedCrosswalk(collection);
    const purge = await makePlan(collection, 'definitions');
    expect(purge).toMatchObject({
      phrase: 'purge 1 definition',
      plan: { items: [{ kind: 'crosswalk', id: crosswalk }] },
    });
    done(await request(purge));
    const restore = () => admin.post(`/api/crosswalks/${crosswalk}/restore`, {});
    await withOpenCommand(async () => {
      done(await olga.post(`/api/purges/${purge.id}/confirm`));
      expect(await restore()).toMatchObject({
        status: 409,
        body: { code: 'PURGE_RUNNING', error: 'This crosswalk is being purged: it cannot be restored any more' },
      });
      expect(await admin.post(`/api/batches/${commandId}/undo`)).toMatchObject({
        status: 409,
        body: { code: 'PURGE_RUNNING' },
      });
      done(await olga.post(`/api/purges/${purge.id}/cancel`));
    });
    done(await restore());
  });

  it('cannot be confirmed after a restore of one of its definitions', async () => {
    const collection = await newCollection(admin);
    const { id: crosswalk } = await createDeletedCrosswalk(collection);
    const purge = await makePlan(collection, 'definitions');
    done(await request(purge));
    done(await admin.post(`/api/crosswalks/${crosswalk}/restore`, {}));
    expect(await olga.post(`/api/purges/${purge.id}/confirm`)).toMatchObject({
      status: 409,
      body: { code: 'PLAN_CHANGED' },
    });
  });
});

it('a purge requires the password of the only administrator, and a waiting time', async () => {
  const collection = await newCollection(admin);
  await createDeletedDataSet(collection);
  const purge = await makePlan(collection);
  done(await request(purge));
  const olgaId = done(await olga.get('/api/user')).id;
  done(await admin.post(`/api/users/${olgaId}/deactivate`));
  const confirm = (body: Json) => admin.post(`/api/purges/${purge.id}/confirm`, body);
  expect(await confirm({})).toMatchObject({ status: 422, body: { code: 'WRONG_PASSWORD' } });
  expect(await confirm({ password: 'wrong' })).toMatchObject({ status: 422, body: { code: 'WRONG_PASSWORD' } });
  const refusedConfirmation = await confirm({ password: PASSWORD });
  expect(refusedConfirmation).toMatchObject({ status: 409, body: { code: 'SAME_ADMINISTRATOR' } });
  const purgeView = (await admin.get(`/api/purges/${purge.id}`)).body;
  expect(purgeView).toMatchObject({
    mayConfirm: false,
    confirmNeedsPassword: true,
    confirmFrom: refusedConfirmation.body.details.from,
  });
  done(await admin.post(`/api/purges/${purge.id}/decline`, { reason: 'Too early' }));
  done(await admin.post(`/api/users/${olgaId}/reactivate`));
});
