/** The fold of each stream category. Commands and the replay of histories use the same folds. */
import { emptyAccess, evolveAccess } from './access/access.ts';
import { emptyBackups, evolveBackups } from './admin/backups.ts';
import { evolvePurge, evolveRegisteredPurges, type RegisteredPurges } from './admin/purges.ts';
import { evolveSigningKeys, type SigningKeys } from './audit/signing-keys.ts';
import { evolveCrosswalk } from './crosswalks/crosswalks.ts';
import { emptyMappingBucket, evolveMappings } from './crosswalks/mappings.ts';
import { emptyMissingMappings, evolveMissingMappings } from './crosswalks/missing-mappings.ts';
import { evolveDataSet } from './data-sets/data-sets.ts';
import { emptyInstanceBucket, evolveInstances } from './data-sets/instances.ts';
import { evolveFilterConfiguration } from './filters/filter-configurations.ts';
import { evolveSavedFilter } from './filters/saved-filters.ts';
import { evolveApiKey } from './identity/api-keys.ts';
import { evolveImportJob } from './imports/imports.ts';
import { evolveBulkDecision } from './jobs/bulk-decisions.ts';
import { evolveReferenceType } from './reference-types/reference-types.ts';
import { emptyRelationshipValueBucket, evolveRelationshipValues } from './relationships/relationship-values.ts';
import { evolveRelationship } from './relationships/relationships.ts';
import { evolveNames, type Names } from './text/names.ts';

/** The state of an empty stream, and the fold of one event. `evolve` may change the state in place. */
export interface Fold<State, E> {
  initial: () => State;
  evolve: (state: State, event: E) => State;
}

const fold = <State, E>(initial: () => State, evolve: (state: State, event: E) => State): Fold<State, E> => ({
  initial,
  evolve,
});

/**
 * The folds by category. Each stream of the category `system` has its own fold. The category `user` has none, because
 * the vault holds the data of users.
 */
export const folds = {
  access: fold(emptyAccess, evolveAccess),
  apiKey: fold(() => undefined, evolveApiKey),
  /** The stream `system-backups`. */
  backups: fold(emptyBackups, evolveBackups),
  bulkDecision: fold(() => undefined, evolveBulkDecision),
  crosswalk: fold(() => undefined, evolveCrosswalk),
  dataSet: fold(() => undefined, evolveDataSet),
  filterConfiguration: fold(() => undefined, evolveFilterConfiguration),
  importJob: fold(() => undefined, evolveImportJob),
  instances: fold(emptyInstanceBucket, evolveInstances),
  mappings: fold(emptyMappingBucket, evolveMappings),
  missingMappings: fold(emptyMissingMappings, evolveMissingMappings),
  names: fold((): Names => new Map(), evolveNames),
  purge: fold(() => undefined, evolvePurge),
  referenceType: fold(() => undefined, evolveReferenceType),
  /** The stream `system-purges`. */
  registeredPurges: fold((): RegisteredPurges => new Set(), evolveRegisteredPurges),
  relationship: fold(() => undefined, evolveRelationship),
  relationshipValues: fold(emptyRelationshipValueBucket, evolveRelationshipValues),
  savedFilter: fold(() => undefined, evolveSavedFilter),
  /** The stream `system-keys`. */
  signingKeys: fold((): SigningKeys => new Map(), evolveSigningKeys),
};
