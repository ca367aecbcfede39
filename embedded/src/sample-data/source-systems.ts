/**
 * Loads sample data of two source systems, an ERP and a CRM, with their own country codes. Imports each system from a
 * file, maps the codes to ISO 3166-1, and translates codes of the ERP with an API key.
 */
import { type ApiClient, withApiKey } from './api-client.ts';
import { draftRows, type RowRevision, review } from './review-steps.ts';

export interface SourceSystems {
  collectionId: number;
  erp: number;
  crm: number;
}

/**
 * A country: ISO 3166-1 alpha-2, the code of the ERP (vehicle registration sign), the code of the CRM (FIPS 10-4), the
 * name, and the dates of `valid from` and `valid to`.
 */
type Country = [iso: string, erp: string | null, crm: string | null, name: string, from?: string, to?: string];

const COUNTRIES: readonly Country[] = [
  ['AL', 'AL', null, 'Albania'],
  ['AT', 'A', 'AU', 'Austria'],
  ['BA', 'BIH', null, 'Bosnia and Herzegovina', '1992-05-22'],
  ['BE', 'B', 'BE', 'Belgium'],
  ['BG', 'BG', 'BU', 'Bulgaria'],
  ['CH', 'CH', 'SZ', 'Switzerland'],
  ['CZ', 'CZ', 'EZ', 'Czechia', '1993-01-01'],
  ['DE', 'D', 'GM', 'Germany'],
  ['DK', 'DK', 'DA', 'Denmark'],
  ['EE', null, 'EN', 'Estonia', '1991-09-17'],
  ['ES', 'E', 'SP', 'Spain'],
  ['FI', 'FIN', 'FI', 'Finland'],
  ['FR', 'F', 'FR', 'France'],
  ['GR', 'GR', 'GR', 'Greece'],
  ['HR', 'HR', 'HR', 'Croatia', '1992-05-22'],
  ['HU', 'H', 'HU', 'Hungary'],
  ['IE', 'IRL', 'EI', 'Ireland'],
  ['IT', 'I', 'IT', 'Italy'],
  ['LT', null, 'LH', 'Lithuania', '1991-09-17'],
  ['LU', 'L', 'LU', 'Luxembourg'],
  ['LV', null, 'LG', 'Latvia', '1991-09-17'],
  ['ME', 'MNE', 'MJ', 'Montenegro', '2006-06-28'],
  ['NL', 'NL', 'NL', 'Netherlands'],
  ['NO', 'N', 'NO', 'Norway'],
  ['PL', 'PL', 'PL', 'Poland'],
  ['PT', 'P', 'PO', 'Portugal'],
  ['RO', 'RO', 'RO', 'Romania'],
  ['RS', 'SRB', 'RI', 'Serbia', '2006-06-05'],
  ['SE', 'S', 'SW', 'Sweden'],
  ['SI', 'SLO', 'SI', 'Slovenia', '1992-05-22'],
  ['SK', 'SK', 'LO', 'Slovakia', '1993-01-01'],
  ['UA', 'UA', null, 'Ukraine'],
];
/** A former country, whose area belongs to two countries of the list today. */
const YUGOSLAVIA: Country = ['', 'YU', null, 'Yugoslavia', '1992-04-27', '2003-02-04'];
const STANDARD_SINCE = '1974-01-01';

const HEADER = 'code,name,valid from,valid to';
const line = (code: string, [, , , name, from = STANDARD_SINCE, to = '']: Country) => `${code},${name},${from},${to}`;
const linesOf = (codeOf: (country: Country) => string | null, countries: readonly Country[]) =>
  countries.flatMap((country) => {
    const code = codeOf(country);
    return code === null ? [] : [line(code, country)];
  });
const erpOf = ([, erp]: Country) => erp;
const crmOf = ([, , crm]: Country) => crm;

