/** Creates two small data sets, cities and countries, and a relationship between them. */
import type { Page } from '@playwright/test';
import { createCollection, grantTo, type NamedItem } from './collections.ts';
import { callApi, uniqueName } from './fixtures.ts';

const CITIES = { VIE: 'Vienna', GRZ: 'Graz', MUC: 'Munich', '007': 'Bondville' };
const COUNTRIES = { AT: 'Austria', DE: 'Germany' };

const SCHEMAS = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'name', dataType: 'string', isPrimaryKey: false },
];

/** Creates both data sets with rows, in a collection where the approver approves. */
export async function createCitiesAndCountries(
  steward: Page,
  approver: Page,
  nameOf: (name: string) => string = uniqueName,
): Promise<{ cities: NamedItem; countries: NamedItem }> {
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')], nameOf('Places'));
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: nameOf('Place'),
    description: '',
    schemas: SCHEMAS,
  });
  const createFilled = async (name: string, rows: Record<string, string>): Promise<NamedItem> => {
    const { id } = await callApi(steward, 'POST', '/api/reference-data', { name, typeId, collectionId });
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, {
      rows: Object.entries(rows).map(([code, title]) => ({ data: { code, name: title } })),
    });
    return { id, name };
  };
  return {
    cities: await createFilled(nameOf('Cities'), CITIES),
    countries: await createFilled(nameOf('Countries'), COUNTRIES),
  };
}

/** Creates both data sets and a relationship between them, with an attribute and drafts. */
export async function createCityRelationship(steward: Page, approver: Page, name: string): Promise<NamedItem> {
  const { cities, countries } = await createCitiesAndCountries(steward, approver);
  const { id } = await callApi(steward, 'POST', '/api/relationships', {
    name,
    relationshipType: 'is in',
    cardinality: 'MANY_TO_ONE',
    sourceDataSetId: cities.id,
    targetDataSetId: countries.id,
    sourceField: 'code',
    targetField: 'code',
  });
  await callApi(steward, 'POST', `/api/relationships/${id}/attributes`, { name: 'since', dataType: 'date' });
  await callApi(steward, 'POST', `/api/relationships/${id}/values`, {
    rows: [
      { sourceKey: 'VIE', targetKey: 'AT', attributes: { since: '1919-09-10' } },
      { sourceKey: 'MUC', targetKey: 'DE' },
    ],
  });
  return { id, name };
}
