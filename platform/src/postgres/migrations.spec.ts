/** Tests that recorded migrations never change, so that the product recognises databases of earlier versions. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { migrationNames, migrations } from './migrations/index.ts';

/** The migrations that databases have recorded. Add a new migration at the end. */
const RECORDED = [
  '0001-vault',
  '0002-commands',
  '0003-jobs',
  '0004-projecting',
  '0005-identity',
  '0006-relationship-values',
  '0008-filters',
  '0010-cancelled-imports',
  '0013-translation-requests',
  '0012-bulk-decisions',
  '0014-requests-updated-in-place',
  '0015-requests-spelled-alike',
  '0016-requests-by-keys',
  '0017-notification-marks',
  '0018-logs-by-name',
  '0019-imports-of-rows',
  '0020-log-losses',
  '0021-rejected-rows',
  '0022-jobs-out-of-memory',
  '0023-kept-rows',
  '0024-proved-addresses',
  '0025-log-match',
  '0026-api-key-buckets',
  '0027-errors',
  '0028-selection-criteria',
  '0029-home-marks',
  '0030-import-drafts',
  '0031-skipped-rows',
  '0032-replayed-imports',
  '0033-check-times',
  '0034-rejected-workbook-rows',
  '0035-complete-read-models',
  '0037-backups',
  '0038-purges',
  '0039-purged-builds',
  '0040-import-targets',
  '0041-staged-rows-with-ids',
];

/** Comments may change: the digest leaves them out. */
const COMMENT_LINES = /^ *--.*\n/gm;

it('keeps the names and the order of the migrations that databases have recorded', () => {
  expect(migrationNames.slice(0, RECORDED.length)).toEqual(RECORDED);
});
it('never changes the statements of a migration that databases have run', async () => {
  const recorded = (await migrations.getMigrations([])).slice(0, RECORDED.length);
  const digest = createHash('sha256')
    .update(JSON.stringify(recorded.map(({ name, up }) => [name, up.replace(COMMENT_LINES, '')])))
    .digest('hex');
  expect(digest).toBe('ed0bb519bd7e8bffdab19a6640a72ba35aa20142b4122e0ec6090dd93663303c');
});
