/** Activities of the audit log over HTTP: the search, jobs and undos. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done, draft, endOfJob, newCollection, newCrosswalk, newDataSet, newType, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';

let admin: HttpClient;
let steward: HttpClient;
let approver: HttpClient;
let dataSetId: number;
let targetId: number;
let dataSetName: string;
let code: string;

beforeAll(async () => {
  [admin, steward, approver] = await Promise.all([signInAs('admin'), signInAs('steward'), signInAs('approver')]);
  const ids = await userIds(steward);
  const grants = [{ entityType: 'user', entityId: ids['approver'], permissionLevel: 'APPROVER' }];
  const collectionId = await newCollection(steward, grants);
  const typeId = await newType(steward);
  dataSetId = await newDataSet(steward, typeId, collectionId);
  targetId = await newDataSet(steward, typeId, collectionId);
  dataSetName = done(await steward.get(`/api/reference-data/${dataSetId}`)).name;
  code = uniqueName('code').replace(' ', '-');
  const form = new FormData();
  form.set('dataSetId', String(dataSetId));
  form.set('file', new File([`code,name\n${code},Bolt\n${code}-2,Nut\n`], 'parts.csv', { type: 'text/csv' }));
  const { id } = done(await steward.post('/api/imports', form));
  const { jobId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Parts' }));
  await endOfJob(steward, jobId);
});

const find = async (q: string): Promise<Json[]> =>
  done(await admin.get(`/api/audit-logs/activities?q=${encodeURIComponent(q)}`)).items;
const findLines = async (q: string): Promise<string[]> => (await find(q)).map(({ line }) => line);
const filteredPath = (filter: object) => `/api/audit-logs?filter=${encodeURIComponent(JSON.stringify(filter))}`;

describe('activities', () => {
  it('are found by the key of a row after the row was renamed and deleted', async () => {
    const [row] = done(await steward.get(`/api/reference-data/${dataSetId}/instances?key=${code}`)).items;
    const path = `/api/reference-data/${dataSetId}/instances`;
    const change = [{ id: row.id, revision: row.revision, data: { name: `${code} screw` } }];
    done(await steward.patch(path, change));
    const renamed = [
      `Sam Steward changed ${code} in ${dataSetName}: name Bolt → ${code} screw`,
      `Sam Steward imported 2 rows from parts.csv into ${dataSetName}: 2 new`,
    ];
    expect(await findLines(code)).toEqual(renamed);
    expect(await findLines(`${code} SCREW`)).toEqual(renamed);
    const { body } = await steward.get(`${path}/${row.id}`);
    done(await steward.delete(path, { rows: [{ id: row.id, revision: body.revision }] }));
    expect(await findLines(`Sam ${code}`)).toEqual([`Sam Steward deleted ${code} from ${dataSetName}`, ...renamed]);
  });

  it('are found by words of a label, by the beginning of a key, and by words of the name of a data set', async () => {
    const word = uniqueName('bronze').replace(' ', '-');
    const path = `/api/reference-data/${targetId}/instances`;
    const { id, revision } = done(await steward.post(path, { data: { code: `${word}-1`, name: `Old ${word} médal` } }));
    const added = `Sam Steward added ${word}-1 to ${done(await steward.get(`/api/reference-data/${targetId}`)).name}`;
    expect(await findLines(`${word} medal`)).toEqual([added]);
    done(await steward.patch(path, [{ id, revision, data: { name: 'Replaced' } }]));
    expect((await findLines(word)).at(-1)).toBe(added);
    expect(await findLines(word)).toHaveLength(2);
    expect((await findLines(dataSetName.split(' ').at(-1) as string)).join('\n')).toContain(dataSetName);
  });

  it('list the rows of a job, and count the events of the job in the log', async () => {
    const [imported] = await find(`${code}-2`);
    expect(imported).toMatchObject({ verb: 'imported', rows: 2, job: { status: 'DONE' } });
    const rows = done(await admin.get(`/api/audit-logs/activities/${imported.id}/rows`));
    expect(rows.total).toBe(2);
    expect(rows.items.map(({ key }: Json) => key).sort()).toEqual([code, `${code}-2`]);
    const filter = {
      logic: 'OR',
      conditions: [
        { field: 'causationId', operator: 'equals', value: imported.commandId },
        { field: 'jobId', operator: 'equals', value: imported.jobId },
      ],
    };
    expect(done(await admin.get(filteredPath(filter))).total).toBe(imported.events);
  });

  it('name the activity that an undo reversed, and count the rows that the undo did not change', async () => {
    const crosswalkId = await newCrosswalk(steward, dataSetId, targetId);
    const { name } = done(await steward.get(`/api/crosswalks/${crosswalkId}`));
    const path = `/api/crosswalks/${crosswalkId}/mappings`;
    const drafted = await draft(steward, crosswalkId, [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'z'],
    ]);
    const submitted = done(await steward.post(`${path}/submit`, { rows: drafted }));
    const rows = submitted.results.map(({ id, revision }: Json) => ({ id, revision }));
    const approved = done(await approver.post(`${path}/approve`, { rows, comment: 'checked' }));
    const [first] = approved.results;
    const revokedRows = [{ id: first.id, revision: first.revision }];
    done(await approver.post(`${path}/revoke`, { rows: revokedRows, comment: 'outdated' }));
    done(await approver.post(`/api/batches/${approved.commandId}/undo`, {}));
    expect((await findLines(name)).slice(0, 3)).toEqual([
      `Ada Approver undid the approval of 3 mappings of ${name}; kept 1 mapping that was changed later`,
      expect.stringMatching(/^Ada Approver revoked the mapping . → . of .*: "outdated"$/),
      `Ada Approver approved 3 mappings of ${name}: "checked"`,
    ]);
  });
});