const ERP_FILE = [HEADER, ...linesOf(erpOf, [...COUNTRIES, YUGOSLAVIA])];
/** Four of its rows cannot be imported: no key, a duplicate key, a date in local format, a comma without quotes. */
const CRM_FILE = [
  HEADER,
  ...linesOf(crmOf, COUNTRIES),
  ',Atlantis,1974-01-01,',
  'GM,Germany (from the old CRM),1974-01-01,',
  'GC,German Democratic Republic,1974-01-01,03.10.1990',
  'UK,United Kingdom, of Great Britain,1974-01-01,',
];

const JOB_POLL_MS = 200;

/** Codes that the ERP requests; two of them have no mapping. */
const TRANSLATED = ['D', 'F', 'A', 'CH', 'NL', 'YU', 'EST', 'GB'];

/** Defines the two data sets, which `readers` may read as members of a group. */
export async function defineSourceSystems(
  admin: ApiClient,
  steward: ApiClient,
  approverId: number,
  readers: readonly number[],
): Promise<SourceSystems> {
  const group = await admin.write('POST', '/api/groups', 'group-readers', {
    name: 'Country list readers',
    description: 'They read what the source systems call a country',
  });
  await admin.write('PUT', `/api/groups/${group['id']}/members`, 'group-readers-members', { userIds: readers });
  const { id } = await steward.write('POST', '/api/collections', 'collection-sources', {
    name: 'Source systems',
    description: 'Codes as the ERP and the CRM keep them',
    tags: ['erp', 'crm'],
  });
  await steward.write('PUT', `/api/collections/${id}/permissions`, 'permissions-sources', {
    permissions: [
      { entityType: 'user', entityId: approverId, permissionLevel: 'APPROVER' },
      { entityType: 'group', entityId: group['id'], permissionLevel: 'READ' },
    ],
  });
  const { id: typeId } = await steward.write('POST', '/api/reference-types', 'type-source-country', {
    name: 'Country of a source system',
    description: 'A country under the code of one system, and when it uses this code',
    schemas: [
      { name: 'code', dataType: 'string', isPrimaryKey: true },
      { name: 'name', dataType: 'string' },
      { name: 'valid from', dataType: 'date' },
      { name: 'valid to', dataType: 'date' },
    ],
  });
  const collectionId = id as number;
  const common = { typeId, collectionIds: [collectionId], isPublic: true };
  const erp = await createDataSet(steward, {
    name: 'ERP countries',
    description: 'Signs of vehicles abroad',
    ...common,
  });
  const crm = await createDataSet(steward, { name: 'CRM countries', description: 'FIPS 10-4 codes', ...common });
  await addFilters(admin, steward, erp);
  return { collectionId, erp, crm };
}

/** Imports the rows of both data sets from files. */
export async function importSourceSystems(steward: ApiClient, { erp, crm }: SourceSystems): Promise<void> {
  await Promise.all([
    importFile(steward, erp, 'erp-countries.csv', ERP_FILE, 'Countries of the ERP'),
    importFile(steward, crm, 'crm-countries.csv', CRM_FILE, 'Countries of the CRM, with four rows to be corrected'),
  ]);
}

/** Maps the codes of both systems to `countries`, the data set of alpha-2 codes, and translates codes of the ERP. */
export async function mapSourceSystems(
  baseUrl: string,
  people: { admin: ApiClient; steward: ApiClient; approver: ApiClient },
  { collectionId, erp, crm }: SourceSystems,
  countries: number,
): Promise<void> {
  const { admin, steward, approver } = people;
  const fromErp = await mapErp(steward, approver, erp, countries);
  await mapCrm(steward, approver, crm, countries);
  await translateErpCodes(baseUrl, admin, collectionId, fromErp);
}

async function createDataSet(steward: ApiClient, body: { name: string; description: string }): Promise<number> {
  return (await steward.write('POST', '/api/reference-data', `data-set-${body.name}`, body))['id'] as number;
}

