/**
 * Builds events for specs. Fields that a spec omits have defaults, so that a new field of an event is added only here.
 */
import type { AccessEvent } from '../access/access.ts';
import { CROSSWALK_DEFAULTS, type CrosswalkDefinition, type CrosswalkEvent } from '../crosswalks/crosswalks.ts';
import type { MappingEvent } from '../crosswalks/mappings.ts';
import type { DataSetEvent } from '../data-sets/data-sets.ts';
import type { EventMetadata } from '../events/event.ts';

type DataOf<E extends { type: string; data: unknown }, Type extends E['type']> = Extract<E, { type: Type }>['data'];

export const eventMetadata = (overrides: Partial<EventMetadata> = {}): EventMetadata => ({
  $correlationId: 'spec',
  $causationId: 'spec',
  actorId: 1,
  requestId: 'spec',
  sourceType: 'UI',
  occurredAt: '2026-01-01T00:00:00.000Z',
  schemaVersion: 1,
  dataSetIds: [],
  ...overrides,
});

export const crosswalkDefinition = (overrides: Partial<CrosswalkDefinition> = {}): CrosswalkDefinition => ({
  id: 1,
  name: 'Countries',
  description: '',
  similarityThreshold: 0.4,
  ...CROSSWALK_DEFAULTS,
  sourceSystemId: 1,
  targetSystemId: 2,
  sourceFieldId: 1,
  targetFieldId: 1,
  ...overrides,
});

export const crosswalkDefined = (overrides?: Partial<CrosswalkDefinition>): CrosswalkEvent => ({
  type: 'CrosswalkDefined',
  data: crosswalkDefinition(overrides),
});

type DraftedMapping = DataOf<MappingEvent, 'MappingsDrafted'>['rows'][number];

export const mappingsDrafted = (
  ...rows: (Pick<DraftedMapping, 'id' | 'sourceValue' | 'targetValue'> & Partial<DraftedMapping>)[]
): MappingEvent => ({
  type: 'MappingsDrafted',
  data: { rows: rows.map((row) => ({ confidence: 100, origin: 'MANUAL', ...row })) },
});

export const dataSetCreated = (
  overrides: Partial<DataOf<DataSetEvent, 'DataSetCreated'>> & { id: number },
): Extract<DataSetEvent, { type: 'DataSetCreated' }> => ({
  type: 'DataSetCreated',
  data: { name: `Set ${overrides.id}`, description: '', typeId: 5, keyFieldIds: [1], ...overrides },
});

export const collectionCreated = (
  overrides: Partial<DataOf<AccessEvent, 'CollectionCreated'>> & { collectionId: number },
): AccessEvent => ({
  type: 'CollectionCreated',
  data: { name: `Collection ${overrides.collectionId}`, description: '', tags: [], ownerId: 1, ...overrides },
});
