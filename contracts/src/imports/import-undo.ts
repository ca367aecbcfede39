/** The preview of the undo of an import of rows. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The maximum number of kept rows that a preview lists. The count `kept` includes the others. */
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
 * The data set that the import created, with its type and collection if the import created them too. The type and the
 * collection are known only from the draft of the import: they are null once the draft is deleted.
 */
export const CreatedByImport = z.object({
  dataSet: CreatedEntity,
  type: CreatedEntity.nullable().describe(
    'The type, if the draft of the import shows that the import created it, no other data set has it, and the viewer may delete it; otherwise null.',
  ),
  collection: CreatedEntity.nullable().describe(
    'The collection, if the draft of the import shows that the import created it, it has no other data set, and the viewer may delete it; otherwise null.',
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
