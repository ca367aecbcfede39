/**
 * Loads the sample data for the first start: the sample users, real code lists, two source systems, and mappings and
 * relationship values in every review state. All data are created through the public API, so that they have a history
 * like the data of real users.
 */
import { createRequire } from 'node:module';
import type { DataType } from '@rdm/contracts';
import currencies from 'currency-codes';
import { type ApiClient, signIn } from './api-client.ts';
import { draftRows, type RowRevision, review } from './review-steps.ts';
import { defineSourceSystems, importSourceSystems, mapSourceSystems } from './source-systems.ts';
import { addDiscontinuedZone, createZoneRelationship } from './time-zones.ts';

export interface SampleDataOptions {
  /** Base URL of the whole product, without a trailing slash. */
  baseUrl: string;
  adminUsername: string;
  adminPassword: string;
  /** The password of the users steward, approver and viewer. */
  samplePassword: string;
  log: (line: string) => void;
}

// `i18n-iso-countries` and its language files are CommonJS modules, so load them with Node's require.
const require = createRequire(import.meta.url);
const countries = require('i18n-iso-countries') as typeof import('i18n-iso-countries');
countries.registerLocale(require('i18n-iso-countries/langs/en.json'));

const PEOPLE = [
  { username: 'steward', roleId: 2, displayName: 'Sam Steward', department: 'Data office' },
  { username: 'approver', roleId: 3, displayName: 'Ada Approver', department: 'Data governance' },
  { username: 'viewer', roleId: 4, displayName: 'Vic Viewer', department: 'Finance' },
] as const;

interface FieldSeed {
  name: string;
  dataType: DataType;
  isPrimaryKey?: boolean;
}

type Row = Record<string, string | number | boolean | null>;