/** Uploads a file, imports it and waits for the end of the job. */
async function importFile(
  steward: ApiClient,
  dataSetId: number,
  fileName: string,
  lines: readonly string[],
  description: string,
): Promise<void> {
  const form = new FormData();
  form.set('dataSetId', String(dataSetId));
  form.set('file', new File([`${lines.join('\n')}\n`], fileName, { type: 'text/csv' }));
  const { id } = await steward.write('POST', '/api/imports', `upload-${fileName}`, form);
  const { jobId } = await steward.write('POST', `/api/imports/${id}/start`, `import-${fileName}`, { description });
  while (true) {
    const { status } = await steward.read(`/api/jobs/${jobId}`);
    if (status === 'DONE') return;
    if (status === 'FAILED' || status === 'CANCELLED') throw new Error(`The import of ${fileName} ended as ${status}`);
    await new Promise((resolve) => setTimeout(resolve, JOB_POLL_MS));
  }
}

/** Adds filter configurations for the data set of the ERP, and a saved filter that the steward shares. */
async function addFilters(admin: ApiClient, steward: ApiClient, erp: number): Promise<void> {
  const entity = `data-set:${erp}`;
  const configurations = [
    { fieldName: 'code', dataType: 'string', allowedOperators: ['equals', 'in', 'starts_with'], displayName: 'Code' },
    { fieldName: 'name', dataType: 'string', allowedOperators: ['contains', 'starts_with'], displayName: 'Name' },
    { fieldName: 'valid to', dataType: 'date', displayName: 'No longer used after' },
  ];
  for (const each of configurations) {
    await admin.write('POST', '/api/filter-configurations', `filter-${each.fieldName}`, {
      entityType: entity,
      ...each,
    });
  }
  const filter = { logic: 'AND', conditions: [{ field: 'valid to', operator: 'is_not_null' }] };
  await steward.write('POST', '/api/saved-filters', 'saved-no-longer-used', {
    name: 'No longer used',
    entity,
    view: { filter, q: null, sort: null, order: 'ASC', columns: null },
    isShared: true,
  });
}

interface Pair {
  sourceValue: string;
  targetValue: string;
}

const pairsOf = (codeOf: (country: Country) => string | null): Pair[] =>
  COUNTRIES.flatMap((country) => {
    const sourceValue = codeOf(country);
    return sourceValue === null ? [] : [{ sourceValue, targetValue: country[0] }];
  });

async function createCrosswalk(steward: ApiClient, ends: object, name: string, more: object): Promise<number> {
  const attributes = { sourceAttribute: 'code', targetAttribute: 'code' };
  const body = { name, ...ends, ...attributes, ...more };
  return (await steward.write('POST', '/api/crosswalks', `crosswalk-${name}`, body))['id'] as number;
}

/** Drafts, submits and approves mappings, and approves the definition of the crosswalk. */
async function approveMappings(steward: ApiClient, approver: ApiClient, id: number, key: string, pairs: Pair[]) {
  const path = `/api/crosswalks/${id}/mappings`;
  const drafted = await draftRows(steward, path, `${key}-draft`, pairs);
  const submitted = await review(steward, path, 'submit', `${key}-submit`, drafted, 'As the system documents them');
  await approver.write('POST', `/api/crosswalks/${id}/approve`, `${key}-header`, {});
  return review(approver, path, 'approve', `${key}-approve`, submitted, 'Compared with the manual');
}

/** Maps the codes of the ERP. Its code YU is mapped to two countries, which is a conflict. */
async function mapErp(steward: ApiClient, approver: ApiClient, erp: number, countries: number): Promise<number> {
  const ends = { sourceSystemId: erp, targetSystemId: countries };
  const id = await createCrosswalk(steward, ends, 'ERP country to ISO country', {
    description: 'The signs that the ERP prints to the two-letter codes',
  });
  await approveMappings(steward, approver, id, 'erp', [
    ...pairsOf(erpOf),
    { sourceValue: 'YU', targetValue: 'RS' },
    { sourceValue: 'YU', targetValue: 'ME' },
  ]);
  return id;
}

