/**
 * Builds events for specs. Fields that a spec omits have defaults, so that a new field of an event is added only here.
 */
import type { AccessEvent } from '../access/access.ts';
import { CROSSWALK_DEFAULTS, type CrosswalkDefinition, type CrosswalkEvent } from '../crosswalks/crosswalks.ts';
import type { MappingEvent } from '../crosswalks/mappings.ts';
import type { DataSetEvent } from '../data-sets/data-sets.ts';
import type { EventMetadata } from '../events/event.ts';

type DataOf<E extends { type: string; data: unknown }, Type extends E['type']> = Extract<E, { type: Type }>['data'];

export const eventMetadata = (given: Partial<EventMetadata> = {}): EventMetadata => ({
  $correlationId: 'spec',
  $causationId: 'spec',
  actorId: 1,
  requestId: 'spec',
  sourceType: 'UI',
  occurredAt: '2026-01-01T00:00:00.000Z',
  schemaVersion: 1,
  dataSetIds: [],
  ...given,
});

export const crosswalkDefinition = (given: Partial<CrosswalkDefinition> = {}): CrosswalkDefinition => ({
  id: 1,
  name: 'Countries',
  description: '',
  similarityThreshold: 0.4,
  ...CROSSWALK_DEFAULTS,
  sourceSystemId: 1,
  targetSystemId: 2,
  sourceFieldId: 1,
  targetFieldId: 1,
  ...given,
});

export const crosswalkDefined = (given?: Partial<CrosswalkDefinition>): CrosswalkEvent => ({
  type: 'CrosswalkDefined',
  data: crosswalkDefinition(given),
});

type DraftedMapping = DataOf<MappingEvent, 'MappingsDrafted'>['rows'][number];

export const mappingsDrafted = (
  ...rows: (Pick<DraftedMapping, 'id' | 'sourceValue' | 'targetValue'> & Partial<DraftedMapping>)[]
): MappingEvent => ({
  type: 'MappingsDrafted',
  data: { rows: rows.map((row) => ({ confidence: 100, origin: 'MANUAL', ...row })) },
});

export const dataSetCreated = (
  given: Partial<DataOf<DataSetEvent, 'DataSetCreated'>> & { id: number },
): Extract<DataSetEvent, { type: 'DataSetCreated' }> => ({
  type: 'DataSetCreated',
  data: { name: `Set ${given.id}`, description: '', typeId: 5, keyFieldIds: [1], ...given },
});

export const collectionCreated = (
  given: Partial<DataOf<AccessEvent, 'CollectionCreated'>> & { collectionId: number },
): AccessEvent => ({
  type: 'CollectionCreated',
  data: { name: `Collection ${given.collectionId}`, description: '', tags: [], ownerId: 1, ...given },
});
