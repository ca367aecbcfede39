/** Unknown query parameters and values are refused, and the message names the accepted parameters and values. */
import { LISTS } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { draft, newCrosswalk, newDataSet, newSharedCollection, newType } from './fixtures.ts';
import { type HttpClient, signInAs } from './http-client.ts';

let admin: HttpClient;
let steward: HttpClient;

beforeAll(async () => {
  [admin, steward] = await Promise.all([signInAs('admin'), signInAs('steward')]);
});

const PATHS = Object.values(LISTS).map(({ path }) => path);
const refusalWith = (error: string) => ({
  status: 400,
  body: { code: 'INVALID', error: expect.stringContaining(error) },
});

describe.each(PATHS.map((path) => path.replace(/:\w+/, '1')))('the list %s', (path) => {
  it('refuses unknown parameters and unknown directions', async () => {
    expect(await admin.get(`${path}?severity=NOPE`)).toMatchObject(
      refusalWith('There is no parameter “severity”: this request takes '),
    );
    expect(await admin.get(`${path}?order=SIDEWAYS`)).toMatchObject(refusalWith('order must be one of “ASC”, “DESC”'));
  });
});

describe.each(PATHS.filter((path) => !path.includes(':')))('the list %s', (path) => {
  it('refuses to sort by an unknown field', async () => {
    expect(await admin.get(`${path}?sort=nope`)).toMatchObject(
      refusalWith('There is no field “nope” to sort by. Use one of: '),
    );
  });
});

describe('a read of a single item', () => {
  it('refuses a misspelt asOf parameter', async () => {
    expect(await admin.get('/api/crosswalks/1?as_of=2020-01-01')).toMatchObject(
      refusalWith('There is no parameter “as_of”: this request takes asOf'),
    );
  });
});

describe('reads of mappings and rows', () => {
  it('refuse unknown parameters, values and fields, and name the accepted ones', async () => {
    const collectionId = await newSharedCollection(steward);
    const typeId = await newType(steward);
    const source = await newDataSet(steward, typeId, collectionId, [{ code: 'de' }]);
    const target = await newDataSet(steward, typeId, collectionId, [{ code: 'DEU' }]);
    const id = await newCrosswalk(steward, source, target);
    await draft(steward, id, [['de', 'DEU']]);
    const mappings = `/api/crosswalks/${id}/mappings`;
    const dataSet = `/api/reference-data/${source}`;
    for (const [path, error] of [
      [`${mappings}?status=NOPE`, 'There is no parameter “status”: this request takes page, '],
      [`${mappings}?tab=NOPE`, 'tab must be one of “unmapped”, “suggested”, “draft”'],
      [`${mappings}?fields=id,nope`, 'There is no field “nope” to show. Use one of: id, revision, '],
      [`/api/crosswalks/${id}/export?fields=nope,status`, 'There is no field “nope” to show. Use one of: id, '],
      [`${dataSet}/instances?fields=code,nope`, 'There is no field “nope” to show. Use one of: code, name, id, '],
      [`${dataSet}/export?fields=code,nope`, 'There is no field “nope” to show. Use one of: code, name'],
      [`${dataSet}/integrity?kind=NOPE`, 'kind must be one of “WRONG_TYPE”'],
    ]) {
      expect(await steward.get(path as string), path).toMatchObject(refusalWith(error as string));
    }
    expect(await steward.get(`${dataSet}/instances?fields=code,updatedBy&sort=name&order=desc`)).toMatchObject({
      status: 200,
      body: { items: [{ data: { code: 'de' }, updatedBy: expect.any(Number) }] },
    });
  });
});