/** Loads the sample data. A repeated load changes nothing that exists, and completes an interrupted load. */
export async function loadSampleData(options: SampleDataOptions): Promise<void> {
  const { baseUrl, samplePassword, log } = options;
  const admin = await signIn(baseUrl, options.adminUsername, options.adminPassword);
  const ids = new Map<string, number>();
  for (const { username, ...profile } of PEOPLE) {
    const created = await admin.write('POST', '/api/users', `user-${username}`, {
      username,
      email: `${username}@example.com`,
      password: samplePassword,
      requirePasswordChange: false,
      ...profile,
    });
    ids.set(username, created['id'] as number);
  }
  const [steward, approver, viewer] = await Promise.all(
    PEOPLE.map(({ username }) => signIn(baseUrl, username, samplePassword)),
  );
  if (!steward || !approver || !viewer) throw new Error('The sample users could not sign in');

  const geography = await createCollection(steward, ids, 'Geography', 'Countries and time zones', ['iso', 'public']);
  const finance = await createCollection(steward, ids, 'Finance', 'What the ledgers share', ['iso', 'ledger']);

  const country = await createType(steward, 'Country', 'A country or territory under ISO 3166-1', [
    { name: 'code', dataType: 'string', isPrimaryKey: true },
    { name: 'name', dataType: 'string' },
  ]);
  const currency = await createType(steward, 'Currency', 'A currency under ISO 4217', [
    { name: 'code', dataType: 'string', isPrimaryKey: true },
    { name: 'name', dataType: 'string' },
    { name: 'number', dataType: 'string' },
    { name: 'digits', dataType: 'number' },
  ]);
  const timeZone = await createType(steward, 'Time zone', 'A zone of the IANA time zone database', [
    { name: 'id', dataType: 'string', isPrimaryKey: true },
    { name: 'region', dataType: 'string' },
  ]);

  const countryRows = Object.entries(countries.getAlpha2Codes()).map(([alpha2, alpha3]) => ({
    alpha2,
    alpha3,
    numeric: countries.alpha2ToNumeric(alpha2) ?? null,
    name: countries.getName(alpha2, 'en') ?? alpha2,
  }));
  const createCountries = (name: string, description: string) =>
    createDataSet(steward, country, geography, name, description);
  const alpha2 = await createCountries('Countries, alpha-2', 'ISO 3166-1 alpha-2 codes');
  const alpha3 = await createCountries('Countries, alpha-3', 'ISO 3166-1 alpha-3 codes');
  const numeric = await createCountries('Countries, numeric', 'ISO 3166-1 numeric codes');
  const money = await createDataSet(
    steward,
    currency,
    finance,
    'Currencies',
    `ISO 4217 as of ${currencies.publishDate}`,
  );
  const zones = await createDataSet(steward, timeZone, geography, 'Time zones', 'Canonical zones of this platform');

  const rows: readonly [dataSetId: number, name: string, rows: Row[]][] = [
    [alpha2, 'Countries, alpha-2', countryRows.map((each) => ({ code: each.alpha2, name: each.name }))],
    [alpha3, 'Countries, alpha-3', countryRows.map((each) => ({ code: each.alpha3, name: each.name }))],
    [
      numeric,
      'Countries, numeric',
      countryRows.flatMap((each) => (each.numeric === null ? [] : [{ code: each.numeric, name: each.name }])),
    ],
    [
      money,
      'Currencies',
      currencies.data.map(({ code, currency: name, number, digits }) => ({ code, name, number, digits })),
    ],
    [zones, 'Time zones', Intl.supportedValuesOf('timeZone').map((id) => ({ id, region: id.split('/')[0] ?? id }))],
  ];
  const addAllRows = async () => {
    for (const each of rows) await addRows(steward, ...each);
    return addDiscontinuedZone(steward, zones);
  };
  const idOf = (username: string) => ids.get(username) as number;
  // Steps that run at the same time use different sequences of ids, so that the ids are the same in every installation.
  const [discontinuedZone, systems] = await Promise.all([
    addAllRows(),
    defineSourceSystems(admin, steward, idOf('approver'), [idOf('approver'), idOf('viewer')]),
  ]);
  log(`${countryRows.length} countries, ${currencies.data.length} currencies and the time zones are loaded`);

  const createCrosswalks = async () => {
    await crosswalkInEveryState(steward, approver, { sourceSystemId: alpha2, targetSystemId: alpha3 }, countryRows);
    await approvedCrosswalk(
      steward,
      approver,
      { sourceSystemId: alpha3, targetSystemId: numeric },
      countryRows.flatMap((each) => (each.numeric === null ? [] : [[each.alpha3, each.numeric] as const])),
    );
    await mapSourceSystems(baseUrl, { admin, steward, approver }, systems, alpha2);
    log('Four crosswalks are mapped and reviewed');
  };
  const createRelationship = async () => {
    const codes = countryRows.map((each) => each.alpha2);
    await createZoneRelationship(steward, approver, { dataSetId: zones, discontinuedZone }, alpha2, codes);
    log('The time zones are related to their countries');
  };
  const importSystems = async () => {
    await importSourceSystems(steward, systems);
    log('Two source systems are imported');
  };
  await Promise.all([importSystems(), createCrosswalks(), createRelationship()]);
}

async function createCollection(
  steward: ApiClient,
  ids: ReadonlyMap<string, number>,
  name: string,
  description: string,
  tags: string[],
): Promise<number> {
  const { id } = await steward.write('POST', '/api/collections', `collection-${name}`, { name, description, tags });
  await steward.write('PUT', `/api/collections/${id}/permissions`, `permissions-${name}`, {
    permissions: [
      { entityType: 'user', entityId: ids.get('approver'), permissionLevel: 'APPROVER' },
      { entityType: 'user', entityId: ids.get('viewer'), permissionLevel: 'READ' },
    ],
  });
  return id as number;
}

async function createType(
  steward: ApiClient,
  name: string,
  description: string,
  schemas: FieldSeed[],
): Promise<number> {
  const { id } = await steward.write('POST', '/api/reference-types', `type-${name}`, { name, description, schemas });
  return id as number;
}

