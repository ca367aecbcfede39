/** Migrations of the tables that no projection owns, in the order in which they run. */
import type { Knex } from 'knex';
import { vault } from './0001-0009/0001-vault.ts';
import { commands } from './0001-0009/0002-commands.ts';
import { jobs } from './0001-0009/0003-jobs.ts';
import { projecting } from './0001-0009/0004-projecting.ts';
import { identity } from './0001-0009/0005-identity.ts';
import { relationshipValues } from './0001-0009/0006-relationship-values.ts';
import { filters } from './0001-0009/0008-filters.ts';
import { cancelledImports } from './0010-0019/0010-cancelled-imports.ts';
import { bulkDecisions } from './0010-0019/0012-bulk-decisions.ts';
import { translationRequests } from './0010-0019/0013-translation-requests.ts';
import { requestsUpdatedInPlace } from './0010-0019/0014-requests-updated-in-place.ts';
import { requestsSpelledAlike } from './0010-0019/0015-requests-spelled-alike.ts';
import { requestsByKeys } from './0010-0019/0016-requests-by-keys.ts';
import { notificationMarks } from './0010-0019/0017-notification-marks.ts';
import { logsByName } from './0010-0019/0018-logs-by-name.ts';
import { importsOfRows } from './0010-0019/0019-imports-of-rows.ts';
import { logLosses } from './0020-0029/0020-log-losses.ts';
import { rejectedRows } from './0020-0029/0021-rejected-rows.ts';
import { jobsOutOfMemory } from './0020-0029/0022-jobs-out-of-memory.ts';
import { keptRows } from './0020-0029/0023-kept-rows.ts';
import { provedAddresses } from './0020-0029/0024-proved-addresses.ts';
import { logMatch } from './0020-0029/0025-log-match.ts';
import { apiKeyBuckets } from './0020-0029/0026-api-key-buckets.ts';
import { errors } from './0020-0029/0027-errors.ts';
import { selectionCriteria } from './0020-0029/0028-selection-criteria.ts';
import { homeMarks } from './0020-0029/0029-home-marks.ts';
import { importDrafts } from './0030-0039/0030-import-drafts.ts';
import { skippedRows } from './0030-0039/0031-skipped-rows.ts';
import { replayedImports } from './0030-0039/0032-replayed-imports.ts';
import { checkTimes } from './0030-0039/0033-check-times.ts';
import { rejectedWorkbookRows } from './0030-0039/0034-rejected-workbook-rows.ts';
import { completeReadModels } from './0030-0039/0035-complete-read-models.ts';
import { backups } from './0030-0039/0037-backups.ts';
import { purges } from './0030-0039/0038-purges.ts';
import { purgedBuilds } from './0030-0039/0039-purged-builds.ts';
import { importTargets } from './0040-0049/0040-import-targets.ts';
import { stagedRowsWithIds } from './0040-0049/0041-staged-rows-with-ids.ts';
import { stagedRowsWithoutKeys } from './0040-0049/0042-staged-rows-without-keys.ts';
import type { Migration } from './migration.ts';

const all: Migration[] = [
  vault,
  commands,
  jobs,
  projecting,
  identity,
  relationshipValues,
  filters,
  cancelledImports,
  translationRequests,
  bulkDecisions,
  requestsUpdatedInPlace,
  requestsSpelledAlike,
  requestsByKeys,
  notificationMarks,
  logsByName,
  importsOfRows,
  logLosses,
  rejectedRows,
  jobsOutOfMemory,
  keptRows,
  provedAddresses,
  logMatch,
  apiKeyBuckets,
  errors,
  selectionCriteria,
  homeMarks,
  importDrafts,
  skippedRows,
  replayedImports,
  checkTimes,
  rejectedWorkbookRows,
  completeReadModels,
  backups,
  purges,
  purgedBuilds,
  importTargets,
  stagedRowsWithIds,
  stagedRowsWithoutKeys,
];

export const migrationNames: string[] = all.map(({ name }) => name);

/** The migrations with these names, in the form that knex requires. Knex runs the new ones in one transaction. */
export const onlyMigrations = (names: readonly string[]): Knex.MigrationSource<Migration> => ({
  getMigrations: async () => all.filter(({ name }) => names.includes(name)),
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => ({
    up: (db) => db.raw(migration.up),
    down: () => Promise.reject(new Error('Migrations go forward only: restore a backup instead')),
  }),
});

export const migrations = onlyMigrations(migrationNames);
