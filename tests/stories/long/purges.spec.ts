/** Tests purges of definitions, jobs and telemetry, and legal holds that are placed after the request of a purge. */
import { describe, expect, it } from 'vitest';
import { done, endOfJob, newCollection, newDataSet } from '../fixtures.ts';
import type { Json } from '../http-client.ts';
import {
  admin,
  createDeletedCrosswalk,
  createDeletedDataSet,
  createUser,
  makePlan,
  olga,
  placeHold,
  pool,
  release,
  request,
  signIn,
  startPurgeStack,
  tablesWith,
  typeId,
  waitForEnd,
} from '../purge-requests.ts';
import { LONG } from '../stack.ts';

startPurgeStack();

const tablesOutsideReadModels = async (text: string) =>
  (await tablesWith(text)).filter((table) => !table.startsWith('read model '));

describe('a legal hold', () => {
  it('on a collection stops the confirmation of a requested purge', async () => {
    const collection = await newCollection(admin);
    await createDeletedDataSet(collection);
    const purge = await makePlan(collection);
    done(await request(purge));
    const { id: holdId } = done(await placeHold({ kind: 'collection', id: collection }));
    expect(await olga.post(`/api/purges/${purge.id}/confirm`)).toMatchObject({
      status: 409,
      body: { code: 'LEGAL_HOLD', details: { holdId, matter: 'Case 17' } },
    });
    await release(holdId);
    done(await admin.post(`/api/purges/${purge.id}/cancel`));
    expect((await admin.get(`/api/purges/${purge.id}`)).body).toMatchObject({ status: 'CANCELLED', plan: null });
  });

  it('on the target of a deleted crosswalk stops the confirmation of a purge', async () => {
    const collection = await newCollection(admin);
    const { target } = await createDeletedCrosswalk(collection);
    const purge = await makePlan(collection, 'definitions');
    done(await request(purge));
    const { id: holdId } = done(await placeHold({ kind: 'dataSet', id: target }));
    expect(await olga.post(`/api/purges/${purge.id}/confirm`)).toMatchObject({
      status: 409,
      body: { code: 'LEGAL_HOLD', details: { holdId } },
    });
    expect((await makePlan(collection, 'definitions')).plan).toMatchObject({ items: [], held: [{ holdId }] });
    await release(holdId);
    done(await admin.post(`/api/purges/${purge.id}/cancel`));
  });

  it('never succeeds together with a concurrent confirmation of a purge', async () => {
    const collection = await newCollection(admin);
    for (let round = 0; round < (LONG ? 4 : 2); round += 1) {
      const dataSet = await createDeletedDataSet(collection);
      const purge = await makePlan(collection);
      done(await request(purge));
      const [confirmation, hold] = await Promise.all([
        olga.post(`/api/purges/${purge.id}/confirm`),
        placeHold({ kind: 'dataSet', id: dataSet }),
      ]);
      if (confirmation.status === 200) {
        expect(hold).toMatchObject({ status: 409, body: { code: 'PURGE_RUNNING' } });
        expect((await waitForEnd(purge)).status).toBe('DONE');
      } else {
        expect(confirmation).toMatchObject({ status: 409, body: { code: 'LEGAL_HOLD' } });
        await release(done(hold).id);
        done(await admin.post(`/api/purges/${purge.id}/cancel`));
      }
    }
  });
});

describe('a purge of definitions', () => {
  it('deletes a crosswalk so that it cannot be restored', async () => {
    const collection = await newCollection(admin);
    const { id: crosswalk } = await createDeletedCrosswalk(collection);
    const purge = await makePlan(collection, 'definitions');
    done(await request(purge));
    done(await olga.post(`/api/purges/${purge.id}/confirm`));
    expect(await waitForEnd(purge)).toMatchObject({ status: 'DONE', counts: { crosswalks: 1, dataSets: 0 } });
    expect(await admin.post(`/api/crosswalks/${crosswalk}/restore`, {})).toMatchObject({
      status: 410,
      body: { code: 'PURGED' },
    });
  });
});

it('a purge of jobs deletes their logs and files, and keeps the rows that the jobs imported', async () => {
  const collection = await newCollection(admin);
  const dataSet = await newDataSet(admin, typeId, collection);
  const marker = 'markerofthepurgedfile';
  const parts = new FormData();
  parts.set('dataSetId', String(dataSet));
  parts.set('file', new File([`code,name\n${marker},First\n${marker},Second\n`], 'codes.csv', { type: 'text/csv' }));
  const file = done(await admin.post('/api/imports', parts));
  const { jobId } = done(await admin.post(`/api/imports/${file.id}/start`, { description: marker, mode: 'insert' }));
  const job = await endOfJob(admin, jobId);
  expect(job.counts).toMatchObject({ created: 1, failed: 1 });
  const purge = await makePlan(collection, 'jobs');
  expect(purge.plan.items.map(({ id }: Json) => id)).toEqual([jobId]);
  expect(purge.plan.tables.map(({ table }: Json) => table)).toEqual(
    expect.arrayContaining(['command.staged_files', 'jobs.logs', 'jobs.progress']),
  );
  done(await request(purge));
  done(await olga.post(`/api/purges/${purge.id}/confirm`));
  expect(await waitForEnd(purge)).toMatchObject({ status: 'DONE', problem: null });
  expect((await pool.query('SELECT FROM jobs.logs WHERE job_id = $1', [jobId])).rowCount).toBe(0);
  expect((await pool.query('SELECT FROM command.staged_files WHERE id = $1', [file.id])).rowCount).toBe(0);
  expect(await tablesOutsideReadModels(marker)).toEqual([]);
  expect(done(await admin.get(`/api/reference-data/${dataSet}/instances`)).items).toMatchObject([
    { data: { code: marker } },
  ]);
});

it('a purge of telemetry deletes records of sign-ins, except those of users under a legal hold', async () => {
  const id = await createUser('tess', 4);
  await signIn('tess');
  const other = await createUser('toby', 4);
  await signIn('toby');
  const { id: holdId } = done(await placeHold({ kind: 'user', id }));
  const purge = await makePlan(null, 'telemetry');
  expect(purge.phrase).toMatch(/^purge \d+ records$/);
  done(await request(purge));
  done(await olga.post(`/api/purges/${purge.id}/confirm`));
  expect(await waitForEnd(purge)).toMatchObject({ status: 'DONE', problem: null, jobId: purge.id });
  const attemptsOf = async (userId: number) =>
    (await pool.query('SELECT FROM identity.login_attempts WHERE user_id = $1', [userId])).rowCount;
  expect(await attemptsOf(id)).toBe(1);
  expect(await attemptsOf(other)).toBe(0);
  await release(holdId);
  expect((await admin.get(`/api/jobs/${purge.id}`)).body).toMatchObject({ jobType: 'DATA_PURGE', status: 'DONE' });
  const { body } = await admin.eventually('/api/audit-logs/activities', (answer) =>
    answer.body.items.some(({ line }: Json) => line.includes('records, confirmed by')),
  );
  expect(body.items.map(({ line }: Json) => line)).toContain(
    `Administrator purged ${purge.counts.items.toLocaleString('en')} records, confirmed by olga: "Retention rule R7"`,
  );
});
