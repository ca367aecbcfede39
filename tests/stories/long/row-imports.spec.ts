/** Imports of rows under review: the undo of drafts, and a cancelled import of relationship values. */
import { beforeAll, describe, it } from 'vitest';
import { createWideDataSets, prepareRowImports, requireImportedRowsKept, requireUndoAsBatch } from '../row-imports.ts';

prepareRowImports();

describe('an import of mappings', () => {
  it.each([false])('is undone as a batch, except for later changes; submitted: %s', requireUndoAsBatch);
});

describe('an import that is cancelled', () => {
  beforeAll(createWideDataSets);

  it.each(['relationship values'])(
    'stops at its next piece, and keeps imported rows: %s',
    requireImportedRowsKept,
    180_000,
  );
});
