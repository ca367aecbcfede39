/** Cities and the countries that they are in: two small data sets of a story's own, and how they are related. */
import type { Page } from '@playwright/test';
import { aCollection, grantTo, type Named } from './collections.ts';
import { asked, own } from './fixtures.ts';

const CITIES = { VIE: 'Vienna', GRZ: 'Graz', MUC: 'Munich', '007': 'Bondville' };
const COUNTRIES = { AT: 'Austria', DE: 'Germany' };

const SCHEMAS = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'name', dataType: 'string', isPrimaryKey: false },
];

/** Both data sets, filled, in a collection that the approver approves for. */
export async function places(
  steward: Page,
  approver: Page,
  named: (name: string) => string = own,
): Promise<{ cities: Named; countries: Named }> {
  const { id: collectionId } = await aCollection(steward, [await grantTo(approver, 'APPROVER')], named('Places'));
  const { id: typeId } = await asked(steward, 'POST', '/api/reference-types', {
    name: named('Place'),
    description: '',
    schemas: SCHEMAS,
  });
  const filled = async (name: string, rows: Record<string, string>): Promise<Named> => {
    const { id } = await asked(steward, 'POST', '/api/reference-data', { name, typeId, collectionId });
    await asked(steward, 'POST', `/api/reference-data/${id}/instances`, {
      rows: Object.entries(rows).map(([code, title]) => ({ data: { code, name: title } })),
    });
    return { id, name };
  };
  return { cities: await filled(named('Cities'), CITIES), countries: await filled(named('Countries'), COUNTRIES) };
}

/** A relationship between them with an attribute and drafts, for pages that need one to show. */
export async function relatedPlaces(steward: Page, approver: Page, name: string): Promise<Named> {
  const { cities, countries } = await places(steward, approver);
  const { id } = await asked(steward, 'POST', '/api/relationships', {
    name,
    relationshipType: 'is in',
    cardinality: 'MANY_TO_ONE',
    sourceDataSetId: cities.id,
    targetDataSetId: countries.id,
    sourceField: 'code',
    targetField: 'code',
  });
  await asked(steward, 'POST', `/api/relationships/${id}/attributes`, { name: 'since', dataType: 'date' });
  await asked(steward, 'POST', `/api/relationships/${id}/values`, {
    rows: [
      { sourceKey: 'VIE', targetKey: 'AT', attributes: { since: '1919-09-10' } },
      { sourceKey: 'MUC', targetKey: 'DE' },
    ],
  });
  return { id, name };
}
