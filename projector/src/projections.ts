/** The read models, in the order in which a batch is offered to them. */
import { auditLog } from './audit-log.ts';
import { changes } from './changes.ts';
import { collections } from './collections.ts';
import { crosswalks } from './crosswalks.ts';
import { dataSets } from './data-sets.ts';
import { filterConfigurations } from './filter-configurations.ts';
import { instances } from './instances.ts';
import { jobs } from './jobs.ts';
import { missingMappings } from './missing-mappings.ts';
import { notifications } from './notifications.ts';
import type { Projection } from './projection.ts';
import { referenceTypes } from './reference-types.ts';
import { relationships } from './relationships.ts';
import { savedFilters } from './saved-filters.ts';

export const projections: readonly Projection[] = [
  referenceTypes,
  dataSets,
  instances,
  collections,
  crosswalks,
  missingMappings,
  relationships,
  jobs,
  savedFilters,
  filterConfigurations,
  auditLog,
  changes,
  notifications,
];