/**
 * Maps the codes of the CRM, with mappings in every state: draft, pending, approved, rejected and deleted. The mapping
 * of UK has no source row, because the import rejected the row.
 */
async function mapCrm(steward: ApiClient, approver: ApiClient, crm: number, countries: number): Promise<void> {
  const ends = { sourceSystemId: crm, targetSystemId: countries };
  const id = await createCrosswalk(steward, ends, 'CRM country to ISO country', {
    description: 'FIPS 10-4 to the two-letter codes; what is unknown becomes ZZ',
    unmapped: { yields: 'FIXED', value: 'ZZ' },
  });
  const path = `/api/crosswalks/${id}/mappings`;
  const unapprovedCodes = ['AU', 'BU', 'LO', 'SZ', 'RI'];
  const pairs = pairsOf(crmOf).filter(({ sourceValue }) => !unapprovedCodes.includes(sourceValue));
  const approved = await approveMappings(steward, approver, id, 'crm', [
    ...pairs,
    { sourceValue: 'UK', targetValue: 'GB' },
  ]);

  const draftPair = (key: string, sourceValue: string, targetValue: string) =>
    draftRows(steward, path, `crm-${key}`, [{ sourceValue, targetValue }]);
  const submit = (key: string, rows: readonly RowRevision[], comment: string) =>
    review(steward, path, 'submit', `crm-${key}-submit`, rows, comment);
  const reject = (key: string, rows: readonly RowRevision[], comment: string) =>
    review(approver, path, 'reject', `crm-${key}-reject`, rows, comment);

  const submitted = await submit('austria', await draftPair('austria', 'AU', 'AU'), 'Taken over from the old list');
  const rejected = await reject('austria', submitted, 'AU is Austria in FIPS 10-4; Australia is AS');
  const corrected = await steward.write('PATCH', path, 'crm-austria-corrected', {
    rows: rejected.map((row) => ({ ...row, targetValue: 'AT' })),
  });
  await submit('austria-again', corrected['results'] as RowRevision[], 'Corrected: AU is Austria');

  const wrong = await submit('bulgaria', await draftPair('bulgaria', 'BU', 'MM'), 'Taken over from the old list');
  await reject('bulgaria', wrong, 'MM is Myanmar, which was Burma (BU) until 1989');
  await draftPair('slovakia', 'LO', 'SK');
  const deletedRows = await draftPair('serbia', 'RI', 'ID');
  await steward.write('DELETE', path, 'crm-serbia-deleted', { rows: deletedRows });

  const [edited, ended] = approved.slice(-3);
  if (!edited || !ended) throw new Error('The mappings of the CRM were not approved');
  const changed = await steward.write('PATCH', path, 'crm-edited', {
    rows: [{ ...edited, targetValue: pairs.at(-2)?.targetValue, confidence: 90 }],
  });
  await submit('edited', changed['results'] as RowRevision[], 'Less sure than it was');
  await steward.write('DELETE', path, 'crm-ended', { rows: [ended] });
  await steward.write('POST', `/api/crosswalks/${id}/suggestions/dismiss`, 'crm-dismissed', {
    rows: [{ sourceValue: 'SZ', targetValue: 'SZ' }],
  });
}

/** Creates an API key and requests translations of ERP codes with it. The key is not stored. */
async function translateErpCodes(
  baseUrl: string,
  admin: ApiClient,
  collectionId: number,
  crosswalkId: number,
): Promise<void> {
  const { key } = await admin.write('POST', '/api/api-keys', 'key-erp', {
    name: 'ERP interface',
    description: 'Translates the countries of orders',
    scopes: [{ collectionId, scope: 'translate' }],
  });
  // A repeated load does not receive the secret, so it skips the translations.
  if (typeof key !== 'string') return;
  const system = withApiKey(baseUrl, key);
  for (const value of TRANSLATED) {
    await system.read(`/api/crosswalks/${crosswalkId}/translate?value=${encodeURIComponent(value)}&context=orders`);
  }
}
