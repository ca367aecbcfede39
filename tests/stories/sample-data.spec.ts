/** Tests the sample data: mappings, imports, an API key, a group, filters and the public graph. */
import { beforeAll, describe, expect, it } from 'vitest';
import { done } from './fixtures.ts';
import { HttpClient, type Json, signInAs } from './http-client.ts';

let admin: HttpClient;
let steward: HttpClient;
beforeAll(async () => {
  [admin, steward] = await Promise.all([signInAs('admin'), signInAs('steward')]);
});

const findByName = async (person: HttpClient, path: string, name: string): Promise<Json> => {
  const { items } = done(await person.get(`${path}?q=${encodeURIComponent(name)}&pageSize=1000`));
  return items.find((item: Json) => item.name === name);
};

describe('the sample data', () => {
  it('contain two systems with agreeing, conflicting and missing mappings', async () => {
    const { id } = await findByName(steward, '/api/reference-data', 'Countries, alpha-2');
    const { items, systems } = done(await steward.get(`/api/crosswalk/comparison/${id}?pageSize=1000`));
    expect(systems.map((system: Json) => system.name)).toEqual(['CRM countries', 'ERP countries']);
    const [crm, erp] = systems.map((system: Json) => system.dataSetId);
    const findCell = (target: string, dataSetId: number) =>
      items.find((row: Json) => row.targetValue === target).cells.find((cell: Json) => cell.dataSetId === dataSetId);
    expect(findCell('DE', erp)).toMatchObject({ state: 'agree', mappings: [{ sourceValue: 'D' }] });
    expect(findCell('DE', crm)).toMatchObject({ state: 'agree', mappings: [{ sourceValue: 'GM' }] });
    expect(findCell('RS', erp)).toMatchObject({ state: 'conflict' });
    expect(findCell('AL', crm)).toMatchObject({ state: 'absent' });
    expect(findCell('GB', crm)).toMatchObject({ mappings: [{ sourceValue: 'UK', sourceMissing: true }] });
  });

  it('contain an import with rejected rows and one without rejected rows', async () => {
    const { items } = done(await steward.get('/api/jobs?q=Countries%20of%20the&pageSize=100'));
    const findJob = (description: string) => items.find((job: Json) => job.description.startsWith(description));
    expect(findJob('Countries of the ERP')).toMatchObject({ status: 'DONE', counts: { created: 30, failed: 0 } });
    const jobWithRejectedRows = findJob('Countries of the CRM');
    expect(jobWithRejectedRows).toMatchObject({ status: 'DONE', counts: { created: 29, failed: 4 } });
    const { body } = await steward.get(`/api/imports/${jobWithRejectedRows.jobId}/errors`);
    expect(body.trim().split('\r\n')).toHaveLength(5);
  });

  it('contain mappings in all states, and a mapping that was resubmitted after a rejection', async () => {
    const { id } = await findByName(steward, '/api/crosswalks', 'CRM country to ISO country');
    const counts = done(await steward.get(`/api/crosswalks/${id}/mappings/counts`));
    expect(counts).toMatchObject({ draft: 1, pending: 3, rejected: 1, deleted: 1, dismissed: 1, approved: 23 });
    const { items } = done(await steward.get(`/api/crosswalks/${id}/mappings?tab=pending&q=AU`));
    const path = `/api/crosswalks/${id}/mappings/${items[0].id}/history`;
    const history = done(await steward.get(path)).items;
    expect(history.map((entry: Json) => entry.comment).filter(Boolean)).toEqual([
      'Corrected: AU is Austria',
      'AU is Austria in FIPS 10-4; Australia is AS',
      'Taken over from the old list',
    ]);
  });

  it('contain a used API key, a group, filters of a list and a public graph', async () => {
    const key = await findByName(admin, '/api/api-keys', 'ERP interface');
    expect(key.lastUsedAt).toEqual(expect.any(String));
    expect(await findByName(admin, '/api/groups', 'Country list readers')).toMatchObject({ memberCount: 2 });
    const erp = await findByName(steward, '/api/reference-data', 'ERP countries');
    const configured = done(await admin.get(`/api/filter-configurations?entity=data-set:${erp.id}`));
    expect(configured.items.map((each: Json) => each.displayName)).toEqual(['Code', 'Name', 'No longer used after']);
    const savedFilters = done(await steward.get(`/api/saved-filters?entity=data-set:${erp.id}`));
    expect(savedFilters.items).toMatchObject([{ name: 'No longer used', isShared: true }]);
    const { nodes } = done(await new HttpClient().get('/api/graph'));
    expect(nodes.map((node: Json) => node.name)).toEqual(
      expect.arrayContaining(['ERP countries', 'Countries, numeric']),
    );
  });
});
