/** The undo of an import of rows: what it would do. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** Kept rows that a preview lists; it counts all of them. */
export const KEPT_ROWS_LISTED = 100;

/** A row of the import that its undo leaves as it is. */
const KeptRow = z.object({
  id: z.number(),
  key: z.string(),
  reason: z.enum(['EDITED', 'REFERENCED']).describe('It was edited since, or mappings or relationship values use it.'),
  userId: z.number().nullable().describe('Who edited it last; null for a row in use.'),
  userName: z.string().nullable(),
  at: z.string().nullable(),
});

const Created = z.object({ id: z.number(), name: z.string(), revision: z.number().describe('For `If-Match`.') });

/** The entities that the import created in addition to its rows, if nothing else uses them. */
export const CreatedByImport = z.object({
  dataSet: Created,
  type: Created.nullable().describe('Null unless the import created it and no other data set has it.'),
  collection: Created.nullable().describe('Null unless the import created it and it has no other data set.'),
});
export type CreatedByImport = z.infer<typeof CreatedByImport>;

/** GET /api/jobs/{id}/undo. */
export const ImportUndoPreview = defineView(() =>
  z.object({
    removed: z.number().describe('Rows that the import added and the undo removes.'),
    restored: z.number().describe('Rows that return to their earlier cells.'),
    addedBack: z.number().describe('Rows that the import removed and the undo adds back.'),
    kept: z.number().describe('Rows that stay as they are, and the first hundred of them.'),
    keptRows: z.array(KeptRow),
    created: CreatedByImport.nullable().describe(
      'Set if the import created its data set, and the viewer may delete it: by `DELETE`, once the undo has emptied it.',
    ),
  }),
);
export type ImportUndoPreview = z.infer<typeof ImportUndoPreview>;
export type KeptRow = ImportUndoPreview['keptRows'][number];