async function createDataSet(
  steward: ApiClient,
  typeId: number,
  collectionId: number,
  name: string,
  description: string,
): Promise<number> {
  const { id } = await steward.write('POST', '/api/reference-data', `data-set-${name}`, {
    name,
    description,
    typeId,
    collectionId,
    isPublic: true,
  });
  return id as number;
}

async function addRows(steward: ApiClient, dataSetId: number, name: string, rows: Row[]): Promise<void> {
  await steward.write('POST', `/api/reference-data/${dataSetId}/instances`, `rows-${name}`, {
    rows: rows.map((data) => ({ data })),
  });
}

interface Ends {
  sourceSystemId: number;
  targetSystemId: number;
}

async function defineCrosswalk(steward: ApiClient, name: string, description: string, ends: Ends): Promise<number> {
  const { id } = await steward.write('POST', '/api/crosswalks', `crosswalk-${name}`, {
    name,
    description,
    ...ends,
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  return id as number;
}

const mappings = (crosswalkId: number) => `/api/crosswalks/${crosswalkId}/mappings`;

const draft = (
  steward: ApiClient,
  crosswalkId: number,
  key: string,
  pairs: readonly (readonly [string, string])[],
): Promise<RowRevision[]> =>
  draftRows(
    steward,
    mappings(crosswalkId),
    key,
    pairs.map(([sourceValue, targetValue]) => ({ sourceValue, targetValue })),
  );

/** Creates a crosswalk with approved, pending, rejected, draft and unmapped countries. */
async function crosswalkInEveryState(
  steward: ApiClient,
  approver: ApiClient,
  ends: Ends,
  countryRows: readonly { alpha2: string; alpha3: string }[],
): Promise<void> {
  const name = 'Country alpha-2 to alpha-3';
  const id = await defineCrosswalk(
    steward,
    name,
    'From the two-letter codes of the web to the three-letter ones',
    ends,
  );
  const pairs = countryRows.map((each) => [each.alpha2, each.alpha3] as const);
  const approved = await draft(steward, id, 'every-state-approved', pairs.slice(0, 200));
  const submitted = await review(steward, mappings(id), 'submit', 'every-state-submit', approved, 'ISO 3166-1, A to S');
  await approver.write('POST', `/api/crosswalks/${id}/approve`, 'every-state-header', {});
  await review(approver, mappings(id), 'approve', 'every-state-approve', submitted, 'Checked against the standard');

  const wrong = await draft(steward, id, 'every-state-wrong', [[pairs[200]?.[0] ?? '', 'XXX']]);
  const doubted = await review(steward, mappings(id), 'submit', 'every-state-doubt', wrong);
  await review(approver, mappings(id), 'reject', 'every-state-reject', doubted, 'XXX is not a country code');

  const waiting = await draft(steward, id, 'every-state-waiting', pairs.slice(201, 225));
  await review(steward, mappings(id), 'submit', 'every-state-wait', waiting, 'The next batch');
  await draft(steward, id, 'every-state-drafts', pairs.slice(225, 231));

  // Request unmapped codes that other systems use for countries: this creates missing mappings.
  for (const [sourceValue, times] of [
    ['UK', 3],
    ['EL', 2],
    ['XK', 1],
  ] as const) {
    for (let time = 0; time < times; time++) {
      await steward.write('POST', '/api/missing-mappings', `missing-${sourceValue}-${time}`, {
        crosswalkId: id,
        sourceValue,
      });
    }
  }
}

async function approvedCrosswalk(
  steward: ApiClient,
  approver: ApiClient,
  ends: Ends,
  pairs: readonly (readonly [string, string])[],
): Promise<void> {
  const id = await defineCrosswalk(steward, 'Country alpha-3 to numeric', 'For systems that keep numbers', ends);
  const drafted = await draft(steward, id, 'numeric-draft', pairs);
  const submitted = await review(steward, mappings(id), 'submit', 'numeric-submit', drafted);
  await approver.write('POST', `/api/crosswalks/${id}/approve`, 'numeric-header', {});
  await review(approver, mappings(id), 'approve', 'numeric-approve', submitted);
}
