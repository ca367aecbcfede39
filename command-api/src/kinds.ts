/** How each category of streams folds on the command side. */
import {
  type AccessEvent,
  type AccessState,
  type Crosswalk,
  type CrosswalkEvent,
  type DataSet,
  type DataSetEvent,
  emptyAccess,
  emptyInstanceBucket,
  emptyMappingBucket,
  emptyMissingMappings,
  emptyRelationshipValueBucket,
  evolveAccess,
  evolveCrosswalk,
  evolveDataSet,
  evolveFilterConfiguration,
  evolveImportJob,
  evolveInstances,
  evolveMappings,
  evolveMissingMappings,
  evolveNames,
  evolveReferenceType,
  evolveRelationship,
  evolveRelationshipValues,
  evolveSavedFilter,
  type FilterConfiguration,
  type FilterConfigurationEvent,
  type ImportJob,
  type ImportJobEvent,
  type InstanceBucket,
  type InstanceEvent,
  type MappingBucket,
  type MappingEvent,
  type MissingMappingEvent,
  type MissingMappings,
  type NameEvent,
  type Names,
  type ReferenceType,
  type ReferenceTypeEvent,
  type Relationship,
  type RelationshipEvent,
  type RelationshipValueBucket,
  type RelationshipValueEvent,
  type SavedFilter,
  type SavedFilterEvent,
} from '@rdm/contracts';
import type { StreamKind } from './streams.ts';

const HEADER_BYTES = 4_096;
const header = () => HEADER_BYTES;

export const kinds = {
  referenceType: { initial: () => undefined, evolve: evolveReferenceType, weigh: header } as StreamKind<
    ReferenceType | undefined,
    ReferenceTypeEvent
  >,
  dataSet: { initial: () => undefined, evolve: evolveDataSet, weigh: header } as StreamKind<
    DataSet | undefined,
    DataSetEvent
  >,
  instances: {
    initial: emptyInstanceBucket,
    evolve: evolveInstances,
    // A row, its two map entries and about eight cells.
    weigh: (state) => 512 + state.rows.size * 700,
  } as StreamKind<InstanceBucket, InstanceEvent>,
  relationship: { initial: () => undefined, evolve: evolveRelationship, weigh: header } as StreamKind<
    Relationship | undefined,
    RelationshipEvent
  >,
  relationshipValues: {
    initial: emptyRelationshipValueBucket,
    evolve: evolveRelationshipValues,
    // A row, its attributes and its places in the two indexes.
    weigh: (state) => 512 + state.rows.size * 1_200,
  } as StreamKind<RelationshipValueBucket, RelationshipValueEvent>,
  crosswalk: { initial: () => undefined, evolve: evolveCrosswalk, weigh: header } as StreamKind<
    Crosswalk | undefined,
    CrosswalkEvent
  >,
  mappings: {
    initial: emptyMappingBucket,
    evolve: evolveMappings,
    weigh: (state) => 512 + state.rows.size * 500,
  } as StreamKind<MappingBucket, MappingEvent>,
  missingMappings: {
    initial: emptyMissingMappings,
    evolve: evolveMissingMappings,
    weigh: (state) => 512 + state.ids.size * 120,
  } as StreamKind<MissingMappings, MissingMappingEvent>,
  importJob: { initial: () => undefined, evolve: evolveImportJob, weigh: header } as StreamKind<
    ImportJob | undefined,
    ImportJobEvent
  >,
  savedFilter: { initial: () => undefined, evolve: evolveSavedFilter, weigh: header } as StreamKind<
    SavedFilter | undefined,
    SavedFilterEvent
  >,
  filterConfiguration: { initial: () => undefined, evolve: evolveFilterConfiguration, weigh: header } as StreamKind<
    FilterConfiguration | undefined,
    FilterConfigurationEvent
  >,
  names: {
    initial: () => new Map(),
    evolve: evolveNames,
    weigh: (state) => 512 + state.size * 120,
  } as StreamKind<Names, NameEvent>,
  access: {
    initial: emptyAccess,
    evolve: evolveAccess,
    weigh: (state) => 4_096 + state.users.size * 100 + state.collections.size * 2_000,
  } as StreamKind<AccessState, AccessEvent>,
};
