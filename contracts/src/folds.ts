/** How the streams of each category fold: the one list that decisions and replay share. */
import { emptyAccess, evolveAccess } from './access.ts';
import { evolveApiKey } from './api-keys.ts';
import { evolveBulkDecision } from './bulk-decisions.ts';
import {
  emptyMappingBucket,
  emptyMissingMappings,
  evolveCrosswalk,
  evolveMappings,
  evolveMissingMappings,
} from './crosswalks.ts';
import { emptyInstanceBucket, evolveDataSet, evolveInstances } from './data-sets.ts';
import { evolveFilterConfiguration } from './filter-configurations.ts';
import { evolveImportJob } from './imports.ts';
import { evolveNames, type Names } from './names.ts';
import { evolveReferenceType } from './reference-types.ts';
import { emptyRelationshipValueBucket, evolveRelationshipValues } from './relationship-values.ts';
import { evolveRelationship } from './relationships.ts';
import { evolveSavedFilter } from './saved-filters.ts';

/** The state of an empty stream, and what an event makes of a state. `evolve` may change the state in place. */
export interface Fold<State, E> {
  initial: () => State;
  evolve: (state: State, event: E) => State;
}

const fold = <State, E>(initial: () => State, evolve: (state: State, event: E) => State): Fold<State, E> => ({
  initial,
  evolve,
});

/** By category. Facts of the vault (`user`) leave no state behind: what they are about is not in the log. */
export const folds = {
  access: fold(emptyAccess, evolveAccess),
  apiKey: fold(() => undefined, evolveApiKey),
  bulkDecision: fold(() => undefined, evolveBulkDecision),
  crosswalk: fold(() => undefined, evolveCrosswalk),
  dataSet: fold(() => undefined, evolveDataSet),
  filterConfiguration: fold(() => undefined, evolveFilterConfiguration),
  importJob: fold(() => undefined, evolveImportJob),
  instances: fold(emptyInstanceBucket, evolveInstances),
  mappings: fold(emptyMappingBucket, evolveMappings),
  missingMappings: fold(emptyMissingMappings, evolveMissingMappings),
  names: fold((): Names => new Map(), evolveNames),
  referenceType: fold(() => undefined, evolveReferenceType),
  relationship: fold(() => undefined, evolveRelationship),
  relationshipValues: fold(emptyRelationshipValueBucket, evolveRelationshipValues),
  savedFilter: fold(() => undefined, evolveSavedFilter),
};
