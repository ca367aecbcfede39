/** The rooms of this floor: each answers the reads of one capability. */
import type { Route } from '@rdm/platform';
import { apiKeyRoutes } from './api-keys.ts';
import { approvalImpactRoutes } from './approval-impact.ts';
import { approvalRoutes } from './approvals.ts';
import { auditRoutes } from './audit.ts';
import { batchRoutes } from './batches.ts';
import { changeRoutes } from './changes.ts';
import { collectionRoutes } from './collections.ts';
import { comparisonRoutes } from './comparison.ts';
import { comparisonExportRoutes } from './comparison-export.ts';
import { configured } from './configured.ts';
import { crosswalkRoutes } from './crosswalks.ts';
import { dataSetRoutes } from './data-sets.ts';
import { definitionHistoryRoutes } from './definition-history.ts';
import { deletionImpactRoutes } from './deletion-impact.ts';
import { diagnosticsRoutes } from './diagnostics.ts';
import { errorRoutes } from './errors.ts';
import { exportRoutes } from './export.ts';
import { filterTestRoutes } from './filter-test.ts';
import { filterRoutes } from './filters.ts';
import type { Floor } from './floor.ts';
import { graphRoutes } from './graph.ts';
import { graphInfoRoutes } from './graph-info.ts';
import { identityRoutes } from './identity.ts';
import { instanceRoutes } from './instances.ts';
import { integrityRoutes } from './integrity.ts';
import { jobRoutes } from './jobs.ts';
import { loginAttemptRoutes } from './login-attempts.ts';
import { mailOutboxRoutes } from './mail-outbox.ts';
import { mappingExportRoutes } from './mapping-export.ts';
import { mappingRoutes } from './mappings.ts';
import { missingMappingRoutes } from './missing-mappings.ts';
import { momentRoutes } from './moment.ts';
import { monitorRoutes } from './monitor.ts';
import { notificationRoutes } from './notification-history.ts';
import { pastePreviewRoutes } from './paste-preview.ts';
import { referenceTypeRoutes } from './reference-types.ts';
import { referenceRoutes } from './references.ts';
import { relationshipExportRoutes } from './relationship-export.ts';
import { relationshipValueRoutes } from './relationship-values.ts';
import { relationshipRoutes } from './relationships.ts';
import { schemaPreviewRoutes } from './schema-preview.ts';
import { selectionRoutes } from './selections.ts';
import { signInRoutes } from './sign-in.ts';
import { sitePathRoutes } from './site-paths.ts';
import { suggestionRoutes } from './suggestions.ts';
import { translateRoutes } from './translate.ts';

const ROOMS: readonly ((floor: Floor) => Route[])[] = [
  apiKeyRoutes,
  approvalRoutes,
  approvalImpactRoutes,
  auditRoutes,
  batchRoutes,
  changeRoutes,
  collectionRoutes,
  comparisonRoutes,
  comparisonExportRoutes,
  // Before the crosswalks: its preview of one that is not there yet would be taken for a crosswalk's id.
  suggestionRoutes,
  crosswalkRoutes,
  definitionHistoryRoutes,
  dataSetRoutes,
  diagnosticsRoutes,
  errorRoutes,
  exportRoutes,
  filterRoutes,
  graphRoutes,
  graphInfoRoutes,
  identityRoutes,
  instanceRoutes,
  integrityRoutes,
  jobRoutes,
  loginAttemptRoutes,
  mailOutboxRoutes,
  mappingExportRoutes,
  mappingRoutes,
  missingMappingRoutes,
  momentRoutes,
  monitorRoutes,
  notificationRoutes,
  deletionImpactRoutes,
  pastePreviewRoutes,
  referenceTypeRoutes,
  referenceRoutes,
  // Before the relationships: their values together would be taken for a relationship's id.
  relationshipExportRoutes,
  relationshipValueRoutes,
  relationshipRoutes,
  schemaPreviewRoutes,
  selectionRoutes,
  signInRoutes,
  sitePathRoutes,
  translateRoutes,
];

export function routesOf(floor: Floor): Route[] {
  const rooms = ROOMS.flatMap((room) => room(floor)).map((declared) => configured(floor.readModels, declared));
  return [...rooms, ...filterTestRoutes(floor, rooms)];
}
