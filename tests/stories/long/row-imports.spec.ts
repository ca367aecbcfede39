/** Imports of mappings and relationship values: the undo of drafts, and a cancelled import. */
import { beforeAll, describe, it } from 'vitest';
import { createPairDataSets, prepareRowImports, requireImportedRowsKept, requireUndoAsBatch } from '../row-imports.ts';

prepareRowImports();

describe('an import of mappings', () => {
  it.each([false])('is undone as a batch, except for rows that were changed later; submitted: %s', requireUndoAsBatch);
});

describe('an import that is cancelled', () => {
  beforeAll(createPairDataSets);

  it.each(['relationship values'])(
    'stops at its next piece, and keeps the imported rows: %s',
    requireImportedRowsKept,
    180_000,
  );
});
