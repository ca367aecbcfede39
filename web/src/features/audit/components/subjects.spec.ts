/** Tests the links of audit entries and activities, and the words for actions, subjects and streams. */
import { describe, expect, it } from 'vitest';
import { actionWords, activityReplay, pastPageOf, replayables, streamWords, subjectWords } from './subjects.ts';

const entry = { entityType: 'crosswalk', entityId: 3, recordIds: null, stream: 'crosswalk-3' };
const links = (...args: Parameters<typeof replayables>) => replayables(...args).map(({ to }) => to);

describe('the replays of an entry', () => {
  it('contain its entity', () => {
    expect(links(entry)).toEqual(['/audit-logs/replay?entity=crosswalk%3A3']);
    expect(links({ ...entry, entityType: 'referenceType', stream: 'referenceType-3' })).toEqual([
      '/audit-logs/replay?entity=reference-type%3A3',
    ]);
  });

  it('contain each changed row, up to a limit', () => {
    const rows = { entityType: 'instances', entityId: 5, recordIds: [64, 128, 192], stream: 'instances-5.0' };
    expect(links(rows, 2)).toEqual([
      '/audit-logs/replay?entity=instance%3A5%3A64',
      '/audit-logs/replay?entity=instance%3A5%3A128',
    ]);
  });

  it('contain each changed value of a relationship', () => {
    const values = { entityType: 'relationshipValues', entityId: 5, recordIds: [64], stream: 'relationshipValues-5.0' };
    expect(replayables(values)).toEqual([
      { label: 'Value 64', to: '/audit-logs/replay?entity=relationship-value%3A5%3A64' },
    ]);
  });

  it('contain the stream if the entry has no entity that can be replayed', () => {
    expect(links({ entityType: 'names', entityId: null, recordIds: null, stream: 'names-types' })).toEqual([
      '/audit-logs/replay?stream=names-types',
    ]);
    expect(links({ entityType: 'user', entityId: 2, recordIds: null, stream: 'user-2' })).toEqual([
      '/audit-logs/replay?stream=user-2',
    ]);
  });
});

describe('the replay of an activity', () => {
  const factOf = (action: string, entityType: string, rows = 0, entityId: number | null = 5) => ({
    ...{ action, entityType, entityId, entityName: null, rows, data: {} },
  });
  const rowOf = (entityType: string) => ({
    ...{ entityType, entityId: 5, entityName: null, id: 64, key: 'DE', label: null, status: null, changes: [] },
  });

  it.each([
    ['a row', [factOf('InstancesChanged', 'instances', 1)], 'instances', 'instance%3A5%3A64'],
    [
      'a mapping',
      [factOf('MappingsDrafted', 'mappings', 1), factOf('MappingsSubmitted', 'mappings', 1)],
      ...['mappings', 'mapping%3A5%3A64'],
    ],
    [
      'a missing mapping',
      [factOf('MissingMappingRequested', 'missingMappings', 1)],
      ...['missingMappings', 'missing-mappings%3A5'],
    ],
    [
      'a type',
      [factOf('NameClaimed', 'names', 0, null), factOf('ReferenceTypeDefined', 'referenceType')],
      ...[undefined, 'reference-type%3A5'],
    ],
    ['a definition', [factOf('RelationshipDefined', 'relationship')], undefined, 'relationship%3A5'],
  ] as const)('shows %s', (_, facts, rowEntityType, expected) => {
    const row = rowEntityType === undefined ? null : rowOf(rowEntityType);
    expect(activityReplay({ facts: [...facts], row })).toBe(`/audit-logs/replay?entity=${expected}`);
  });

  it.each([
    ['several rows', [factOf('InstancesImported', 'instances', 2)], null],
    ['several entities', [factOf('RoleDefined', 'role', 0, 5), factOf('RoleDefined', 'role', 0, 6)], null],
    ['an entity and its row', [factOf('DataSetCreated', 'dataSet'), factOf('InstancesAdded', 'instances', 1)], 1],
    ['a user, whose events are in two streams', [factOf('PasswordChanged', 'user')], null],
    ['an entity without replay', [factOf('BackupRequested', 'backup')], null],
  ])('is not offered for %s', (_, facts, row) => {
    expect(activityReplay({ facts, row: row === null ? null : rowOf('instances') })).toBeUndefined();
  });
});

it('an entry links to the page of its entity as of the entry, if that page can show the past', () => {
  expect(pastPageOf({ entityType: 'mappings', entityId: 3, seq: 1234 })).toBe('/crosswalks/3/mappings?asOf=seq:1234');
  expect(pastPageOf({ entityType: 'instances', entityId: 5, seq: 7 })).toBe('/reference-data/5?asOf=seq:7');
  expect(pastPageOf({ entityType: 'user', entityId: 2, seq: 7 })).toBeUndefined();
  expect(pastPageOf({ entityType: 'names', entityId: null, seq: 7 })).toBeUndefined();
});

it('an action is formatted as text', () => {
  expect(actionWords('CollectionPermissionsChanged')).toBe('Collection permissions changed');
  expect(actionWords('ApiKeyRevoked')).toBe('API key revoked');
});

it('a subject is formatted as text, with ids in place of unknown names', () => {
  const unnamed = (entity: string) => subjectWords(entity, () => undefined);
  expect(unnamed('mapping:2:30391')).toBe('mapping 30391 of crosswalk 2');
  expect(unnamed('instance:5:64')).toBe('row 64 of data set 5');
  expect(unnamed('relationship-value:1:64')).toBe('value 64 of relationship 1');
  expect(unnamed('reference-type:1')).toBe('reference type 1');
  expect(unnamed('crosswalk:3')).toBe('crosswalk 3');
  const names: Record<string, string> = { 'instances:5': 'Countries', 'referenceType:1': 'Country' };
  expect(subjectWords('instance:5:64', (reference) => names[reference], 'DE')).toBe('row “DE” of data set “Countries”');
  expect(subjectWords('reference-type:1', (reference) => names[reference])).toBe('reference type “Country”');
});

it.each([
  ['crosswalk-3', 'crosswalk “Countries”'],
  ['mappings-3.17', 'mappings of crosswalk “Countries”'],
  ['savedFilter-3', 'filter “Countries”'],
  ['names-savedFilters', 'names of saved filters'],
  ['system-backups', 'backups'],
])('the stream %s is called “%s”', (stream, words) => expect(streamWords(stream, () => 'Countries')).toBe(words));
