/** Specifies the sentences that describe activities. */
import { expect, it, describe as suite } from 'vitest';
import { eventTypes } from '../registry.ts';
import type { ActivityFact, ActivityRow, UndescribedActivity } from './activities.ts';
import { actionOf } from './activity-actions.ts';
import { auditedEntity } from './audit.ts';
import { describe } from './describe.ts';

type ShownJob = NonNullable<UndescribedActivity['job']>;
const NO_NAMES = { users: {}, groups: {}, roles: {}, dataSets: {} };

const activity = (overrides: Partial<UndescribedActivity>): UndescribedActivity => ({
  id: 1,
  commandId: 'c',
  timestamp: '2026-01-01T00:00:00Z',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  userId: 2,
  username: 'Sam Steward',
  apiKeyId: null,
  apiKeyName: null,
  sourceType: 'UI',
  correlationId: 'c',
  jobId: null,
  verb: 'changed',
  subjectType: 'dataSet',
  subjectId: 1,
  subjectName: 'Products',
  dataSetIds: [],
  events: 1,
  rows: 0,
  created: 0,
  changed: 0,
  removed: 0,
  decided: 0,
  statusBefore: null,
  statusAfter: null,
  comment: null,
  facts: [],
  job: null,
  names: NO_NAMES,
  row: null,
  undoes: null,
  ...overrides,
});

const fact = (
  action: string,
  entityType: string,
  entityName: string,
  overrides: Partial<ActivityFact> = {},
): ActivityFact => ({
  action,
  entityType,
  entityId: 1,
  entityName,
  rows: 0,
  data: {},
  ...overrides,
});
const rowFact = (action: string, entityType: string, entityName: string, rows: number) =>
  fact(action, entityType, entityName, { rows });
const job = (overrides: Partial<ShownJob>): ShownJob => ({
  id: 9,
  type: 'DATASET_INSTANCES_IMPORT',
  status: 'DONE',
  counts: null,
  reason: null,
  fileName: null,
  ...overrides,
});
const row = (overrides: Partial<ActivityRow>): ActivityRow => ({
  entityType: 'instances',
  entityId: 1,
  entityName: 'Products',
  id: 64,
  key: '00161',
  label: null,
  status: null,
  changes: [],
  ...overrides,
});
const COUNTS = { total: 308, created: 292, changed: 8, unchanged: 0, failed: 8, skipped: 0 };
const PAIRS = 'Country alpha-2 → alpha-3';

