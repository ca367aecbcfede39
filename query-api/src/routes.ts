/** Collects the routes of query-api. */
import type { Route } from '@rdm/platform';
import { apiDocumentRoutes } from './admin/api-documents.ts';
import { backupRoutes } from './admin/backups.ts';
import { diagnosticsRoutes } from './admin/diagnostics.ts';
import { errorRoutes } from './admin/error-log.ts';
import { legalHoldRoutes } from './admin/legal-holds.ts';
import { mailOutboxRoutes } from './admin/mail-outbox.ts';
import { monitorRoutes } from './admin/monitor.ts';
import { purgeRoutes } from './admin/purges.ts';
import { sitePathRoutes } from './admin/site-paths.ts';
import { approvalImpactRoutes } from './approvals/approval-impact.ts';
import { approvalRoutes } from './approvals/approvals.ts';
import { approverRoutes } from './approvals/approvers.ts';
import { activityRoutes } from './audit/activities.ts';
import { auditRoutes } from './audit/audit.ts';
import { changeRoutes } from './change-feed/changes.ts';
import { collectionRoutes } from './collections/collections.ts';
import { comparisonRoutes } from './crosswalks/comparison.ts';
import { comparisonExportRoutes } from './crosswalks/comparison-export.ts';
import { crosswalkRoutes } from './crosswalks/crosswalks.ts';
import { mappingExportRoutes } from './crosswalks/mapping-export.ts';
import { mappingRoutes } from './crosswalks/mappings.ts';
import { missingMappingRoutes } from './crosswalks/missing-mappings.ts';
import { suggestionRoutes } from './crosswalks/suggestions.ts';
import { translateRoutes } from './crosswalks/translate.ts';
import { dataSetRoutes } from './data-sets/data-sets.ts';
import { deletionImpactRoutes } from './data-sets/deletion-impact.ts';
import { exportRoutes } from './data-sets/export.ts';
import { graphRoutes } from './data-sets/graph.ts';
import { graphInfoRoutes } from './data-sets/graph-info.ts';
import { instanceRoutes } from './data-sets/instances.ts';
import { integrityRoutes } from './data-sets/integrity.ts';
import { pastePreviewRoutes } from './data-sets/paste-preview.ts';
import { referenceRoutes } from './data-sets/references.ts';
import { filterTestRoutes } from './filters/filter-test.ts';
import { filterRoutes } from './filters/filters.ts';
import { homeRoutes } from './home/home.ts';
import { apiKeyRoutes } from './identity/api-keys.ts';
import { erasureReportRoutes } from './identity/erasure-report.ts';
import { identityRoutes } from './identity/identity.ts';
import { loginAttemptRoutes } from './identity/login-attempts.ts';
import { signInRoutes } from './identity/sign-in.ts';
import { draftRoutes } from './imports/drafts.ts';
import { jobRoutes } from './imports/jobs.ts';
import { withFilterRules } from './list/filter-rules.ts';
import { selectionRoutes } from './list/selections.ts';
import { notificationRoutes } from './notifications/notifications.ts';
import type { QueryContext } from './query-context.ts';
import { momentRoutes } from './read-models/moment.ts';
import { openPurgedEntities, withPurgedEntities } from './read-models/purged-entities.ts';
import { referenceTypeRoutes } from './reference-types/reference-types.ts';
import { schemaPreviewRoutes } from './reference-types/schema-preview.ts';
import { relationshipExportRoutes } from './relationships/relationship-export.ts';
import { relationshipValueRoutes } from './relationships/relationship-values.ts';
import { relationshipRoutes } from './relationships/relationships.ts';
import { batchRoutes } from './review/batches.ts';
import { definitionHistoryRoutes } from './review/definition-history.ts';
import { searchRoutes } from './search/search.ts';

const ROUTE_FACTORIES: readonly ((context: QueryContext) => Route[])[] = [
  apiDocumentRoutes,
  apiKeyRoutes,
  approverRoutes,
  approvalRoutes,
  approvalImpactRoutes,
  activityRoutes,
  auditRoutes,
  backupRoutes,
  batchRoutes,
  changeRoutes,
  collectionRoutes,
  comparisonRoutes,
  comparisonExportRoutes,
  // Before `crosswalkRoutes`, whose `/api/crosswalks/:id` would match `/api/crosswalks/suggestions-preview`.
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
  homeRoutes,
  legalHoldRoutes,
  purgeRoutes,
  erasureReportRoutes,
  identityRoutes,
  instanceRoutes,
  integrityRoutes,
  jobRoutes,
  draftRoutes,
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
  relationshipExportRoutes,
  // Before `relationshipRoutes`, whose `/api/relationships/:id` would match `/api/relationships/values`.
  relationshipValueRoutes,
  relationshipRoutes,
  schemaPreviewRoutes,
  searchRoutes,
  selectionRoutes,
  signInRoutes,
  sitePathRoutes,
  translateRoutes,
];

export function routesOf(context: QueryContext): Route[] {
  const purged = openPurgedEntities(context.store);
  const routes = ROUTE_FACTORIES.flatMap((createRoutes) => createRoutes(context)).map((declared) =>
    withPurgedEntities(purged, withFilterRules(context.readModels, declared)),
  );
  return [...routes, ...filterTestRoutes(context, routes)];
}
