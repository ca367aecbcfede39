/** The projections of the product. */

import type { Projection } from './engine/projection.ts';
import { auditActivities } from './read-models/audit-activities/audit-activities.ts';
import { auditLog } from './read-models/audit-log.ts';
import { backups } from './read-models/backups.ts';
import { changes } from './read-models/changes.ts';
import { collections } from './read-models/collections.ts';
import { crosswalks } from './read-models/crosswalks.ts';
import { dataSets } from './read-models/data-sets.ts';
import { filterConfigurations } from './read-models/filter-configurations.ts';
import { instances } from './read-models/instances.ts';
import { jobs } from './read-models/jobs.ts';
import { missingMappings } from './read-models/missing-mappings.ts';
import { notifications } from './read-models/notifications/notifications.ts';
import { purges } from './read-models/purges.ts';
import { referenceTypes } from './read-models/reference-types.ts';
import { relationships } from './read-models/relationships.ts';
import { savedFilters } from './read-models/saved-filters.ts';
import { signingKeys } from './read-models/signing-keys.ts';

export const projections: readonly Projection[] = [
  referenceTypes,
  dataSets,
  collections,
  crosswalks,
  missingMappings,
  relationships,
  jobs,
  savedFilters,
  filterConfigurations,
  backups,
  purges,
  auditLog,
  auditActivities,
  signingKeys,
  changes,
  notifications,
  // `instances` is last, because it can attach a partition, which blocks readers of rows until the transaction ends.
  instances,
];
