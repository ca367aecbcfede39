/** Shows a running import of mappings, and offers to undo it when it has ended. */
import { useQueryClient } from '@tanstack/react-query';
import { type ImportJob, useImportJob } from '../../../../components/importing-job/index.tsx';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { mappingsText } from '../mappings/review-words.ts';
import { loadPairTexts } from '../mappings/useMappingReview.tsx';

export function useMappingImport(crosswalkId: number, onUndoable: (action: Undoable) => void): ImportJob {
  const queries = useQueryClient();
  return useImportJob({
    kind: 'mapping',
    countText: mappingsText,
    labelsOf: (rows) => loadPairTexts(crosswalkId, 'draft', rows),
    fallbackLabelOf: (id) => `Mapping ${id}`,
    reload: () => reloadCrosswalk(queries, crosswalkId),
    onUndoable,
  });
}
