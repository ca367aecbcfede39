import type { Migration } from '../migration.ts';

export const cancelledImports: Migration = {
  name: '0010-cancelled-imports',
  up: `
-- Who cancelled the import, and in which request: { actorId, apiKeyId, requestId }.
ALTER TABLE command.imports ADD COLUMN cancellation jsonb;
UPDATE command.imports SET cancellation = jsonb_build_object('actorId', cancelled_by, 'requestId', request_id)
 WHERE cancelled_by IS NOT NULL;
ALTER TABLE command.imports DROP COLUMN cancelled_by;
-- Pieces are read once and then deleted, so compressing them would only take time.
ALTER TABLE command.staged_rows ALTER COLUMN lines SET STORAGE EXTERNAL, ALTER COLUMN sequences SET STORAGE EXTERNAL;`,
};