suite('an activity', () => {
  it.each<[string, Partial<UndescribedActivity>]>([
    [
      'Sam Steward renamed a field to Supplier group in the type Suppliers',
      { facts: [fact('FieldRenamed', 'referenceType', 'Suppliers', { data: { fieldId: 8, name: 'Supplier group' } })] },
    ],
    [
      'Sam Steward renamed the field Group to Supplier group in the type Suppliers',
      {
        facts: [
          fact('FieldRenamed', 'referenceType', 'Suppliers', { data: { name: 'Supplier group', formerName: 'Group' } }),
        ],
      },
    ],
    [
      'Sam Steward imported 300 rows into Products: 292 new, 8 changed, 8 rejected',
      {
        rows: 300,
        job: job({ counts: COUNTS }),
        facts: [
          fact('ImportRequested', 'importJob', 'Spring'),
          rowFact('InstancesImported', 'instances', 'Products', 292),
          rowFact('InstancesChanged', 'instances', 'Products', 8),
        ],
      },
    ],
    [
      'Sam Steward imported 292 rows from products.xlsx into Products: 292 new',
      {
        job: job({ counts: { ...COUNTS, changed: 0, failed: 0 }, fileName: 'products.xlsx' }),
        facts: [
          fact('ImportRequested', 'importJob', 'Spring'),
          rowFact('InstancesImported', 'instances', 'Products', 292),
        ],
      },
    ],
    [
      // The file was deleted: only the description has its name.
      'Sam Steward is importing rows from products.xlsx',
      {
        job: job({ status: 'IN_PROGRESS' }),
        facts: [fact('ImportRequested', 'importJob', 'Import of products.xlsx')],
      },
    ],
    [
      'Sam Steward created the data set Products from products.xlsx and imported 292 rows: 292 new',
      {
        job: job({ counts: { ...COUNTS, changed: 0, failed: 0 }, fileName: 'products.xlsx' }),
        facts: [
          fact('ReferenceTypeDefined', 'referenceType', 'Product'),
          fact('DataSetCreated', 'dataSet', 'Products'),
          rowFact('InstancesImported', 'instances', 'Products', 292),
        ],
      },
    ],
    [
      'Sam Steward undid the import of 300 rows from products.xlsx into Products',
      {
        rows: 300,
        facts: [rowFact('InstancesRemoved', 'instances', 'Products', 300)],
        undoes: {
          id: 1,
          rows: 300,
          job: job({ counts: COUNTS, fileName: 'products.xlsx' }),
          facts: [rowFact('InstancesImported', 'instances', 'Products', 300)],
        },
      },
    ],
    [
      'Sam Steward changed 00161 in Products: price 4.20 → 4.50',
      {
        rows: 1,
        facts: [rowFact('InstancesChanged', 'instances', 'Products', 1)],
        row: row({ changes: [{ field: 'price', before: '4.20', after: '4.50' }] }),
      },
    ],
    [
      `Sam Steward submitted 420 mappings of ${PAIRS}`,
      { rows: 420, facts: [rowFact('MappingsSubmitted', 'mappings', PAIRS, 420)] },
    ],
    [
      `Ann Approver approved 417 and rejected 3 mappings of ${PAIRS}: "ambiguous"`,
      {
        username: 'Ann Approver',
        rows: 420,
        comment: 'ambiguous',
        facts: [rowFact('MappingsApproved', 'mappings', PAIRS, 417), rowFact('MappingsRejected', 'mappings', PAIRS, 3)],
      },
    ],
    [
      'admin gave Vera Viewer READ on Finance',
      {
        username: 'admin',
        names: { ...NO_NAMES, users: { 5: 'Vera Viewer' } },
        facts: [
          fact('CollectionPermissionsChanged', 'collection', 'Finance', {
            data: { granted: [{ entityType: 'user', entityId: 5, permissionLevel: 'READ' }], revoked: [] },
          }),
        ],
      },
    ],
    [
      'Sam Steward undid the import of 300 rows into Products; kept 2 rows that were changed later or are in use: job 31 names each change',
      {
        rows: 298,
        job: job({ id: 31 }),
        facts: [rowFact('InstancesRemoved', 'instances', 'Products', 298)],
        undoes: {
          id: 1,
          rows: 300,
          job: job({ counts: COUNTS }),
          facts: [rowFact('InstancesImported', 'instances', 'Products', 300)],
        },
      },
    ],
    [
      'API key "ERP" (Sam Steward) changed 12 rows in Units',
      { apiKeyId: 3, apiKeyName: 'ERP', rows: 12, facts: [rowFact('InstancesChanged', 'instances', 'Units', 12)] },
    ],
    [
      'An API key (Sam Steward) changed 12 rows in Units',
      { apiKeyId: 3, apiKeyName: null, rows: 12, facts: [rowFact('InstancesChanged', 'instances', 'Units', 12)] },
    ],
    [
      "The system locked Vera Viewer's sign-in for 15 minutes: 5 failed attempts",
      {
        userId: null,
        username: null,
        names: { ...NO_NAMES, users: { 5: 'Vera Viewer' } },
        facts: [fact('UserLocked', 'user', 'vera', { entityId: 5, data: { minutes: 15 } })],
      },
    ],
    ...(
      [
        ['Noor Newcomer signed up with the role Viewer', null, 'API'],
        ['The system created the user Noor Newcomer with the role Viewer', null, 'SYSTEM'],
        ['Sam Steward created the user Noor Newcomer with the role Viewer', 'Sam Steward', 'UI'],
      ] as const
    ).map(([line, username, sourceType]): [string, Partial<UndescribedActivity>] => [
      line,
      {
        ...{ userId: username && 2, username, sourceType },
        names: { ...NO_NAMES, users: { 9: 'Noor Newcomer' }, roles: { 4: 'Viewer' } },
        facts: [fact('UserRegistered', 'user', 'noor', { entityId: 9, data: { roleId: 4 } })],
      },
    ]),
    [
      `Sam Steward undid the approval of 2 mappings of ${PAIRS}`,
      {
        rows: 2,
        facts: [rowFact('MappingsUndone', 'mappings', PAIRS, 2)],
        undoes: { id: 1, rows: 2, job: null, facts: [rowFact('MappingsApproved', 'mappings', PAIRS, 2)] },
      },
    ],
    [
      `Sam Steward approved the mapping DE → DEU of ${PAIRS}`,
      {
        rows: 1,
        facts: [rowFact('MappingsApproved', 'mappings', PAIRS, 1)],
        row: row({ entityType: 'mappings', key: 'DE → DEU' }),
      },
    ],
    [
      'Sam Steward deleted 3 rows from Products',
      { rows: 3, facts: [rowFact('InstancesRemoved', 'instances', 'Products', 3)] },
    ],
    [
      'Sam Steward added 00161 to Products',
      { rows: 1, facts: [rowFact('InstancesAdded', 'instances', 'Products', 1)], row: row({}) },
    ],
    [
      'Sam Steward imported 1 row into Products: 1 new; the job failed: no space',
      {
        rows: 1,
        job: job({ status: 'FAILED', reason: 'no space', counts: { ...COUNTS, created: 1, changed: 0, failed: 0 } }),
        facts: [rowFact('InstancesImported', 'instances', 'Products', 1)],
      },
    ],
    [
      'Sam Steward drafted and submitted 1,200 mappings of Countries',
      {
        rows: 1200,
        facts: [
          rowFact('MappingsDrafted', 'mappings', 'Countries', 1200),
          rowFact('MappingsSubmitted', 'mappings', 'Countries', 1200),
        ],
      },
    ],
    [
      'Sam Steward created the data set Products',
      { facts: [fact('DataSetCreated', 'dataSet', 'Products'), fact('DataSetRegistered', 'referenceType', 'Article')] },
    ],
    [
      'Sam Steward created and published the data set Products and added Products to the collection Finance',
      {
        names: { ...NO_NAMES, dataSets: { 1: 'Products' } },
        facts: [
          fact('DataSetCreated', 'dataSet', 'Products'),
          fact('DataSetPublished', 'dataSet', 'Products'),
          fact('CollectionItemsAdded', 'collection', 'Finance', { data: { dataSetIds: [1] } }),
        ],
      },
    ],
    [
      'Sam Steward created the role Reader and the role Writer',
      { facts: [fact('RoleDefined', 'role', 'Reader'), fact('RoleDefined', 'role', 'Writer', { entityId: 2 })] },
    ],
    [
      'Sam Steward reserved the name "products"',
      { facts: [fact('NameClaimed', 'names', '', { entityName: null, entityId: null, data: { name: 'products' } })] },
    ],
    [
      'The system registered signing key 8d39ba50abe50f77',
      {
        userId: null,
        username: null,
        facts: [
          fact('SigningKeyRegistered', 'system', '', {
            entityName: null,
            entityId: null,
            data: { keyId: '8d39ba50abe50f77' },
          }),
        ],
      },
    ],
    [
      'The system restored the backup rdm-20261126T160000Z-12.tar.gz',
      {
        userId: null,
        username: null,
        facts: [fact('BackupRestored', 'backup', '12', { data: { fileName: 'rdm-20261126T160000Z-12.tar.gz' } })],
      },
    ],
    [
      'Sam Steward purged 3 deleted data sets, confirmed by Olga: "retention R7"',
      {
        names: { ...NO_NAMES, users: { 7: 'Olga' } },
        facts: [
          fact('PurgeCompleted', 'purge', '7', {
            data: { kind: 'dataSets', counts: { items: 3 }, confirmedBy: 7, reason: 'retention R7' },
          }),
          fact('PurgeEnded', 'purge', '7'),
        ],
      },
    ],
    [
      'Sam Steward placed a legal hold on the data set Products for Case 17',
      {
        names: { ...NO_NAMES, dataSets: { 1: 'Products' } },
        facts: [
          fact('LegalHoldPlaced', 'legalHold', '1', { data: { scope: { kind: 'dataSet', id: 1 }, matter: 'Case 17' } }),
        ],
      },
    ],
    ['Sam Steward changed their password', { facts: [fact('PasswordChanged', 'user', 'sam', { entityId: 2 })] }],
    [
      'Sam Steward renamed the data set to Goods',
      { facts: [fact('DataSetDetailsChanged', 'dataSet', 'Goods', { data: { name: 'Goods' } })] },
    ],
    [
      'Sam Steward renamed the role to Reader and changed its pages and abilities',
      { facts: [fact('RoleChanged', 'role', 'Reader', { data: { name: 'Reader', others: ['routes', 'abilities'] } })] },
    ],
  ])('is described as “%s”', (line, overrides) => {
    expect(describe(activity(overrides))).toBe(line);
  });

  /** Event data with fields that sentences mention. */
  const data = { name: 'Code', minutes: 15, roleId: 3, dataSetIds: [1], provider: 'azure', fields: ['phone'] };

  it.each(eventTypes())('has a verb for the event %s', (type) => {
    const { entityType } = auditedEntity('mappings-3.0', { type, data: {}, metadata: {} } as never);
    for (const rows of [0, 2]) {
      const line = describe(activity({ rows, facts: [fact(type, entityType, 'Countries', { rows, data })] }));
      expect(line).not.toMatch(/undefined|null|NaN|recorded| {2}/);
      expect(line.length).toBeGreaterThan('Sam Steward '.length);
    }
    expect(actionOf(type).verb).not.toBe('');
  });
});
