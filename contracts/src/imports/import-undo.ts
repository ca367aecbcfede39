/** The preview of what the undo of a row import changes. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The maximum number of kept rows that a preview lists; `kept` counts all kept rows. */
export const KEPT_ROWS_LISTED = 100;

/** A row of the import that the undo does not change. */
const KeptRow = z.object({
  id: z.number(),
  key: z.string(),
  reason: z
    .enum(['EDITED', 'REFERENCED'])
    .describe('The row was edited after the import, or mappings or relationship values use it.'),
  userId: z.number().nullable().describe('The last editor; null if the reason is `REFERENCED`.'),
  userName: z.string().nullable(),
  at: z.string().nullable(),
  job: z
    .object({ id: z.number(), undoes: z.number().nullable().describe('The import that the job undoes.') })
    .nullable()
    .describe('The import, or the undo of an import, that made the last change; otherwise null.'),
});

const CreatedEntity = z.object({ id: z.number(), name: z.string(), revision: z.number().describe('For `If-Match`.') });

/**
 * The data set, type and collection that the import created. Only the draft of the import shows that the type and the
 * collection are new, so both are null after the draft is deleted.
 */
export const CreatedByImport = z.object({
  dataSet: CreatedEntity,
  type: CreatedEntity.nullable().describe(
    'The new type; null if the import created none, another data set uses the type, the viewer may not delete the type, or the draft of the import was deleted.',
  ),
  collection: CreatedEntity.nullable().describe(
    'The new collection; null if the import created none, the collection has other data sets, the viewer may not delete the collection, or the draft of the import was deleted.',
  ),
});
export type CreatedByImport = z.infer<typeof CreatedByImport>;

/** GET /api/jobs/{id}/undo. */
export const ImportUndoPreview = defineView(() =>
  z.object({
    removed: z.number().describe('The number of rows that the import added and the undo removes.'),
    restored: z.number().describe('The number of rows whose earlier cells the undo restores.'),
    addedBack: z.number().describe('The number of rows that the import removed and the undo restores.'),
    kept: z.number().describe('The number of rows that the undo does not change. `keptRows` has the first hundred.'),
    keptRows: z.array(KeptRow),
    created: CreatedByImport.nullable().describe(
      'Set if the import created the data set and the viewer may delete it. If the data set is empty after the undo, a `DELETE` request can delete it.',
    ),
  }),
);
export type ImportUndoPreview = z.infer<typeof ImportUndoPreview>;
export type KeptRow = ImportUndoPreview['keptRows'][number];
